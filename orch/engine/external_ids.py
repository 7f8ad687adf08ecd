"""Physical ids that a request gives for resources of the template.

They stand in the request, or in the section of that name of its environment,
which is not stored. A name with slashes is that of a resource in a child
stack: ``mid/leaf/b``.
"""

import collections.abc
import dataclasses
import typing

from orch import redacted
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.engine import claims
from orch.engine import misfits
from orch.engine import ownership
from orch.engine import sources
from orch.engine import verification
from orch.engine.execution import planning
from orch.model import adoption
from orch.model import operation
from orch.model import resource
from orch.model import states
from orch.plugin import registry
from orch.rpc import contract
from orch.template import template
from orch.template.resources import declaration as declarations

_PLACE = "external_ids"
_MAX_LISTED = 500
_CREATING: typing.Final = frozenset(
    {states.Action.INIT, states.Action.CREATE, states.Action.ADOPT}
)

Ids = collections.abc.Mapping[str, object]


def entries_of(
    parsed_template: template.Template, options: contract.StackOptions
) -> ownership.Entries:
    """Return the ids of a request as entries of a document, by name.

    Those beside the environment take precedence.

    :raises orch.model.adoption.BadDocument: the layout is wrong
    """
    given = {
        **_nested(parsed_template.external_ids),
        **_nested(options.get("external_ids") or {}),
    }
    return adoption.entries(given, _PLACE)


def store(
    connection: db_engine.Connection,
    wanted: operation.Operation,
    parsed_template: template.Template,
    options: contract.StackOptions,
    types: registry.Types,
    check_type: declarations.CheckType,
) -> operation.Operation:
    """Store the rows of what a creation or an update adopts.

    :param types: the installed ones
    :returns: the operation, with the options of its adoption
    :raises orch.engine.misfits.Mismatched: a resource is complete with
        another id, or is not declared
    :raises orch.errors.OrchError: see :func:`orch.engine.claims.claim`
    """
    request = options.get("adoption", {})
    wanted = ownership.with_options(wanted, verification.options_of(request))
    if wanted.action is not states.Action.CREATE:
        wanted = verification.remember(connection, wanted)
    entries = entries_of(parsed_template, options)
    # Those of earlier requests may remain for child stacks.
    if not entries and adoption.OWNED not in wanted.options:
        return wanted
    claimant = claims.claimant_of(connection, wanted, parsed_template, types)
    if entries:
        claims.check_document(types, entries)
        _check_declared(parsed_template.resources, entries)
        wanted = _store(connection, claimant, entries, check_type)
    return sources.with_sources(connection, claimant, wanted)


def correct_child(
    connection: db_engine.Connection,
    wanted: operation.Operation,
    parsed_template: template.Template,
    document: adoption.Values,
    types: registry.Types,
    check_type: declarations.CheckType,
) -> operation.Operation:
    """Store the ids that a request gives for a child stack that exists.

    :returns: the child's operation, with the documents of its own children
    :raises orch.errors.Invalid: as :func:`store` does
    """
    entries = adoption.parse_document(document, needs_template=False).entries
    _check_declared(parsed_template.resources, entries)
    claimant = claims.claimant_of(connection, wanted, parsed_template, types)
    return _store(connection, claimant, entries, check_type)


def _store(
    connection: db_engine.Connection,
    claimant: claims.Claimant,
    entries: ownership.Entries,
    check_type: declarations.CheckType,
) -> operation.Operation:
    wanted = claimant.operation
    declared = claimant.parsed_template.resources
    current = {
        row.name: row
        for row in resources.list_(connection, wanted.stack_id)
        if row.is_current
    }
    fresh = {
        name: entry
        for name, entry in entries.items()
        if not _has_already(current.get(name), entry)
    }
    found = misfits.find_misfits(declared, fresh, wanted.options)
    rows = ownership.rows_of(wanted, declared, fresh, check_type)
    ownership.store_rows(
        connection, claimant, _in_place(connection, wanted, rows, current)
    )
    return ownership.with_options(
        wanted,
        {
            adoption.OTHER_TYPES: {
                **_types_of_others(wanted, fresh),
                **found.types,
            },
            adoption.CORRECTS: sorted(
                name
                for name, entry in fresh.items()
                if entry.document is not None and _is_begun(current.get(name))
            ),
        },
        ownership.child_documents(
            connection,
            declared,
            fresh,
            planning.load_documents(connection, wanted),
        ),
    )


def _types_of_others(
    wanted: operation.Operation, fresh: ownership.Entries
) -> dict[str, object]:
    """Return the remembered types of resources that get no other id."""
    known = wanted.options.get(adoption.OTHER_TYPES)
    return {
        name: type_name
        for name, type_name in (
            known if isinstance(known, dict) else {}
        ).items()
        if name not in fresh
    }


def _is_begun(row: resource.Resource | None) -> bool:
    """Whether the child stack of a resource exists."""
    return row is not None and row.physical_id is not None


def _has_already(row: resource.Resource | None, entry: adoption.Entry) -> bool:
    """Whether a resource has the physical resource already."""
    return (
        row is not None
        and row.is_in_place
        and entry.physical_id is not None
        and row.physical_id == entry.physical_id
    )


def _nested(given: Ids) -> dict[str, object]:
    """Return ids with those of child stacks as documents in documents.

    :raises orch.engine.misfits.Mismatched: a resource has an id and a path
        into it
    """
    found: dict[str, object] = {}
    for path, value in given.items():
        *stacks, name = str(path).split("/")
        level = found
        for each in stacks:
            below = level.setdefault(each, {"resources": {}})
            if not isinstance(below, dict) or not isinstance(
                below.get("resources"), dict
            ):
                raise misfits.Mismatched(
                    f"external_ids gives an id for {each[:255]}, and for a"
                    " resource in it."
                )
            level = below["resources"]
        level[name] = value
    return found


def _check_declared(
    declared: ownership.Declared, entries: ownership.Entries
) -> None:
    wrong = sorted(
        name
        for name, entry in entries.items()
        if name not in declared
        or declared[name].external_id is not None
        or not entry.has_something
    )
    if wrong:
        raise misfits.Mismatched(
            "external_ids names what the template does not declare, or gives"
            f" no id: {redacted.cut(', '.join(wrong), _MAX_LISTED)}."
        )


def _in_place(
    connection: db_engine.Connection,
    wanted: operation.Operation,
    rows: collections.abc.Sequence[resource.Resource],
    current: collections.abc.Mapping[str, resource.Resource],
) -> list[resource.Resource]:
    """Return the rows to store; one whose adoption failed is replaced.

    A child stack whose adoption failed stays as it is: the ids are for the
    resources in it.

    :raises orch.engine.misfits.Mismatched: a resource is complete, or an
        operation of the stack is in progress
    """
    is_idle = not operations.find_open(connection, wanted.stack_id)
    taken = sorted(
        row.name
        for row in rows
        if row.name in current
        and not (is_idle and _may_be_another(current[row.name]))
    )
    if taken:
        raise misfits.Mismatched(_why_taken(current, taken, is_idle=is_idle))
    found = []
    for row in rows:
        before = current.get(row.name)
        if before is None:
            found.append(row)
        elif row.physical_id is not None or before.physical_id is None:
            found.append(
                dataclasses.replace(
                    row, id=before.id, created_at=before.created_at
                )
            )
    return found


def _why_taken(
    current: collections.abc.Mapping[str, resource.Resource],
    taken: collections.abc.Sequence[str],
    *,
    is_idle: bool,
) -> str:
    """Return what to do about ids of resources that have one."""
    listed = redacted.cut(
        ", ".join(
            f"{name} (with the id {current[name].physical_id})"
            for name in taken
        ),
        _MAX_LISTED,
    )
    reason = (
        f"external_ids names resources that the stack has already: {listed}"
    )
    if not is_idle:
        return (
            f"{reason}. An operation of the stack is in progress: wait for its"
            " end, then give the ids again."
        )
    return (
        f"{reason}. To put another physical resource in such a place: give the"
        " resource deletion_policy Retain, update the stack without it, and"
        " then once more with it and external_ids."
    )


def _may_be_another(row: resource.Resource) -> bool:
    """Whether a resource may become another physical resource.

    Nothing is known to stand of one whose creation failed.
    """
    return row.is_unadopted or (
        row.action in _CREATING and not row.is_complete and not row.is_there
    )
