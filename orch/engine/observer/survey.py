"""Survey the physical resources of a stack's tree before an update.

The whole tree is read at once: a type that lists is called once for all of it,
and a child stack is only visited where a resource in it is not as it was after
our last change.
"""

import collections.abc
import contextlib
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.context import outside
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.engine import plugin_reads
from orch.engine.observer import reality_reader
from orch.engine.queries import lookup
from orch.flow.state import contexts
from orch.model import repair
from orch.model import resource as model_resource
from orch.model import retry_exclusions
from orch.model import stack
from orch.model import states
from orch.planner import drift
from orch.planner import survey as surveys
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import registry

_NO_SLOT: typing.Final = contextlib.nullcontext()
"""For what calls no service."""
WAITING_LIMIT_S: typing.Final = 15.0
"""Seconds that all calls may take while a caller waits for the answer."""

_Rows = collections.abc.Sequence[model_resource.Resource]
_Stacks = collections.abc.Mapping[ids.StackId, stack.Stack]


class Surveyor:
    """Makes the surveys that updates use; one for each worker."""

    def __init__(
        self,
        database: db_engine.Database,
        types: registry.Types,
        clock_: clock.Clock,
    ) -> None:
        """Read nothing yet.

        :param types: the installed ones: child stacks are not physical
            resources
        """
        self._database = database
        self._types = types
        self._clock = clock_
        self._reads = plugin_reads.PluginReads(clock_=clock_)

    def survey(
        self,
        stack: stack.Stack,
        requested_by: request.RequestContext,
        *,
        is_awaited: bool = False,
        only: repair.Repair | None = None,
        converges: bool = True,
    ) -> surveys.Survey:
        """Return the observed state of a stack's and its children's resources.

        It blocks for the time that the calls take. What cannot be read is
        among the answers, with the reason. What has failed a check is checked
        again.

        :param requested_by: the context in which the services are called
        :param is_awaited: a caller waits for the answer
        :param only: the only repairs to make; ``None`` for everything
        :param converges: false to read only what has failed a check
        :raises orch.project_slots.SlotsTaken: too many requests wait
        """
        tree, rows, begun, failed = self._database.query(
            lambda connection: _load(connection, stack, only, converges)
        )
        if only is not None:
            rows = [row for row in rows if row.id in only.only]
            failed = [row for row in failed if row.id in only.only]
        reads = outside.awaited().slot() if converges or failed else _NO_SLOT
        with reads:
            reader = reality_reader.RealityReader(
                self._types,
                lambda row: contexts.build_context(
                    tree[row.stack_id], row, requested_by
                ),
                self._clock,
                self._reads,
                whole_limit_s=(
                    WAITING_LIMIT_S
                    if is_awaited
                    else reality_reader.WHOLE_LIMIT_S
                ),
            )
            checked = self._inspect(reader, failed)
            unconfirmed = {
                row_id
                for row_id, each in checked.items()
                if not _is_confirmed(each.fault)
            }
            inspected = {
                row_id: each.fault if each.reality is None else each.reality
                for row_id, each in checked.items()
                if row_id in unconfirmed
                or isinstance(each.fault, reality.Vanished)
            }
            answers: dict[ids.ResourceId, reality.Answer] = {}
            if converges:
                # What gives a check no answer may be read all the same.
                unanswered = [
                    row
                    for row in failed
                    if row.id in unconfirmed and checked[row.id].fault
                ]
                answers = inspected | {
                    row_id: answer
                    for row_id, answer in reader.read(
                        [*rows, *unanswered]
                    ).items()
                    if answer is not None or row_id not in inspected
                }
        if only is not None:
            answers = only.narrowed(answers)
        return surveys.Survey(
            answers,
            inspected,
            frozenset(
                {
                    *self._find_drifted(stack, tree, rows, answers),
                    *_find_holders(
                        stack, tree, [row for row in begun if not row.is_gone]
                    ),
                }
            ),
            None
            if only is None
            else frozenset(only.only)
            .difference(unconfirmed - answers.keys())
            .union(row.id for row in begun),
            frozenset(unconfirmed),
        )

    def _inspect(
        self, reader: reality_reader.RealityReader, rows: _Rows
    ) -> dict[ids.ResourceId, call_context.Inspection]:
        """Return what checks of rows find now; stacks check themselves."""
        found: dict[ids.ResourceId, call_context.Inspection] = {}
        for name in {row.plugin_type for row in rows}:
            plugin = self._types.find(name)
            if plugin is None or (
                plugin.is_nested_stack or plugin.resumes_creation
            ):
                continue
            found |= reader.inspect(
                plugin, [row for row in rows if row.plugin_type == name]
            )
        return found

    def _find_drifted(
        self,
        stack: stack.Stack,
        tree: _Stacks,
        rows: _Rows,
        answers: reality_reader.Answers,
    ) -> collections.abc.Iterator[ids.ResourceId]:
        """Yield resources whose child stacks have drifted, at any depth."""
        for row in rows:
            if row.is_current and drift.has_drifted(
                self._types, row, answers.get(row.id)
            ):
                yield from _find_holders(stack, tree, [row])


def _find_holders(
    stack: stack.Stack, tree: _Stacks, rows: _Rows
) -> collections.abc.Iterator[ids.ResourceId]:
    """Yield the resources of a stack, and below, that have rows inside.

    A child stack has the id of its resource.
    """
    for row in rows:
        current = tree.get(row.stack_id)
        while current is not None and current.id != stack.id:
            yield ids.ResourceId(current.id)
            current = tree.get(ids.StackId(current.parent_id or ""))


def _load(
    connection: db_engine.Connection,
    stack: stack.Stack,
    only: repair.Repair | None,
    converges: bool,
) -> tuple[_Stacks, _Rows, _Rows, _Rows]:
    """Return the stacks at and below one, with the rows that can be read.

    :param converges: false to load only what has failed a check
    :returns: also the rows that repairs have begun and not completed, or
        removed, where only some are repaired; and those that a check has
        failed
    """
    known = {
        each.id: each
        for each in lookup.stacks_below(connection, stack)
        if each.deleted_at is None
    }
    list_rows = (
        resources.list_of_stacks if converges else resources.list_failed_checks
    )
    rows = list_rows(connection, list(known))
    readable = [row for row in rows if surveys.is_readable(row)]
    failed = [row for row in rows if row.is_current and row.has_failed_check]
    if only is None:
        return known, readable, [], failed
    changed = [row for row in rows if row.is_gone or not row.is_complete]
    skipped = {
        each.id: retry_exclusions.RetryExclusions.of(each.options).skip
        for each in operations.list_some(
            connection,
            {row.operation_id for row in changed if row.operation_id},
        )
        if repair.OPTION in each.options
        and each.state is not states.OperationState.COMPLETE
    }
    return (
        known,
        readable,
        [
            row
            for row in changed
            if row.operation_id in skipped
            and row.name not in skipped[row.operation_id]
        ],
        failed,
    )


def _is_confirmed(fault: errors.OrchError | None) -> bool:
    """Whether a fault says that a physical resource is gone or has failed.

    What gives no answer is not replaced.
    """
    if isinstance(fault, plugin_reads.ReadFailed):
        return False
    return isinstance(fault, errors.NotFound) or (
        isinstance(fault, errors.Permanent) and fault.is_verdict
    )
