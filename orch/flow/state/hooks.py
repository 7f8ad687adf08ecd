"""Hook calls around the run of an operation: before and after it.

The host decides who is called and what the answers mean. The runner makes the
calls, one after another, and holds no thread between them.
"""

import collections.abc
import typing

from orch.db import engine as db_engine
from orch.flow import call_pool
from orch.flow.state import conclusion
from orch.flow.state import parking
from orch.model import operation


class HookCall(typing.NamedTuple):
    """A hook call that is to be made now.

    :ivar function: run on a thread of the pool
    :ivar limit_s: seconds that it may take once it runs
    """

    function: collections.abc.Callable[[], object]
    limit_s: float


class HookTimeout(call_pool.HungCall):
    """A hook call gave no answer within its limit; it may still run."""

    code = "orch.lifecycle.hook_timeout"


class HookSequence(typing.Protocol):
    """Hook calls that are made one after another."""

    def advance(self) -> bool:
        """Go on to the next call.

        :returns: whether rows have to be written before the call
        """

    def next_call(self) -> HookCall | None:
        """Return the next call; ``None`` after the last one."""

    def take(self, answer: object, error: BaseException | None) -> None:
        """Handle the answer of the call, or its error."""


class PreHooks(HookSequence, typing.Protocol):
    """The hook calls before an operation starts."""

    @property
    def rejection_reason(self) -> str | None:
        """Return why the operation must not start, once that is known."""

    def side_writes(self) -> parking.SideWrites | None:
        """Return the side writes that park the operation, if it waits."""

    def look(self, side_writes: parking.SideWrites) -> None:
        """Take in the answers to a hold, as the side writes found them."""

    def open(self) -> None:
        """Note that the operation starts: no plug-in rejected it."""


class PostHooks(HookSequence, typing.Protocol):
    """The hook calls after the run of an operation."""

    @property
    def failure(self) -> str | None:
        """Return the failure that the first failed call means for it."""

    def know(self, stop_reason: operation.StopReason | None) -> None:
        """Store, before the first call, the stop reason of the operation."""


JournalEntry = collections.abc.Callable[
    [
        db_engine.Connection,
        operation.StopReason | None,
        conclusion.Conclusion | None,
    ],
    None,
]
"""Writes the progress of the calls, and the operation's end if it came."""


class Journal(typing.Protocol):
    """The record of the hook calls, written with the rows of the run."""

    def take(self) -> JournalEntry | None:
        """Return, once, the entry that is to be written."""

    def of(self, name: str) -> collections.abc.Mapping[str, object]:
        """Return the decisions on a resource, by plug-in."""

    @property
    def is_empty(self) -> bool:
        """Whether no decision exists in the tree of the stack."""
