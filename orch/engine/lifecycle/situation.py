"""What lifecycle plug-ins are shown an operation from.

Settings, rows, and verb, cause and caller of the request.
"""

import collections.abc
import dataclasses

from orch import clock
from orch.engine.execution import planning
from orch.flow.state import restoration
from orch.flow.state import store as state_store
from orch.model import adoption
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import states
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order

OperationOf = collections.abc.Callable[
    [lifecycle_order.OrderedPlugin], lifecycle_operation.LifecycleOperation
]
"""Returns the operation as one plug-in sees it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Situation:
    """What the views for plug-ins are built from: an operation and its stack.

    :ivar loaded: what its plan depends on
    :ivar store: its rows, always the current ones
    :ivar path: of its stack in the tree
    :ivar decided: decisions in the tree, by plug-in, then by path; always the
        current ones
    :ivar run: the calls that it is shown for; ``None`` for no call
    """

    operation: operation_model.Operation
    loaded: planning.Loaded
    store: state_store.Store
    path: str
    decided: collections.abc.Mapping[str, collections.abc.Mapping[str, object]]
    run: model.Run | None = None


ShowOperation = collections.abc.Callable[
    [Situation, lifecycle_operation.OperationRequest, str], OperationOf
]
"""Returns what plug-ins see in a phase, from a request and its situation."""


@dataclasses.dataclass(frozen=True, slots=True)
class HookSettings:
    """Settings for the calls of one worker.

    :ivar members: the plug-ins of the worker
    :ivar show: builds the views of operations
    :ivar hold_limit_s: seconds after which a hold counts as rejected, unless
        the plug-in sets a deadline
    """

    members: lifecycle_order.PluginOrder
    show: ShowOperation
    clock: clock.Clock
    hold_limit_s: float

    def new_run(
        self,
        operation: operation_model.Operation,
        verb: str,
        members: collections.abc.Iterable[lifecycle_order.OrderedPlugin],
    ) -> model.Run:
        """Return the calls of a request, with no plug-in called yet."""
        return model.Run(
            operation_id=operation.id,
            attempt=operation.attempt,
            verb=verb,
            stack_id=operation.stack_id,
            project_id=operation.project_id,
            chain=tuple(each.name for each in members),
            began_at=self.clock.now(),
        )


def verb_of(operation: operation_model.Operation) -> str:
    """Return the verb of the request that an operation was accepted from.

    An update of a stack of which nothing was created yet creates it.
    """
    if operation.options.get(adoption.ABANDONS):
        return "abandon"
    action = operation.action
    if action is states.Action.UPDATE and restoration.begins_stack(operation):
        action = states.Action.CREATE
    return action.value.lower()


def request_info(
    operation: operation_model.Operation, verb: str
) -> lifecycle_operation.OperationRequest:
    """Return a request as plug-ins see it."""
    origin = operation.origin
    request_id = operation.context.get("request_id")
    return lifecycle_operation.OperationRequest(
        operation_id=operation.id,
        action=operation.action.value,
        verb=verb,
        attempt=operation.attempt,
        project_id=operation.project_id,
        cause=origin.cause,
        user_id=origin.requester.user_id or "",
        user_name=origin.requester.user_name or "",
        roles=origin.requester.roles,
        policy_user_id=origin.policy_setter.user_id or "",
        policy_user_name=origin.policy_setter.user_name or "",
        request_id=str(request_id) if request_id else "",
    )
