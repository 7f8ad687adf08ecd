"""A service: one process of Orch that reports that it is alive."""

import dataclasses

from orch import clock
from orch import ids


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What a process says of itself, and when it last said so.

    :ivar report_interval_s: seconds between its reports; it counts as down
        after twice that
    """

    id: ids.WorkerId
    host: str
    binary: str
    topic: str
    report_interval_s: int
    created_at: clock.Timestamp
    updated_at: clock.Timestamp
