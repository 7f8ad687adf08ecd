"""Left-over physical resources: they exist, and no stack has them any more."""

import collections.abc
import dataclasses
import enum

from orch import clock
from orch import ids
from orch.model import resource


class Cause(enum.StrEnum):
    """Why the engine has left a physical resource in place.

    ``ORPHANED`` and ``SKIPPED`` by request; ``RETURNED``: it had vanished,
    and has come back, or another one has its id; ``UNREADABLE``: it had
    vanished, and whether it has come back cannot be read; ``SURPLUS``: calls
    whose answers were lost may have made it, and it cannot be removed.
    """

    ORPHANED = "orphaned"
    SKIPPED = "skipped"
    RETURNED = "returned"
    UNREADABLE = "unreadable"
    SURPLUS = "surplus"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A physical resource that a stack has left in place for good.

    :ivar id: that of the resource, and the token by which its service may
        know what was made for it
    :ivar stack_id: the root of its stack
    :ivar stack_name: the name of that
    :ivar holder_name: the name of its stack, of which its names in services
        are made
    :ivar path: names of resources from the root stack down to it
    :ivar physical_id: ``None`` where the outcome of its creation is unknown
    :ivar id_scope: as of its resource
    :ivar attempt: as of its resource
    :ivar cause: why it was left
    :ivar reason: the last that was known of it, for people
    :ivar created_at: when the resource was
    :ivar left_at: since when no stack has it
    :ivar operation_id: the operation that left it
    :ivar sweep_id: the stack whose deletion removes it
    """

    id: ids.ResourceId
    project_id: str
    stack_id: ids.StackId
    stack_name: str
    holder_name: str
    path: str
    name: str
    type_name: str
    mapped_type: str | None = None
    physical_id: str | None = None
    id_scope: str | None = None
    attempt: int = 0
    is_outcome_unknown: bool = False
    cause: Cause
    reason: str
    properties: collections.abc.Mapping[str, object]
    attributes: collections.abc.Mapping[str, object]
    data: collections.abc.Mapping[str, object]
    metadata: collections.abc.Mapping[str, object]
    created_at: clock.Timestamp
    left_at: clock.Timestamp
    operation_id: ids.OperationId | None = None
    sweep_id: ids.StackId | None = None

    @property
    def plugin_type(self) -> str:
        """Return the type of the plug-in that acts on it."""
        return self.mapped_type or self.type_name


@dataclasses.dataclass(frozen=True, slots=True)
class Departure:
    """A resource whose stack leaves its physical resource in place.

    :ivar row: as it was until then
    """

    row: resource.Resource
    cause: Cause
    reason: str
    left_at: clock.Timestamp
    operation_id: ids.OperationId


@dataclasses.dataclass(frozen=True, slots=True)
class Adopted:
    """A physical resource that a stack has adopted.

    :ivar id_scope: where its id is unique; ``None`` where that is not known
    """

    plugin_type: str
    physical_id: str
    id_scope: str | None


def is_left(row: resource.Resource) -> bool:
    """Whether a resource that is forgotten may leave something behind.

    What was not adopted yet was never the stack's, and what is to be retained
    stays where its template wants it.
    """
    return (
        (row.is_there or row.may_have_surplus)
        and row.external_id is None
        and not row.is_unadopted
        and row.deletion_policy.lower() != "retain"
    )
