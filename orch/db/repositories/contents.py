"""Texts that are stored once: templates, environments, files."""

import collections.abc
import hashlib
import re
import zlib

import sqlalchemy as sa

from orch import errors
from orch.db import functions
from orch.db import rows as db_rows
from orch.db.models import stacks

_TABLE = stacks.CONTENTS
_USES = stacks.CONTENT_USES

# A text that was put within this time is not written again, and the purge
# spares what was put within twice this time: so none disappears between
# being found here and being referred to.
FRESH_S = 3600.0

_FRESH = sa.select(_TABLE.c.hash).where(
    _TABLE.c.hash.in_(sa.bindparam("hashes", expanding=True)),
    _TABLE.c.used_at > functions.now() - FRESH_S,
)

_ENCODING = ("utf-8", "surrogatepass")

HASH = re.compile(r"\b[0-9a-f]{64}\b")


def hash_of(text: str) -> str:
    """Return the hash under which a text is stored: SHA-256, in hex."""
    return hashlib.sha256(text.encode(*_ENCODING)).hexdigest()


def save_texts(
    conn: sa.Connection, texts: collections.abc.Iterable[str]
) -> list[str]:
    """Store the texts that are not there yet.

    A text that names others by their hash, as an environment does with its
    files, keeps them from the purge.

    :returns: their hashes, in the order of the texts
    """
    texts = list(texts)
    hashes = [hash_of(text) for text in texts]
    wanted = dict(zip(hashes, texts, strict=True))
    for known in conn.scalars(_FRESH, {"hashes": list(wanted)}):
        del wanted[known]
    if not wanted:
        return hashes
    now = functions.read_clock(conn)
    conn.execute(
        db_rows.upsert(conn.dialect.name, _TABLE, ("used_at",)),
        [
            # In one order everywhere: two that store the same do not lock
            # each other out.
            {
                "hash": key,
                "body": zlib.compress(wanted[key].encode(*_ENCODING)),
                "used_at": now,
            }
            for key in sorted(wanted)
        ],
    )
    uses: list[db_rows.Row] = [
        {"hash": key, "used_hash": used}
        for key in sorted(wanted)
        for used in sorted(set(HASH.findall(wanted[key])) - {key})
    ]
    db_rows.insert(conn, _USES, uses)
    return hashes


def get_text(conn: sa.Connection, content_hash: str) -> str:
    """Return the text.

    :raises orch.errors.NotFound: nothing has that hash
    """
    return get_many(conn, [content_hash])[content_hash]


def get_many(
    conn: sa.Connection, hashes: collections.abc.Iterable[str]
) -> dict[str, str]:
    """Return the texts by their hashes.

    :raises orch.errors.NotFound: nothing has one of the hashes
    """
    wanted = set(hashes)
    found = find_many(conn, wanted)
    missing = wanted - found.keys()
    if missing:
        raise errors.NotFound(f"There is no content {min(missing)}.")
    return found


def find_many(
    conn: sa.Connection, hashes: collections.abc.Iterable[str]
) -> dict[str, str]:
    """Return those of the texts that are there, by their hashes."""
    return {
        key: zlib.decompress(body).decode(*_ENCODING)
        for batch in db_rows.batches(sorted(set(hashes)))
        for key, body in conn.execute(
            sa.select(_TABLE.c.hash, _TABLE.c.body).where(
                _TABLE.c.hash.in_(batch)
            )
        )
    }
