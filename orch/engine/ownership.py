"""Register existing physical resources, each in one stack of the installation.

The rows are stored when the request is accepted, before anything runs: from
then on no other stack can adopt the same physical resources.
"""

import collections.abc
import dataclasses
import json
import typing

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import contents
from orch.db.repositories import resources
from orch.engine import claims
from orch.engine import document_leftovers
from orch.engine import misfits
from orch.flow.state import new_rows
from orch.model import adoption
from orch.model import operation
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.plugin import registry
from orch.template import template
from orch.template.resources import declaration as declarations

_UNFINISHED: typing.Final = (
    "Its creation was not complete where the stack comes from"
)

Entries = misfits.Entries
Declared = misfits.Declared


def rows_of(
    operation: operation.Operation,
    declared: Declared,
    entries: Entries,
    check_type: declarations.CheckType,
) -> list[resource.Resource]:
    """Return rows of the adopted entries that have an id or are stacks.

    A resource with ``external_id`` is only read: its declaration adopts it.

    :raises orch.errors.Forbidden: who asks may not have a type of them
    """
    return [
        _row(operation, known, entry, check_type)
        for name, entry in entries.items()
        if (known := declared.get(name)) is not None
        and known.external_id is None
        and entry.has_something
    ]


def store_rows(
    connection: db_engine.Connection,
    claimant: claims.Claimant,
    rows: collections.abc.Sequence[resource.Resource],
) -> None:
    """Store rows of physical resources that an operation may adopt.

    :raises orch.errors.OrchError: see :func:`orch.engine.claims.claim`
    """
    if not rows:
        return
    claimed = claims.claim(connection, claimant, rows)
    # Rows of adoptions that failed are stored before.
    earlier = resources.list_column(
        connection,
        "taken_from",
        claimant.operation.stack_id,
        [row.id for row in rows],
    )
    resources.save_many(connection, claimed)
    resources.set_column(
        connection,
        "taken_from",
        [(row, row.taken_from) for row in claimed if row.id in earlier],
    )


def store_child(
    connection: db_engine.Connection,
    operation: operation.Operation,
    around: stack_model.Stack,
    parsed_template: template.Template,
    document: collections.abc.Mapping[str, object],
    types: registry.Types,
    check_type: declarations.CheckType,
) -> operation.Operation:
    """Store the rows of a child stack that is adopted.

    Its options are those of the adoption of its parent.

    :param around: the parent stack
    :param types: the installed ones
    :returns: the adoption, with the documents of its own child stacks
    :raises orch.engine.misfits.Mismatched: entries do not fit its template,
        and are to be refused
    :raises orch.errors.OrchError: see :func:`orch.engine.claims.claim`
    """
    found = adoption.parse_document(document, needs_template=False)
    declared, entries = parsed_template.resources, found.entries
    unfit = misfits.find_misfits(declared, entries, operation.options)
    claimant = claims.claimant_of(
        connection, operation, parsed_template, types, parent=around
    )
    rows = rows_of(operation, declared, entries, check_type)
    store_rows(connection, claimant, rows)
    document_leftovers.store_leftovers(
        connection, claimant, found.leftovers, rows, check_type
    )
    return with_options(
        operation,
        unfit.to_options(),
        child_documents(connection, declared, entries),
    )


def with_options(
    operation: operation.Operation,
    *more: collections.abc.Mapping[str, object],
) -> operation.Operation:
    """Return the operation with further options."""
    options = dict(operation.options)
    for each in more:
        options.update(each)
    return dataclasses.replace(operation, options=options)


def child_documents(
    connection: db_engine.Connection,
    declared: Declared,
    entries: Entries,
    known: adoption.Documents | None = None,
) -> dict[str, object]:
    """Store the documents of child stacks.

    :param known: those of earlier operations
    :returns: the options of the operation that name them
    """
    documents = {**(known or {}), **documents_of(declared, entries)}
    if not documents:
        return {}
    return {
        adoption.CHILD_STACKS: contents.save_texts(
            connection, [json.dumps(documents)]
        )[0]
    }


def documents_of(
    declared: Declared, entries: Entries
) -> dict[str, dict[str, object]]:
    """Return the documents of child stacks, by resource name."""
    return {
        name: dict(entry.document)
        for name, entry in entries.items()
        if entry.document is not None and name in declared
    }


def _row(
    operation: operation.Operation,
    declared: declarations.Declaration,
    entry: adoption.Entry,
    check_type: declarations.CheckType,
) -> resource.Resource:
    now = operation.created_at
    row = new_rows.new_row(
        ids.ResourceId(entry.token or ids.new()),
        declared,
        operation,
        operation.created_at,
        check_type,
    )
    if entry.is_unfinished:
        row = dataclasses.replace(
            row,
            action=states.Action.CREATE,
            status=states.Status.FAILED,
            status_reason=_UNFINISHED,
            is_outcome_unknown=entry.token is not None,
            updated_at=min(entry.updated_at or now, now),
        )
    return dataclasses.replace(
        row,
        physical_id=row.id if entry.has_no_id else entry.physical_id,
        data=entry.data,
        metadata=entry.metadata,
        signals=entry.signals,
        created_at=_created_at_of(operation, entry),
        is_at_rest=entry.is_at_rest,
        adopted_by=operation.id,
        is_unverified=True,
    )


def _created_at_of(
    operation: operation.Operation, entry: adoption.Entry
) -> clock.Timestamp:
    """Return when a resource was created: groups remove the oldest first."""
    if entry.created_at is None:
        return operation.created_at
    return min(entry.created_at, operation.created_at)
