"""What travels when resources move from one stack to another."""

import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import methods
from orch.rpc.contract import plans
from orch.rpc.contract import requests
from orch.rpc.contract import rest


class MoveRequest(typing.TypedDict):
    """What moves; the stack that it leaves is named beside.

    ``target``: name or id of the other stack, or a root stack and the
    resources that lead to it, ``a/b/c``. ``resources``: name here to name
    there. ``source_inputs``, ``target_inputs``: what the root stacks of both
    get, as in an update that keeps what it does not name; those of the target
    are empty where both have the same root.
    """

    target: str
    resources: dict[str, str]
    source_inputs: requests.StackInputs
    target_inputs: requests.StackInputs


class Moved(typing.TypedDict):
    """An accepted move: its resources and both stacks.

    The operation of a child stack is complete already.

    :ivar resources: names in the source, to names in the target
    :ivar updates: of the root stacks; source and target have them themselves
        unless they are child stacks
    """

    resources: dict[str, str]
    source: identity.Accepted
    target: identity.Accepted
    updates: list[identity.Accepted]


class MoveUpdate(typing.TypedDict):
    """What a root stack does after the move."""

    identity: typing.Annotated[
        identity.StackIdentity, rest.Stack(id="stack_id", rel="stack")
    ]
    plan: typing.Annotated[plans.PlanFacts, rest.INLINE]


class MovePreview(typing.TypedDict):
    """What both stacks would do after the move.

    :ivar resources: names in the source, to names in the target
    :ivar updates: what the root stacks do, which brings it about
    """

    resources: dict[str, str]
    source: plans.PlanFacts
    target: plans.PlanFacts
    updates: list[MoveUpdate]


@methods.namespace("move")
class Moves(typing.Protocol):
    """Moves of resources between stacks."""

    @methods.changes(once=True)
    def move(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        request: MoveRequest,
    ) -> Moved:
        """Accept a move durably; both stacks are updated then."""

    @methods.changes()
    def preview(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        request: MoveRequest,
    ) -> MovePreview:
        """Return the plans of the same move; nothing changes."""
