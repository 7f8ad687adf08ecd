# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: stacks."""

import dataclasses
import datetime

from orchclient import response_parser


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A resource that waits.

    :ivar kind: what it waits for: retry, signal or breakpoint
    :ivar path: names of the resources that lead to it, ``mid/leaf/b``
    :ivar reason: why the last call failed, or the breakpoint
    :ivar next_try_at: when it goes on by itself
    """

    kind: str
    path: str
    reason: str = ""
    next_try_at: datetime.datetime | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "Wait":
        """Return the value that a body describes."""
        return cls(
            kind=response_parser.required_text(body, "kind"),
            path=response_parser.required_text(body, "path"),
            reason=response_parser.get_text(body, "reason"),
            next_try_at=response_parser.find_time(body, "next_try_at"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """What a stack in progress waits for, in child stacks too.

    :ivar reason: a sentence; the status reason says it, too
    :ivar next_try_at: when the first of the resources goes on by itself
    :ivar resources: the first few of them
    :ivar others: how many more there are
    """

    reason: str = ""
    next_try_at: datetime.datetime | None = None
    resources: tuple[Wait, ...] = ()
    others: int = 0

    @classmethod
    def of(cls, body: response_parser.Json) -> "Blocked":
        """Return the value that a body describes."""
        return cls(
            reason=response_parser.get_text(body, "reason"),
            next_try_at=response_parser.find_time(body, "next_try_at"),
            resources=response_parser.get_values(body, "resources", Wait.of),
            others=response_parser.get_integer(body, "others"),
        )
