"""The rows of a move: which may move, and how they change."""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import errors
from orch.context import request
from orch.flow.state import contexts
from orch.model import breakpoints
from orch.model import marked
from orch.model import resource
from orch.model import stack
from orch.plugin import registry

Names = collections.abc.Mapping[str, str]
"""Names of resources that move: in the source, to in the target."""


def rename_references(
    rows: collections.abc.Sequence[resource.Resource],
    names: Names,
    source: stack.Stack,
    target: stack.Stack,
    types: registry.Types,
    ctxt: request.RequestContext,
) -> list[resource.Resource]:
    """Return the rows, still in the source, with the names of the target.

    Only properties by which a type finds another resource are changed.
    """
    after = _find_references(rows, names, source, target, types, ctxt)
    return [_rename_row(row, after, types) for row in rows]


def _find_references(
    rows: collections.abc.Iterable[resource.Resource],
    names: Names,
    source: stack.Stack,
    target: stack.Stack,
    types: registry.Types,
    ctxt: request.RequestContext,
) -> dict[str, str]:
    """Return the references in the target for those in the source."""
    found = {}
    for row in rows:
        plugin = types.find(row.plugin_type)
        if plugin is None:
            continue
        there = dataclasses.replace(row, name=names[row.name])
        before, after = (
            plugin.reference_id(contexts.build_context(stack, each, ctxt))
            for stack, each in ((source, row), (target, there))
        )
        found.update({before: after, row.name: there.name})
    return found


def _rename_row(
    row: resource.Resource,
    references: collections.abc.Mapping[str, str],
    types: registry.Types,
) -> resource.Resource:
    plugin = types.find(row.plugin_type)
    name = plugin and (plugin.refers_to or plugin.listens_to)
    value = row.properties.get(name) if name else None
    if not name or not isinstance(value, str):
        return row
    properties = marked.merge(
        row.properties, {name: references.get(value, value)}
    )
    return dataclasses.replace(row, properties=properties)


Rows = collections.abc.Sequence[resource.Resource]

_WAITS: typing.Final = (breakpoints.WAITING, breakpoints.RELEASED)


class CannotMove(errors.Conflict):
    """The move is not possible; nothing was changed."""

    code = "orch.move.refused"


def choose_rows(
    source: stack.Stack,
    target: stack.Stack,
    source_rows: Rows,
    target_rows: Rows,
    names: Names,
) -> list[resource.Resource]:
    """Return the rows that are to move, as they are.

    :raises CannotMove: one does not exist, is not complete, or its name is
        taken
    """
    if len(set(names.values())) < len(names):
        raise CannotMove(
            "Two resources would have the same name in the target; give each"
            " another one."
        )
    taken = {row.name for row in target_rows if not row.is_gone}
    for name in names.values():
        if name in taken:
            raise CannotMove(
                f"Stack {target.name} has a resource {name} already; move"
                " under another name."
            )
    return [_choose_row(source, source_rows, name) for name in names]


def _choose_row(
    source: stack.Stack, rows: Rows, name: str
) -> resource.Resource:
    found = [row for row in rows if row.name == name]
    if not found:
        raise CannotMove(f"Stack {source.name} has no resource {name}.")
    if len(found) > 1:
        raise CannotMove(
            f"Resource {name} of stack {source.name} was replaced, and what"
            " it replaced is still there: update the stack first."
        )
    row = found[0]
    if not (row.is_current and row.is_in_place and row.is_complete):
        raise CannotMove(
            f"Resource {name} of stack {source.name} is"
            f" {row.action}_{row.status}; only what is complete can move."
        )
    if row.is_at_rest or row.is_outcome_unknown:
        raise CannotMove(
            f"Resource {name} of stack {source.name} rests, or is not known"
            " well enough; resume the stack, or check it, first."
        )
    if any(state in _WAITS for state in row.hooks.values()):
        raise CannotMove(
            f"A breakpoint of resource {name} of stack {source.name} waits;"
            " clear it first."
        )
    return row


def moved_rows(
    rows: Rows, names: Names, target: stack.Stack, now: clock.Timestamp
) -> list[resource.Resource]:
    """Return the rows that move as they are in the target.

    Of their dependencies only those that move too remain.
    """
    known = {row.id for row in rows}
    return [
        dataclasses.replace(
            row,
            stack_id=target.id,
            name=names[row.name],
            requires=tuple(
                names[each] for each in row.requires if each in names
            ),
            required_ids=tuple(
                each for each in row.required_ids if each in known
            ),
            hooks={},
            updated_at=now,
        )
        for row in rows
    ]


def remaining_rows(rows: Rows, gone: Rows) -> list[resource.Resource]:
    """Return the rows that stay, without dependencies on moved ones."""
    gone_ids = {row.id for row in gone}
    gone_names = {row.name for row in gone}
    return [
        dataclasses.replace(
            row,
            requires=tuple(
                each for each in row.requires if each not in gone_names
            ),
            required_ids=tuple(
                each for each in row.required_ids if each not in gone_ids
            ),
        )
        for row in rows
        if row.id not in gone_ids
    ]
