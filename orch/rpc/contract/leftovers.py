"""Facts of left-over physical resources."""

import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import methods
from orch.rpc.contract import rest


class LeftoverQuery(typing.TypedDict, total=False):
    """Which left-over physical resources; every key may be missing.

    ``marker``: id of the last one of the page before. ``stack``: id or name of
    the root stack that left them. ``type``: of their resources. ``since``:
    left then or later, seconds since 1970.
    """

    limit: int | None
    marker: str | None
    stack: str | None
    type: str | None
    since: float | None


class SweepFacts(typing.TypedDict):
    """The sweep of a left-over physical resource that is not complete.

    :ivar stack: whose deletion removes it
    :ivar status: ``IN_PROGRESS`` or ``FAILED``
    :ivar reason: why, for people
    """

    stack: typing.Annotated[
        identity.StackIdentity, rest.Stack(id="stack_id", rel="stack")
    ]
    status: str
    reason: str


class LeftoverFacts(typing.TypedDict):
    """A physical resource that no stack has any more, and that remains.

    :ivar id: also the token by which its service may know it
    :ivar stack: the root of the stack that left it
    :ivar path: names of resources from that down to its resource
    :ivar physical_id: empty where the outcome of its creation is unknown
    :ivar is_outcome_unknown: it may exist
    :ivar cause: ``orphaned`` or ``skipped``: by request; ``returned``: it had
        vanished, and has come back, or another one has its id;
        ``unreadable``: it had vanished, and whether it has come back cannot be
        read; ``surplus``: calls whose answers were lost may have made it, and
        it could not be removed
    :ivar reason: the last status reason of its resource
    :ivar created_at: when its resource was created
    :ivar left_at: since when no stack has it
    :ivar sweep: its removal, once it was asked for; null before
    """

    id: str
    stack: typing.Annotated[
        identity.StackIdentity, rest.Stack(id="stack_id", rel="stack")
    ]
    path: str
    name: rest.ResourceName
    type_name: rest.ResourceType
    physical_id: rest.PhysicalId
    is_outcome_unknown: bool
    cause: typing.Annotated[
        str,
        rest.Words(
            ("orphaned", "skipped", "returned", "unreadable", "surplus")
        ),
    ]
    reason: str
    created_at: typing.Annotated[rest.Time, rest.Name("creation_time")]
    left_at: rest.Time
    sweep: SweepFacts | None


class OmittedFacts(typing.TypedDict):
    """A resource that the last operation of a stack has left out.

    :ivar how: ``skipped`` or ``orphaned``
    :ivar reason: its last status reason
    :ivar leftover_id: of its physical resource, where that remains and no
        stack has it any more; else null
    """

    name: rest.ResourceName
    how: typing.Annotated[str, rest.Words(("skipped", "orphaned"))]
    reason: str
    physical_id: rest.PhysicalId
    leftover_id: str | None


class Swept(typing.TypedDict):
    """A sweep that was accepted, and the operation that does it."""

    leftover: LeftoverFacts
    accepted: identity.Accepted


@methods.namespace("leftover")
class Leftovers(typing.Protocol):
    """Left-over physical resources of a project."""

    @methods.reads()
    def list(
        self, ctxt: request.RequestContext, query: LeftoverQuery
    ) -> list[LeftoverFacts]:
        """Return those of the caller's project, the newest first."""

    @methods.reads()
    def show(
        self, ctxt: request.RequestContext, leftover_id: str
    ) -> LeftoverFacts:
        """Return one of them.

        :raises orch.errors.NotFound: this caller has none such
        """

    @methods.changes(once=True)
    def sweep(self, ctxt: request.RequestContext, leftover_id: str) -> Swept:
        """Accept durably that it is removed.

        :raises orch.errors.NotFound: this caller has none such
        :raises orch.errors.Conflict: a stack owns it by now
        """

    @methods.changes()
    def forget(
        self, ctxt: request.RequestContext, leftover_id: str
    ) -> identity.Accepted | None:
        """Forget it; nothing is removed.

        :returns: the operation that abandons a sweep that has failed
        :raises orch.errors.NotFound: this caller has none such
        :raises orch.errors.Conflict: it is being swept
        """
