"""Hand-overs of abandoned stacks between projects of one installation."""

import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import methods
from orch.rpc.contract import requests
from orch.rpc.contract import rest
from orch.rpc.contract import stacks

HAND_OVER_STATES: typing.Final = ("abandoning", "failed", "offered", "taken")
"""What a hand-over may be. Its abandonment is in progress or has failed, it
can be taken over, or the stack that has taken it over exists."""


class OfferFacts(typing.TypedDict):
    """The state of an abandonment for another project, without its document.

    ``is_stopping``: what runs was told to end, and has not; ask again, the
    other keys are missing meanwhile. ``token``: of the abandonment.
    ``receiver_id``: the project that may take it over. ``expires_at``: until
    when. ``accepted``: the operation that abandons, while it is not complete.
    """

    is_stopping: bool
    token: typing.NotRequired[str]
    receiver_id: typing.NotRequired[str]
    expires_at: typing.NotRequired[float]
    accepted: typing.NotRequired[identity.Accepted]


class HandOverFacts(typing.TypedDict):
    """A stack that one project has abandoned for another one.

    :ivar id: of the abandoned stack
    :ivar name: of the abandoned stack
    :ivar direction: ``outgoing`` for the project that abandons it,
        ``incoming`` for the one that may take it over
    :ivar project_id: the project that abandons it
    :ivar receiver_id: the project that may take it over
    :ivar resource_count: resources of all its levels
    :ivar offered_at: since when
    :ivar expires_at: when its document is removed
    :ivar taken_by: id of the stack that has taken it over; null for none
    """

    id: str
    name: str
    direction: typing.Annotated[str, rest.Words(("incoming", "outgoing"))]
    state: typing.Annotated[str, rest.Words(HAND_OVER_STATES)]
    project_id: typing.Annotated[str, rest.Name("from_project")]
    receiver_id: typing.Annotated[str, rest.Name("to_project")]
    resource_count: rest.Count
    offered_at: rest.Time
    expires_at: rest.Time
    taken_by: str | None


class TakeOverRequest(typing.TypedDict):
    """A stack to be made of one that was handed over.

    ``hand_over``: id of the abandoned stack. The others are those of an
    adoption.
    """

    name: str
    hand_over: str
    inputs: requests.StackInputs
    options: requests.StackOptions
    request: requests.AdoptionOptions


@methods.namespace("hand_over")
class HandOvers(typing.Protocol):
    """Hand-overs of stacks to other projects."""

    @methods.changes()
    def offer(
        self, ctxt: request.RequestContext, stack_id: str, receiver_id: str
    ) -> OfferFacts:
        """Accept the abandonment of a stack, and offer it to a project.

        :raises orch.errors.Conflict: another project has taken it over
        """

    @methods.reads()
    def list(
        self,
        ctxt: request.RequestContext,
        *,
        limit: int | None = None,
        marker: str | None = None,
    ) -> list[HandOverFacts]:
        """Return those of the caller's project, the newest first."""

    @methods.changes()
    def withdraw(self, ctxt: request.RequestContext, stack_id: str) -> None:
        """Offer an abandoned stack to no project any more.

        :raises orch.errors.NotFound: this caller offers no such stack
        :raises orch.errors.Conflict: it is taken over
        """

    @methods.changes(once=True)
    def take_over(
        self,
        ctxt: request.RequestContext,
        **wanted: typing.Unpack[TakeOverRequest],
    ) -> identity.Accepted:
        """Accept the adoption of a stack that was handed over.

        :raises orch.errors.NotFound: none such is offered to this caller
        :raises orch.errors.Conflict: it cannot be taken over now
        """

    @methods.changes()
    def preview(
        self,
        ctxt: request.RequestContext,
        **wanted: typing.Unpack[TakeOverRequest],
    ) -> stacks.StackFacts:
        """Return the stack that ``take_over`` would create.

        It has ``resources`` and ``plan``.
        """
