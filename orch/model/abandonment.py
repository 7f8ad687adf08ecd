"""An abandonment: an abandoned stack and its document."""

import collections.abc
import dataclasses

from orch import clock
from orch import ids


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Abandonment:
    """What the rows say of one abandonment.

    :ivar id: the token by which what was prepared is committed
    :ivar project_id: whose stack it is or was
    :ivar basis: the state of the stack that the document shows
    :ivar document: the stack as Heat exports it, secrets in clear text
    :ivar operation_id: the operation that lets go; ``None`` while the
        abandonment is prepared only
    """

    id: str
    stack_id: ids.StackId
    project_id: str
    basis: str
    document: collections.abc.Mapping[str, object]
    operation_id: ids.OperationId | None = None
    created_at: clock.Timestamp


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HandOver:
    """An abandonment without its document, as it is handed over.

    :ivar project_id: whose stack it is or was
    :ivar receiver_id: the project that may take it over; ``None`` for none
    :ivar offered_at: since when
    :ivar stack_name: set with ``receiver_id``
    :ivar resource_count: of all levels; set with ``receiver_id``
    :ivar taken_by: the last stack that was made of it, which may be gone
    """

    id: str
    stack_id: ids.StackId
    project_id: str
    operation_id: ids.OperationId
    created_at: clock.Timestamp
    receiver_id: str | None
    offered_at: clock.Timestamp | None
    stack_name: str | None
    resource_count: int | None
    taken_by: ids.StackId | None
