"""Snapshots, asked for over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Snapshots(caller.Client):
    """The ``snapshot`` namespace."""

    namespace = "snapshot"

    def create(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        name: str | None,
        options: contract.StackOptions,
    ) -> contract.SnapshotBegun:
        """Return once the snapshot is accepted durably.

        :raises orch.errors.Conflict: another action is under way
        """
        begun = self._call(
            ctxt, "create", stack_id=stack_id, name=name, options=options
        )
        return typing.cast(contract.SnapshotBegun, begun)

    def list(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> list[contract.SnapshotFacts]:
        """Return the snapshots of a stack, the oldest first."""
        found = self._call(ctxt, "list", stack_id=stack_id)
        return typing.cast(list[contract.SnapshotFacts], found)

    def show(
        self, ctxt: request.RequestContext, stack_id: str, snapshot_id: str
    ) -> contract.SnapshotFacts:
        """Return one snapshot of a stack.

        :raises orch.errors.NotFound: the stack has no such snapshot
        """
        found = self._call(
            ctxt, "show", stack_id=stack_id, snapshot_id=snapshot_id
        )
        return typing.cast(contract.SnapshotFacts, found)

    def delete(
        self, ctxt: request.RequestContext, stack_id: str, snapshot_id: str
    ) -> None:
        """Return once nothing of the snapshot is left.

        :raises orch.errors.NotFound: the stack has no such snapshot
        :raises orch.errors.Unavailable: a part of it is still there
        """
        self._call(ctxt, "delete", stack_id=stack_id, snapshot_id=snapshot_id)

    def restore(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        snapshot_id: str,
        options: contract.StackOptions,
    ) -> contract.Accepted:
        """Return once the restoration is accepted durably.

        :raises orch.errors.NotFound: the stack has no such snapshot
        :raises orch.errors.Conflict: the snapshot is not complete
        """
        accepted = self._call(
            ctxt,
            "restore",
            stack_id=stack_id,
            snapshot_id=snapshot_id,
            options=options,
        )
        return typing.cast(contract.Accepted, accepted)
