"""Facts of snapshots."""

import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import methods
from orch.rpc.contract import requests
from orch.rpc.contract import rest


class SnapshotFacts(typing.TypedDict):
    """A stored state of a stack.

    Sensitive values are redacted in it.

    :ivar status: IN_PROGRESS, COMPLETE or FAILED
    :ivar data: the stack of that time, laid out as an export; empty while it
        is taken
    """

    id: str
    name: str | None
    status: str
    status_reason: typing.Annotated[str, rest.HIDDEN]
    created_at: typing.Annotated[rest.Time, rest.Name("creation_time")]
    data: dict[str, object]


class SnapshotBegun(typing.TypedDict):
    """A snapshot that was accepted, and the operation that takes it."""

    snapshot: SnapshotFacts
    accepted: identity.Accepted


@methods.namespace("snapshot")
class Snapshots(typing.Protocol):
    """Snapshots of stacks."""

    # Its use case stores the answer to an idempotency key itself.
    @methods.changes()
    def create(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        name: str | None,
        options: requests.StackOptions,
    ) -> SnapshotBegun:
        """Accept a snapshot of a stack durably.

        :raises orch.errors.Conflict: another action is in progress
        """

    @methods.reads()
    def list(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> list[SnapshotFacts]:
        """Return the snapshots of a stack, the oldest first."""

    @methods.reads()
    def show(
        self, ctxt: request.RequestContext, stack_id: str, snapshot_id: str
    ) -> SnapshotFacts:
        """Return one snapshot of a stack.

        :raises orch.errors.NotFound: the stack has no such snapshot
        """

    @methods.changes()
    def delete(
        self, ctxt: request.RequestContext, stack_id: str, snapshot_id: str
    ) -> None:
        """Delete a snapshot with all its stored data.

        :raises orch.errors.NotFound: the stack has no such snapshot
        :raises orch.errors.Unavailable: a part of it still exists
        """

    @methods.changes(once=True)
    def restore(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        snapshot_id: str,
        options: requests.StackOptions,
    ) -> identity.Accepted:
        """Accept the restoration of a stack from a snapshot durably.

        :raises orch.errors.NotFound: the stack has no such snapshot
        :raises orch.errors.Conflict: the snapshot is not complete
        """
