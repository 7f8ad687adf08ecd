"""Values of resources carry marks of what is sensitive in them.

What older rows hold was not marked. Where a template of their tree declares
hidden parameters, all that they hold counts as sensitive. What has the name
of a secret is, wherever it is, and needs no mark.

A child stack has marks in its inputs: which of its parameters were given
something sensitive, and which parts of its template were made of that. Nothing
older says so, and values that it works out again would lose their marks: all
that it was given counts as sensitive. Its inputs are stored under the hash of
their text, so they get another one, and what they were stays.

The documents come first, a few rows at a time. One that has marks stays as it
is, so that a walk that was cut off goes on when it is made again.
"""

import collections.abc
import hashlib
import json
import time
import typing
import zlib

import sqlalchemy as sa
from alembic import op

from orch.db import encryption
from orch.db import types
from orch.db.migrations import changes
from orch.model import marked

revision = "0010"
down_revision = "0009"

_BATCH = 200
_INDEX: typing.Final = "ix_resources_has_secrets"
_HIDING: typing.Final = (b"hidden", b"NoEcho")
"""One of these is in each template that declares hidden parameters."""
_SECRET_TYPES: typing.Final = (
    "AWS::IAM::AccessKey",
    "OS::Barbican::Secret",
    "OS::Heat::RandomString",
    "OS::Zaqar::SignedQueueURL",
)
"""Types that generate secrets, or read them, when this was written."""

_CONTENTS = sa.table(
    "contents",
    sa.column("hash", sa.String()),
    sa.column("body", changes.BLOB),
    sa.column("used_at", changes.MOMENT),
)
_USES = sa.table(
    "content_uses",
    sa.column("hash", sa.String()),
    sa.column("used_hash", sa.String()),
)
_STACKS = sa.table(
    "stacks",
    sa.column("id", sa.String()),
    sa.column("root_id", sa.String()),
    sa.column("parent_id", sa.String()),
    sa.column("template_hash", sa.String()),
    sa.column("good_template_hash", sa.String()),
    sa.column("environment_hash", sa.String()),
    sa.column("good_environment_hash", sa.String()),
    sa.column("deleted_at", changes.MOMENT),
)
_RESOURCES = sa.table(
    "resources",
    sa.column("stack_id", sa.String()),
    sa.column("name", sa.String()),
    sa.column("id", sa.String()),
    sa.column("type_name", sa.String()),
    sa.column("mapped_type", sa.String()),
    sa.column("properties", sa.Text()),
    sa.column("attributes", sa.Text()),
    sa.column("desired_properties", sa.Text()),
    sa.column("metadata", sa.Text()),
    sa.column("has_secrets", sa.Boolean()),
)
_KEYS: typing.Final = (
    _RESOURCES.c.stack_id,
    _RESOURCES.c.name,
    _RESOURCES.c.id,
)
_DOCUMENTS: typing.Final = (
    _RESOURCES.c.properties,
    _RESOURCES.c.attributes,
    _RESOURCES.c.desired_properties,
)
_INPUTS: typing.Final = ("environment_hash", "good_environment_hash")
_ENCODING: typing.Final = ("utf-8", "surrogatepass")


def upgrade() -> None:
    """Make the change; there is no way back."""
    stack_ids = _find_stacks()
    for start in range(0, len(stack_ids), _BATCH):
        _mark_documents(stack_ids[start : start + _BATCH])
        _mark_inputs(stack_ids[start : start + _BATCH])
    changes.must("resources", "has_secrets", sa.Boolean(), False)
    if _INDEX not in _index_names():
        op.create_index(
            _INDEX,
            "resources",
            ["stack_id", "has_secrets"],
            postgresql_where=sa.text("has_secrets"),
            sqlite_where=sa.text("has_secrets = 1"),
        )
    columns = _RESOURCES.c
    acts_on_it = sa.func.coalesce(columns.mapped_type, columns.type_name)
    _set_has_secrets(acts_on_it.in_(_SECRET_TYPES))
    for start in range(0, len(stack_ids), _BATCH):
        _set_has_secrets(
            columns.stack_id.in_(stack_ids[start : start + _BATCH])
        )
    _find_named()


def _index_names() -> set[str]:
    found = sa.inspect(op.get_bind()).get_indexes("resources")
    return {str(each["name"]) for each in found}


def _set_has_secrets(where: sa.ColumnElement[bool]) -> None:
    op.execute(sa.update(_RESOURCES).where(where).values(has_secrets=True))


def _find_named() -> None:
    """Set ``has_secrets`` of what holds a value with the name of a secret."""
    cipher = encryption.cipher_of(op.get_bind().dialect)
    for row in _read_pages(
        sa.select(*_KEYS, *_DOCUMENTS, _RESOURCES.c.metadata).where(
            ~_RESOURCES.c.has_secrets
        ),
        _KEYS,
    ):
        if any(
            any(marked.find_named(types.load(cipher.open(stored))))
            for stored in row[len(_KEYS) :]
            if stored is not None
        ):
            _set_has_secrets(_is_row(row))


def _is_row(
    row: sa.Row[*tuple[typing.Any, ...]],
) -> sa.ColumnElement[bool]:
    return sa.and_(
        *(column == key for column, key in zip(_KEYS, row, strict=False))
    )


def _find_stacks() -> list[str]:
    """Return the ids of all stacks in trees that hide anything."""
    bind = op.get_bind()
    hiding = _find_hiding()
    columns = _STACKS.c
    roots = {
        row.root_id
        for row in bind.execute(
            sa.select(
                columns.root_id,
                columns.template_hash,
                columns.good_template_hash,
                columns.environment_hash,
                columns.good_environment_hash,
            )
        )
        if not hiding.isdisjoint(row[1:])
    }
    live = bind.scalars(
        sa.select(columns.root_id)
        .distinct()
        .where(columns.deleted_at.is_(None))
    )
    roots.intersection_update(live)
    return [
        row.id
        for row in bind.execute(
            sa.select(columns.id, columns.root_id).order_by(columns.id)
        )
        if row.root_id in roots
    ]


def _find_hiding() -> set[str]:
    """Return the hashes of contents that hide, or that name one that does."""
    bind = op.get_bind()
    cipher = encryption.cipher_of(bind.dialect)
    columns = _CONTENTS.c
    found = {
        row.hash
        for row in _read_pages(
            sa.select(columns.hash, columns.body), (columns.hash,)
        )
        if _is_hiding(cipher, row.body)
    }
    uses = _USES.c
    named = {
        row.hash
        for row in _read_pages(
            sa.select(uses.hash, uses.used_hash), (uses.hash, uses.used_hash)
        )
        if row.used_hash in found
    }
    return found | named


def _is_hiding(cipher: encryption.Cipher, body: bytes) -> bool:
    """Whether a content hides; one that cannot be opened does."""
    try:
        text = zlib.decompress(cipher.open_bytes(bytes(body)))
    except (encryption.Unreadable, zlib.error):
        return True
    return any(word in text for word in _HIDING)


def _mark_documents(stack_ids: collections.abc.Sequence[str]) -> None:
    """Mark all that the resources of some stacks hold."""
    bind = op.get_bind()
    cipher = encryption.cipher_of(bind.dialect)
    for row in _read_pages(
        sa.select(*_KEYS, *_DOCUMENTS).where(
            _RESOURCES.c.stack_id.in_(stack_ids)
        ),
        _KEYS,
    ):
        changed = {
            column.name: written
            for column, stored in zip(
                _DOCUMENTS, row[len(_KEYS) :], strict=True
            )
            if (written := _add_marks(cipher, column.name, stored)) is not None
        }
        if changed:
            bind.execute(
                sa.update(_RESOURCES).where(_is_row(row)).values(changed)
            )


def _add_marks(
    cipher: encryption.Cipher, name: str, stored: str | None
) -> str | None:
    """Return a stored map with marks, sealed if it was.

    Attributes have a mark each, properties one for all of them.

    :param name: of the column
    :returns: ``None`` where there is nothing to mark
    """
    found = None if stored is None else types.load(cipher.open(stored))
    if stored is None or not isinstance(found, dict) or not found:
        return None
    paths = [[key] for key in found] if name == "attributes" else [[]]
    written = types.dump([found, paths])
    if stored.startswith(encryption.PREFIX):
        return cipher.seal(written)
    return written


def _mark_inputs(stack_ids: collections.abc.Sequence[str]) -> None:
    """Let the child stacks among these have marks in their inputs."""
    bind = op.get_bind()
    columns = _STACKS.c
    stacks = bind.execute(
        sa.select(columns.id, *(columns[name] for name in _INPUTS)).where(
            columns.id.in_(stack_ids),
            columns.parent_id.is_not(None),
            columns.deleted_at.is_(None),
        )
    ).all()
    hashes = _mark_environments({hash_ for row in stacks for hash_ in row[1:]})
    for row in stacks:
        changed = {
            name: hashes[hash_]
            for name, hash_ in zip(_INPUTS, row[1:], strict=True)
            if hash_ in hashes
        }
        if changed:
            bind.execute(
                sa.update(_STACKS).where(columns.id == row.id).values(changed)
            )


def _mark_environments(
    hashes: collections.abc.Collection[str | None],
) -> dict[str, str]:
    """Store environments of child stacks with marks.

    :returns: their new hashes by the old ones, without those that stay
    """
    cipher = encryption.cipher_of(op.get_bind().dialect)
    columns = _CONTENTS.c
    found = {}
    for row in _read_pages(
        sa.select(columns.hash, columns.body).where(
            columns.hash.in_(sorted(filter(None, hashes)))
        ),
        (columns.hash,),
    ):
        body = bytes(row.body)
        written = _add_input_marks(cipher, body)
        if written is None:
            continue
        found[row.hash] = hashlib.sha256(written).hexdigest()
        packed = zlib.compress(written)
        if body.startswith(encryption.BYTES_PREFIX):
            packed = cipher.seal_bytes(packed)
        _store_content(row.hash, found[row.hash], packed)
    return found


def _add_input_marks(cipher: encryption.Cipher, body: bytes) -> bytes | None:
    """Return the text of an environment with marks.

    :returns: ``None`` where there are some, where it is not that of a child
        stack, and where it cannot be read
    """
    try:
        text = zlib.decompress(cipher.open_bytes(body)).decode(*_ENCODING)
        document = json.loads(text)
    except (encryption.Unreadable, zlib.error, ValueError):
        return None
    around = document.get("around") if isinstance(document, dict) else None
    if not isinstance(around, dict) or "sensitive_parameters" in around:
        return None
    around["sensitive_parameters"] = sorted(document.get("parameters", ()))
    around["sensitive_parts"] = [[]]
    around["has_sensitive_facade"] = True
    return json.dumps(document, separators=(",", ":")).encode(*_ENCODING)


def _store_content(old: str, new: str, body: bytes) -> None:
    """Store a content that names what an older one names."""
    bind = op.get_bind()
    same = sa.select(_CONTENTS.c.hash).where(_CONTENTS.c.hash == new)
    if bind.scalar(same) is None:
        bind.execute(
            sa.insert(_CONTENTS).values(
                hash=new, body=body, used_at=time.time()
            )
        )
    columns = _USES.c
    named, known = (
        set(
            bind.scalars(
                sa.select(columns.used_hash).where(columns.hash == hash_)
            )
        )
        for hash_ in (old, new)
    )
    if named - known:
        bind.execute(
            sa.insert(_USES),
            [
                {"hash": new, "used_hash": each}
                for each in sorted(named - known)
            ],
        )


def _read_pages(
    found: sa.Select[*tuple[typing.Any, ...]],
    keys: collections.abc.Sequence[sa.ColumnElement[str]],
) -> collections.abc.Iterator[sa.Row[*tuple[typing.Any, ...]]]:
    """Yield all rows by their key, not many at a time.

    :param keys: the first columns of the rows
    """
    bind = op.get_bind()
    page = found.order_by(*keys).limit(_BATCH)
    batch = page
    while True:
        taken = bind.execute(batch).all()
        yield from taken
        if len(taken) < _BATCH:
            return
        batch = page.where(_is_past(keys, taken[-1][: len(keys)]))


def _is_past(
    keys: collections.abc.Sequence[sa.ColumnElement[str]],
    after: collections.abc.Sequence[str],
) -> sa.ColumnElement[bool]:
    """Whether a key comes after another one, without comparing tuples."""
    return sa.or_(
        *(
            sa.and_(
                *(c == k for c, k in zip(keys[:at], after, strict=False)),
                keys[at] > after[at],
            )
            for at in range(len(keys))
        )
    )
