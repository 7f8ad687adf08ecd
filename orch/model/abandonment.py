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
