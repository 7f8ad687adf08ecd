"""Makes stacks in a stack: several in one transaction."""

import collections.abc
import dataclasses
import functools
import typing

from orch import errors
from orch import ids
from orch.context import request as context_request
from orch.db import engine as db_engine
from orch.db.repositories import snapshots
from orch.engine.execution import planning
from orch.engine.nested import accept
from orch.engine.nested import children
from orch.flow.state import fence
from orch.flow.state import submit
from orch.model import lifecycle
from orch.model import operation as operation_model
from orch.model import resource as model_resource
from orch.model import stack
from orch.model import states
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.template import template

_BATCH: typing.Final = 32
"""How many inner stacks a transaction accepts: the first of many shall not
wait until all are read.
"""

Values = collections.abc.Mapping[str, object]


def is_undecided_unknown() -> bool:
    """Leave it to whoever runs the inner operation to look."""
    return False


@dataclasses.dataclass(frozen=True, slots=True)
class Acting:
    """The operation of the outer stack that changes the inner ones.

    :ivar ttl_s: for how long each write renews its lease
    :ivar is_undecided: answers whether no lifecycle plug-in has decided
        anything in the tree, nor will while this goes on
    """

    operation: operation_model.Operation
    held: fence.Fence
    ttl_s: float
    is_undecided: collections.abc.Callable[[], bool] = is_undecided_unknown


@dataclasses.dataclass(frozen=True, slots=True)
class _NewChild:
    """An inner stack that is to be made.

    :ivar data: what its holder remembers
    :ivar is_whole: it is made in one stage
    """

    request: accept.ChildRequest
    data: Values
    is_whole: bool


class ChildCreation(children.ChildStacks):
    """A stack that an operation changes, as stacks in it are made."""

    def __init__(
        self,
        around: children.NestedContext,
        stack: stack.Stack,
        parsed_template: template.Template | None,
        acting: Acting,
        *,
        rows: collections.abc.Iterable[model_resource.Resource] = (),
        requested_by: context_request.RequestContext,
    ) -> None:
        """Act on a stack.

        :param parsed_template: the template that it is to have; ``None`` where
            nothing is to be left
        :param rows: its resources, where a plan is made of them
        """
        super().__init__(
            around,
            stack,
            parsed_template,
            rows=rows,
            requested_by=requested_by,
        )
        self._acting = acting
        # Inner stacks that were asked for and not looked at since.
        self._unseen: set[str] = set()
        # What inner stacks are once their last stage is reached: the hashes
        # of template and environment.
        self._last_stages: dict[str, tuple[str, str]] = {}
        # What holders remember of inner stacks that are accepted, and for
        # which the call has not come yet.
        self._made: dict[str, Values] = {}

    def make(
        self,
        plugin: nested_stack.NestedStackResource,
        contexts: collections.abc.Iterable[call_context.Context],
    ) -> None:
        """Ask for inner stacks that nobody knows of, some a transaction.

        One that cannot be asked for so is left to ``Asking.bring``.
        """
        left = [each for each in contexts if each.name not in self._restored]
        while left:
            batch, left = left[:_BATCH], left[_BATCH:]
            makings = [
                found
                for each in batch
                if (found := self._find_making(plugin, each)) is not None
            ]
            if makings:
                self._make(makings)

    def _find_making(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
    ) -> _NewChild | None:
        """Return what one is to be; ``None`` where it cannot be."""
        if plugin.fetches_definition:
            # It may take long, and must not hold the others up.
            return None
        try:
            data = plugin.data_of(context, ())
            context = dataclasses.replace(context, data=data)
            stages = self._stages(plugin, context, ())
            self._check_pauses(stages[0])
            inputs = self._inputs(context, stages[0])
            parsed_template = self._load(context, inputs)
            parsed_template.validate()
        except errors.OrchError:
            return None
        operation = self._operation(
            context, states.Action.CREATE, options_of(data)
        )
        request = accept.ChildRequest(
            context, operation, inputs, parsed_template, stages[0].timeout_s
        )
        return _NewChild(request, data, is_whole=len(stages) == 1)

    def _make(self, makings: collections.abc.Sequence[_NewChild]) -> None:
        """Accept them; this worker runs as many as it has room for.

        Nobody has to be told of those, nor to read what was just written.
        """
        around, acting = self._around, self._acting
        taker = around.find_taker()
        since = around.clock.monotonic()
        taken, max_taken = taker.offer() if taker else (None, 0)

        def work(connection: db_engine.Connection) -> list[submit.Accepted]:
            accept.check_parent_lease(connection, acting.held, acting.ttl_s)
            return accept.accept_creations(
                connection,
                [each.request for each in makings],
                self._stack,
                around.limits,
                taken,
                max_taken,
            )

        accepted = around.database.run(work)
        waiting: list[ids.OperationId] = []
        for each, accepted_child in zip(makings, accepted, strict=False):
            token = each.request.context.token
            self._note_requested(token, accepted_child.stack, each.is_whole)
            self._made[token] = each.data
            around.templates.add(
                accepted_child.stack, each.request.parsed_template
            )
            if taker and accepted_child.operation.owner is not None:
                loaded = planning.Loaded(
                    accepted_child.stack,
                    (),
                    accepted_child.newest,
                    each.request.parsed_template,
                )
                taker.take(accepted_child.operation, loaded, since)
            else:
                waiting.append(accepted_child.operation.id)
        if waiting:
            around.wake(waiting)

    def _note_requested(
        self, token: str, stack: stack.Stack, is_whole: bool
    ) -> None:
        """Know that an inner stack was asked for, and what it then is.

        :param is_whole: no stage is to follow
        """
        self._unseen.add(token)
        if is_whole:
            self._last_stages[token] = (
                stack.template_hash,
                stack.environment_hash,
            )

    def take_unseen(self, context: call_context.Context) -> bool:
        """Answer whether an inner stack was only just asked for.

        It is the first look that does not look: whoever asks again is told
        when there is something to see.
        """
        was_unseen = context.token in self._unseen
        self._unseen.discard(context.token)
        return was_unseen

    def goes_back(self, name: str) -> bool:
        """Answer whether an inner stack is to return to a snapshot."""
        return name in self._restored

    @functools.cached_property
    def _restored(self) -> dict[str, str]:
        """The snapshots that inner stacks go back to, by their resources."""
        operation = self._acting.operation
        if operation.action is not states.Action.RESTORE:
            return {}
        snapshot_id = str(operation.options.get(planning.SNAPSHOT))
        found = self._around.database.query(
            lambda connection: snapshots.find(connection, snapshot_id)
        )
        rows = found.resources() if found else []
        return {
            row.name: str(row.snapshot_data[accept.SNAPSHOT])
            for row in rows
            if row.snapshot_data and accept.SNAPSHOT in row.snapshot_data
        }

    def _operation(
        self,
        context: call_context.Context,
        action: states.Action,
        options: Values | None = None,
    ) -> operation_model.Operation:
        """Return an operation that this one asks for."""
        more = dict(options or {})
        if self._acting.is_undecided():
            more[lifecycle.UNDECIDED] = True
        return accept.operation_of(
            self._acting.operation,
            self._stack,
            context,
            action,
            self._around.clock,
            more,
        )


def options_of(data: Values) -> Values:
    """Return the options that let a holder remember."""
    return {accept.DATA: dict(data)} if data else {}
