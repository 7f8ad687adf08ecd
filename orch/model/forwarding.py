"""Signal addresses of abandoned stacks, and signals to forward.

Whoever lives in a thing goes on using the address it was given, until it has
learnt the one at which the stack is now.
"""

import collections.abc
import dataclasses
import enum
import typing

from orch import clock
from orch import ids

Values = collections.abc.Mapping[str, object]

MAX_HOPS: typing.Final = 8
"""How often a signal is passed on: stacks may move more than once."""


class Kind(enum.StrEnum):
    """What an address is for.

    The first two take signals, the last one is polled; their values are
    those of ``orch.context.seals``.
    """

    SIGNAL = "signal"
    WAIT_CONDITION = "waitcondition"
    METADATA = "metadata"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """What the rows say of one address.

    :ivar stack_id: of the stack that held the resource
    :ivar origin_id: of the outermost stack, which was let go of
    :ivar path: names of resources from the outermost stack inwards
    :ivar server_id: the server that polls it, or whose agent signals it
    :ivar new_address: ``None`` until the receiving installation has told
    :ivar host: host and port of the new address
    :ivar metadata: of a polled address: the metadata of the resource
    :ivar agent: the configuration of the agent, as it was
    :ivar new_agent: as the receiving installation has it
    :ivar waiting: signals that are not passed on yet
    :ivar next_number: of the next signal
    :ivar attempts: that have failed in a row
    :ivar next_at: when the first that waits is due; ``None`` where none is
    :ivar problem: why the last attempt failed, or a signal was refused
    :ivar used_at: when it was last used, here
    :ivar notified_at: when the new address was last told, here
    :ivar announced_at: when the receiver wrote down the new address
    :ivar successor_id: the stack of this installation that a hand-over has
        made of the root stack; ``None`` for none
    """

    stack_id: ids.StackId
    resource_id: ids.ResourceId
    origin_id: ids.StackId
    project_id: str
    path: collections.abc.Sequence[str]
    type_name: str
    kind: Kind
    old_address: str
    server_id: str | None = None
    new_address: str | None = None
    host: str | None = None
    metadata: Values = dataclasses.field(default_factory=dict)
    agent: Values | None = None
    new_agent: Values | None = None
    waiting: int = 0
    next_number: int = 1
    attempts: int = 0
    next_at: clock.Timestamp | None = None
    problem: str = ""
    used_at: clock.Timestamp | None = None
    notified_at: clock.Timestamp | None = None
    announced_at: clock.Timestamp | None = None
    created_at: clock.Timestamp
    successor_id: ids.StackId | None = None

    def has_moved(self, now: clock.Timestamp, quiet_s: float) -> bool:
        """Answer whether whoever used it knows the new address.

        It was told, and nothing came here for so long.
        """
        if self.notified_at is None or self.waiting:
            return False
        return now - max(self.notified_at, self.used_at or 0.0) >= quiet_s


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A signal that waits to be passed on.

    :ivar number: signals of a resource go in this order
    :ivar signal_id: by which the receiver knows it again
    :ivar details: the JSON value that was sent
    :ivar hops: how often it was passed on before
    """

    stack_id: ids.StackId
    resource_id: ids.ResourceId
    number: int
    signal_id: str
    details: object
    hops: int = 0
    came_at: clock.Timestamp


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an adopted stack came from.

    :ivar origin_id: what it was called there
    :ivar key: proves to that installation who has adopted it
    """

    stack_id: ids.StackId
    origin_id: str
    key: str
    created_at: clock.Timestamp
