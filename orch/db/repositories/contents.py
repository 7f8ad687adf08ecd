"""Texts that are stored once: templates, environments, files."""

import collections.abc
import hashlib
import re
import zlib

import sqlalchemy as sa

from orch import errors
from orch.db import bulk
from orch.db import functions
from orch.db.models import contents

_TABLE = contents.CONTENTS
_USES = contents.CONTENT_USES

# A text that was put within this time is not written again, and the purge
# spares what was put within twice this time: so none disappears between
# being found here and being referred to.
FRESH_S = 3600.0

_PAGE = 1000

HASH = re.compile(r"\b[0-9a-f]{64}\b")


def hash_of(text: str) -> str:
    """Return the hash under which a text is stored: SHA-256, in hex."""
    return hashlib.sha256(_encoded(text)).hexdigest()


def save_texts(
    conn: sa.Connection, texts: collections.abc.Iterable[str]
) -> list[str]:
    """Store the texts that are not there yet.

    A text that names others by their hash, as an environment does with its
    files, keeps them from the purge.

    :returns: their hashes, in the order of the texts
    """
    bodies = [_encoded(text) for text in texts]
    hashes = [hashlib.sha256(body).hexdigest() for body in bodies]
    wanted = dict(zip(hashes, bodies, strict=True))
    for known in _find_fresh(conn, wanted):
        del wanted[known]
    if not wanted:
        return hashes
    now = functions.read_clock(conn)
    conn.execute(
        bulk.upsert(conn.dialect.name, _TABLE, ("used_at",)),
        [
            # In one order everywhere: two that store the same do not lock
            # each other out.
            {"hash": key, "body": zlib.compress(wanted[key]), "used_at": now}
            for key in sorted(wanted)
        ],
    )
    _note_uses(conn, wanted)
    return hashes


def get_text(conn: sa.Connection, content_hash: str) -> str:
    """Return the text.

    :raises orch.errors.NotFound: nothing has that hash
    """
    found = get_many(conn, [content_hash])
    return found[content_hash]


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
    wanted = sorted(set(hashes))
    found: dict[str, str] = {}
    for start in range(0, len(wanted), _PAGE):
        rows = conn.execute(
            sa.select(_TABLE.c.hash, _TABLE.c.body).where(
                _TABLE.c.hash.in_(wanted[start : start + _PAGE])
            )
        )
        for row in rows:
            found[row.hash] = _decoded(zlib.decompress(row.body))
    return found


def _note_uses(
    conn: sa.Connection, texts: collections.abc.Mapping[str, bytes]
) -> None:
    """Note which others each of the new texts names."""
    found = [
        {"hash": key, "used_hash": used}
        for key in sorted(texts)
        for used in sorted(set(HASH.findall(_decoded(texts[key]))) - {key})
    ]
    if found:
        conn.execute(bulk.insert_absent(conn.dialect.name, _USES), found)


def _find_fresh(
    conn: sa.Connection, hashes: collections.abc.Iterable[str]
) -> list[str]:
    return list(
        conn.scalars(
            sa.select(_TABLE.c.hash).where(
                _TABLE.c.hash.in_(list(hashes)),
                _TABLE.c.used_at > functions.now() - FRESH_S,
            )
        )
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(body: bytes) -> str:
    return body.decode("utf-8", "surrogatepass")
