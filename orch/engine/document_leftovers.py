"""Physical resources that were replaced and still exist, in a document.

They belong to the stack that adopts the document, as resources whose removal
has failed: its next update, or its deletion, removes them. One that another
stack owns by then, or that is a resource of the document too, is left alone.
"""

import collections.abc
import dataclasses
import typing

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import ownership
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import claims
from orch.flow.state import claims as run_claims
from orch.flow.state import new_rows
from orch.model import adoption
from orch.model import marked
from orch.model import operation
from orch.model import resource
from orch.model import states
from orch.template.resources import declaration as declarations

_REASON: typing.Final = (
    "It was replaced where the stack comes from, and not removed there"
)

Entry = dict[str, object]


def write_leftovers(
    connection: db_engine.Connection,
    rows: collections.abc.Iterable[resource.Resource],
) -> list[Entry]:
    """Return the entries of what was replaced and still exists.

    Of a child stack those of all that it has, at all depths.
    """
    return [
        entry
        for row in rows
        if not row.is_current and not row.is_gone and row.is_there
        for entry in _entries(connection, row)
    ]


def outcome_of(row: resource.Resource) -> Entry:
    """Return what an entry says of a creation with an unknown outcome."""
    if row.physical_id is not None or not row.is_outcome_unknown:
        return {}
    return {
        "is_outcome_unknown": True,
        "token": row.id,
        "updated_at": row.updated_at,
    }


def store_leftovers(
    connection: db_engine.Connection,
    claimant: claims.Claimant,
    found: collections.abc.Sequence[adoption.Leftover],
    current: collections.abc.Iterable[resource.Resource],
    check_type: declarations.CheckType,
) -> None:
    """Store the rows of what remains to be removed.

    :param claimant: the stack that adopts the document
    :param current: the stored rows of the resources of the document
    :param check_type: checks types for who asked for the operation
    :raises orch.errors.Forbidden: who asks may not have a type of them
    """
    if not found:
        return
    ownership.decide_alone(connection)
    keys = [_key_of(claimant, each) for each in found]
    owned = {
        key
        for key, owners in run_claims.find_owners(
            connection, claimant.types, filter(None, keys)
        ).items()
        if any(each.is_in(claimant.project_id) for each in owners)
    }
    tokens = [each.entry.token for each in found if each.entry.token]
    taken = ownership.find_tokens(connection, tokens)
    names = {row.name: row.id for row in current}
    ids_by_token = {
        each.token: ids.ResourceId(ids.new()) for each in found if each.token
    }
    rows = [
        dataclasses.replace(
            _row(claimant.operation, each, names, ids_by_token, check_type),
            id_scope=key.id_scope if key is not None else None,
        )
        for each, key in zip(found, keys, strict=True)
    ]
    resources.save_many(
        connection,
        [
            row
            for row, key in zip(rows, keys, strict=True)
            if key not in owned and row.id not in taken
        ],
    )


def _key_of(
    claimant: claims.Claimant, found: adoption.Leftover
) -> ownership.PhysicalKey | None:
    """Return what a leftover is; ``None`` where its id is not known."""
    if found.entry.physical_id is None:
        return None
    scope = claims.scope_of(claimant, found.plugin_type, found.properties)
    return ownership.PhysicalKey(
        found.plugin_type, found.entry.physical_id, scope
    )


def _entries(
    connection: db_engine.Connection, row: resource.Resource
) -> list[Entry]:
    held = stacks.find(connection, ids.StackId(row.physical_id or row.id))
    if held is None or held.parent_id != row.stack_id:
        return [_entry(row)]
    return [
        entry
        for each in resources.list_(connection, held.id)
        if not each.is_gone and each.is_there
        for entry in _entries(connection, each)
    ]


def _entry(row: resource.Resource) -> Entry:
    """Return the entry of one; it has what the removal depends on."""
    found: Entry = {
        "name": row.name,
        "resource_id": row.physical_id,
        "type": row.type_name,
        "action": row.action.value,
        "status": row.status.value,
        "metadata": dict(row.metadata),
        "resource_data": dict(row.data),
        "created_at": row.created_at,
        "deletion_policy": row.deletion_policy,
        "properties": dict(row.properties),
        "token": row.id,
        "requires": list(row.required_ids),
        **outcome_of(row),
    }
    if row.mapped_type is not None:
        found["mapped_type"] = row.mapped_type
    if marked.paths_of(row.properties):
        found["sensitive_properties"] = [
            list(path) for path in marked.paths_of(row.properties)
        ]
    return found


def _row(
    adopting: operation.Operation,
    found: adoption.Leftover,
    names: collections.abc.Mapping[str, ids.ResourceId],
    ids_by_token: collections.abc.Mapping[str, ids.ResourceId],
    check_type: declarations.CheckType,
) -> resource.Resource:
    """Return the row of one: replaced, and its removal has failed."""
    entry = found.entry
    row_id = ids_by_token.get(found.token) or ids.ResourceId(ids.new())
    if entry.token is not None:
        # The service is asked by it.
        row_id = ids.ResourceId(entry.token)
    declared = declarations.Declaration(
        name=found.name,
        type_name=found.plugin_type,
        declared_type=entry.type_name,
        deletion_policy=found.deletion_policy,
    )
    row = new_rows.new_row(
        row_id, declared, adopting, adopting.created_at, check_type
    )
    return dataclasses.replace(
        row,
        physical_id=entry.physical_id,
        is_outcome_unknown=entry.token is not None,
        properties=found.properties,
        data=entry.data,
        metadata=entry.metadata,
        updated_at=entry.updated_at or adopting.created_at,
        action=states.Action.DELETE,
        status=states.Status.FAILED,
        status_reason=_REASON,
        # Where nothing took its place, it is in the place of nothing.
        replaced_by=names.get(row.name, row_id),
        required_ids=tuple(
            ids_by_token[each]
            for each in found.requires
            if each in ids_by_token
        ),
        adopted_by=adopting.id,
    )
