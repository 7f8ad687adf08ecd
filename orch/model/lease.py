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
