"""Calls around the run of an operation: before all of it, and behind it.

Who is called, and what the answers mean, is for the host to know. The runner
makes the calls, one after another, and holds no thread between them.
"""

import collections.abc
import typing

from orch.db import engine as db_engine
from orch.flow import call_pool
from orch.flow.state import conclusion
from orch.flow.state import parking
from orch.model import operation


class HookCall(typing.NamedTuple):
    """A call to be made now.

    :ivar function: run on a thread of the pool
    :ivar limit_s: seconds that it may take once it runs
    """

    function: collections.abc.Callable[[], object]
    limit_s: float


class HookTimeout(call_pool.HungCall):
    """A call gave no answer within its limit; it may still go on."""

    code = "orch.lifecycle.hook_timeout"


class HookSequence(typing.Protocol):
    """Calls that are made one after another."""

    @property
    def needs_write(self) -> bool:
        """Answer whether something has to be stored before the next call."""

    def next_call(self) -> HookCall | None:
        """Return the call to be made now; ``None`` when that was all."""

    def take(self, answer: object, error: BaseException | None) -> None:
        """Know what the call gave, or how it failed."""


class PreHooks(HookSequence, typing.Protocol):
    """The calls before anything of an operation is done."""

    @property
    def rejection_reason(self) -> str | None:
        """Return why the operation must not begin, once that is known."""

    def side_writes(self) -> parking.SideWrites | None:
        """Return how the operation waits for somebody, if it has to."""

    def look(self, side_writes: parking.SideWrites) -> None:
        """Know what somebody has answered, as the visit found it."""

    def open(self) -> None:
        """Know that the operation begins: nobody was against it."""


class PostHooks(HookSequence, typing.Protocol):
    """The calls behind the run of an operation."""

    @property
    def failure(self) -> str | None:
        """Return what the first one that failed means for it."""

    def know(self, stop_reason: operation.StopReason | None) -> None:
        """Know, before the first call, whether somebody wants it to end."""


JournalEntry = collections.abc.Callable[
    [
        db_engine.Connection,
        operation.StopReason | None,
        conclusion.Conclusion | None,
    ],
    None,
]
"""Writes how far the calls are; with the end of the operation, if it came."""


class Journal(typing.Protocol):
    """What is written of the calls, beside what the run has noted."""

    def take(self) -> JournalEntry | None:
        """Return, once, what is to be written."""

    def of(self, name: str) -> collections.abc.Mapping[str, object]:
        """Return what is decided for a resource, by plug-in."""

    @property
    def is_empty(self) -> bool:
        """Answer whether nothing is decided in the tree of the stack."""
