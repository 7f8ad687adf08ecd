"""Create child stacks: several in one transaction."""

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
from orch.engine.nested import child_requests
from orch.engine.nested import children
from orch.engine.nested import new_types
from orch.engine.nested import stages as nested_stages
from orch.engine.nested import tree_size
from orch.flow.state import fence
from orch.flow.state import submit
from orch.model import lifecycle
from orch.model import operation as operation_model
from orch.model import resource as model_resource
from orch.model import stack
from orch.model import states
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.template import errors as template_errors
from orch.template import inputs as template_inputs
from orch.template import template
from orch.template.resources import declaration

_BATCH: typing.Final = 32
"""Child stacks that a transaction accepts.

The first of many shall not wait until all are read.
"""

Values = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class Acting:
    """The parent's operation that changes the child stacks.

    :ivar ttl_s: seconds for which each write renews its lease
    :ivar is_undecided: returns whether no lifecycle plug-in has decided
        anything in the tree, nor will while the operation runs
    """

    operation: operation_model.Operation
    held: fence.Fence
    ttl_s: float
    is_undecided: collections.abc.Callable[[], bool] = lambda: False


@dataclasses.dataclass(frozen=True, slots=True)
class _NewChild:
    """A child stack that is to be created.

    :ivar data: the data that its resource stores
    :ivar is_whole: it is created in one stage
    """

    request: child_requests.ChildRequest
    data: Values
    is_whole: bool


@dataclasses.dataclass(frozen=True, slots=True)
class RestoredChild:
    """What a child stack is restored from.

    :ivar snapshot_id: the child stack's snapshot
    :ivar data: the data that its resource had
    """

    snapshot_id: str
    data: Values


class ChildCreation(children.ChildStacks):
    """The child stacks that an operation creates."""

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
        """Prepare the child stacks of a stack.

        :param parsed_template: the template that it is to have; ``None`` where
            no resource is to remain
        :param rows: its resources, where a plan is built of them
        """
        super().__init__(
            around,
            stack,
            parsed_template,
            rows=rows,
            requested_by=requested_by,
        )
        self._acting = acting
        # Child stacks that were requested and not looked at since.
        self._unseen: set[str] = set()
        # The hashes of template and environment that child stacks have once
        # their last stage is reached.
        self._last_stages: dict[str, tuple[str, str]] = {}
        # Why the tree may not grow any more.
        self._too_large: template_errors.TooLarge | None = None
        # The data of the resources of child stacks that are accepted, and for
        # which the call has not come yet.
        self._made: dict[str, Values] = {}

    def make(
        self,
        plugin: nested_stack.NestedStackResource,
        contexts: collections.abc.Iterable[call_context.Context],
    ) -> None:
        """Accept the creation of new child stacks, several in a transaction.

        One that cannot be accepted so is left to ``ChildOperations.bring``.
        Once a batch would exceed the tree's limit of resources, that batch and
        all further ones are left to it too.
        """
        left = [each for each in contexts if each.name not in self._restored]
        while left and self._too_large is None:
            batch, left = left[:_BATCH], left[_BATCH:]
            makings = [
                found
                for each in batch
                if (found := self._find_making(plugin, each)) is not None
            ]
            try:
                if makings:
                    self._make(makings)
            except template_errors.TooLarge:
                return

    def _find_making(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
    ) -> _NewChild | None:
        """Return the new child stack; ``None`` if it needs its own request."""
        if plugin.fetches_definition:
            # It may take long, and must not hold the others up.
            return None
        try:
            data = plugin.data_of(context, ())
            context = dataclasses.replace(context, data=data)
            stages = self._stages(plugin, context, ())
            nested_stages.check_pauses(self._stack, stages[0])
            inputs = self._inputs(plugin, context, stages[0])
            parsed_template = self._load_valid(context, inputs)
            new_types.check_types(parsed_template, self._check_type)
        except errors.OrchError:
            return None
        operation = self._operation(
            context, states.Action.CREATE, options_of(data)
        )
        request = child_requests.ChildRequest(
            context, operation, inputs, parsed_template, stages[0].timeout_s
        )
        return _NewChild(request, data, is_whole=len(stages) == 1)

    def _make(self, makings: collections.abc.Sequence[_NewChild]) -> None:
        """Accept child stacks; this worker runs as many as it can.

        Those need no wake-up of other workers, and no read of the new rows.
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

    def _load_valid(
        self, context: call_context.Context, inputs: template_inputs.Inputs
    ) -> template.Template:
        """Return the template that a child stack is to have.

        :raises orch.errors.OrchError: it is wrong, or states more resources
            than a tree may have
        """
        loaded = self._load(context, inputs)
        loaded.validate(declaration.check_with_rows)
        child = dataclasses.replace(self._stack, id=ids.StackId(context.token))
        self._tree_size.check_stated(
            child, loaded, self._around.limits.resources
        )
        return loaded

    @property
    def _tree_size(self) -> tree_size.TreeSize:
        around = self._around
        return tree_size.TreeSize(
            around.database, self.types_of, around.reads, self._requested_by
        )

    def _note_requested(
        self, token: str, stack: stack.Stack, is_whole: bool
    ) -> None:
        """Record that a child stack was requested, and its final hashes.

        :param is_whole: whether no further stage follows
        """
        self._unseen.add(token)
        if is_whole:
            self._last_stages[token] = (
                stack.template_hash,
                stack.environment_hash,
            )

    def take_unseen(self, context: call_context.Context) -> bool:
        """Whether a child stack was just requested; true only once.

        The first look needs no query: the caller is woken when the child's
        operation has ended.
        """
        was_unseen = context.token in self._unseen
        self._unseen.discard(context.token)
        return was_unseen

    def goes_back(self, name: str) -> bool:
        """Whether a child stack is to be restored from a snapshot."""
        return name in self._restored

    @functools.cached_property
    def _restored(self) -> dict[str, RestoredChild]:
        """What child stacks are restored from, by resource."""
        operation = self._acting.operation
        if not is_restoration(operation):
            return {}
        snapshot_id = str(operation.options.get(planning.SNAPSHOT))
        found = self._around.database.query(
            lambda connection: snapshots.find(connection, snapshot_id)
        )
        rows = found.resources() if found else []
        return {
            row.name: RestoredChild(
                str(row.snapshot_data[child_requests.SNAPSHOT]), row.data
            )
            for row in rows
            if row.snapshot_data
            and child_requests.SNAPSHOT in row.snapshot_data
        }

    def _operation(
        self,
        context: call_context.Context,
        action: states.Action,
        options: Values | None = None,
    ) -> operation_model.Operation:
        """Return a child operation of this operation."""
        more = dict(options or {})
        if self._acting.is_undecided():
            more[lifecycle.UNDECIDED] = True
        return child_requests.operation_of(
            self._acting.operation,
            self._stack,
            context,
            action,
            self._around.clock,
            more,
        )


def options_of(data: Values) -> Values:
    """Return the options that store the data of a resource."""
    return {child_requests.DATA: dict(data)} if data else {}


def is_restoration(operation: operation_model.Operation) -> bool:
    """Whether an operation restores a stack from a snapshot.

    The creation of a child stack does, if the one of that time is deleted.
    """
    return planning.SNAPSHOT in operation.options and operation.action in (
        states.Action.RESTORE,
        states.Action.CREATE,
    )
