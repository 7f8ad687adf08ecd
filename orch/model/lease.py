"""A lease: the right to do something alone, until it expires."""

import dataclasses

from orch import clock
from orch import ids


@dataclasses.dataclass(frozen=True, slots=True)
class Lease:
    """Who may act, until when, and under which fence.

    :ivar name: an operation's id, or the name of a worker-wide duty
    :ivar fence: a number that only grows; a write that bears an older one
        touches no row
    :ivar expires_at: by the database's clock
    """

    name: str
    owner: ids.WorkerId
    fence: int
    expires_at: clock.Timestamp


@dataclasses.dataclass(frozen=True, slots=True)
class Taken:
    """By whom an operation is run from the moment on that it is accepted.

    :ivar ttl_s: seconds that its lease holds at first
    :ivar settings_number: of the plug-in settings that the worker has
    """

    worker_id: ids.WorkerId
    ttl_s: float
    settings_number: int = 0
