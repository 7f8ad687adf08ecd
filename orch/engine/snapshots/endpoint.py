"""RPC endpoint of the ``snapshot`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.snapshots import create as snapshot_create
from orch.engine.snapshots import delete as snapshot_delete
from orch.engine.snapshots import query
from orch.engine.snapshots import restore
from orch.rpc import contract


class Snapshots:
    """RPC methods of snapshots of stacks."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="snapshot", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def create(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        name: str | None,
        options: contract.StackOptions,
    ) -> contract.SnapshotBegun:
        """Accept a snapshot of a stack durably."""
        return snapshot_create.submit_snapshot(
            self._deps, ctxt, stack_id, name, options
        )

    def list(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> list[contract.SnapshotFacts]:
        """Return the snapshots of a stack, the oldest first."""
        return query.list_snapshots(self._deps, ctxt, stack_id)

    def show(
        self, ctxt: request.RequestContext, *, stack_id: str, snapshot_id: str
    ) -> contract.SnapshotFacts:
        """Return one snapshot of a stack."""
        return query.show_snapshot(self._deps, ctxt, stack_id, snapshot_id)

    def delete(
        self, ctxt: request.RequestContext, *, stack_id: str, snapshot_id: str
    ) -> None:
        """Delete a snapshot with all its stored data."""
        snapshot_delete.delete_snapshot(
            self._deps, ctxt, stack_id, snapshot_id
        )

    def restore(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        snapshot_id: str,
        options: contract.StackOptions,
    ) -> contract.Accepted:
        """Accept the restoration of a stack from a snapshot durably."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            restore.submit_restore,
            stack_id,
            snapshot_id,
            options,
        )
