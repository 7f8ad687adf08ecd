"""A credential: what logs in to the cloud for a stack, without its user."""

import dataclasses
import enum

from orch import clock
from orch import ids


class Method(enum.StrEnum):
    """How a user lets a worker act in the user's name."""

    TRUST = "trust"
    APPLICATION = "app_credential"


class State(enum.StrEnum):
    """The state of a credential.

    :cvar PENDING: asked for, and used by no stack yet
    :cvar ACTIVE: its stack logs in with it
    :cvar STALE: nothing logs in with it any more; it is to be revoked
    """

    PENDING = "PENDING"
    ACTIVE = "ACTIVE"
    STALE = "STALE"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What the rows say of one credential.

    :ivar id: also what it is known by in the cloud, from before it is there
    :ivar root_id: the outermost stack of the tree that logs in with it
    :ivar project_id: where it is good
    :ivar user_id: whose it is
    :ivar sealed: encrypted: what logs in; empty while it is not known whether
        the cloud has it
    :ivar stale_at: since when nothing new logs in with it
    :ivar due_at: not before then is it looked at again
    :ivar tries: how often it could not be revoked
    """

    id: str
    root_id: ids.StackId
    project_id: str
    user_id: str
    method: Method
    state: State = State.PENDING
    sealed: str = ""
    created_at: clock.Timestamp
    stale_at: clock.Timestamp | None = None
    due_at: clock.Timestamp
    tries: int = 0
