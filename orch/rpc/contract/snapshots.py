"""Facts of snapshots."""

import typing

from orch.rpc.contract import identity


class SnapshotFacts(typing.TypedDict):
    """One snapshot; ``data``: the stack at that time, Heat's export.

    Hidden parameters are covered in it.
    """

    id: str
    name: str | None
    status: str
    status_reason: str
    created_at: float
    data: dict[str, object]


class SnapshotBegun(typing.TypedDict):
    """A snapshot that was accepted, and the operation that takes it."""

    snapshot: SnapshotFacts
    accepted: identity.Accepted
