"""The messages that runners receive from other threads and themselves."""

import typing

from orch import ids
from orch.flow.tasks import base
from orch.planner import survey as surveys


class Begin(typing.NamedTuple):
    """Load and plan the operation, then start it."""


class Deadline(typing.NamedTuple):
    """The operation's time is over."""


class Stop(typing.NamedTuple):
    """Start no further call, and release the operation."""


class LeaseLost(typing.NamedTuple):
    """The lease is lost: write and call nothing more."""


class NextTick(typing.NamedTuple):
    """Another tick is due."""


class CheckRows(typing.NamedTuple):
    """The rows may have a new stop reason, release or signal: read them."""


class Poll(typing.NamedTuple):
    """Poll a waiting atom again."""

    atom: base.ChangeTask


class ChildEnded(typing.NamedTuple):
    """An operation of a child stack has ended."""

    resource_id: ids.ResourceId


class BatchDue(typing.NamedTuple):
    """Answers need not wait for further ones any more."""


class PollEnded(typing.NamedTuple):
    """Poll the atoms whose child stacks have ended."""


class PollSignalled(typing.NamedTuple):
    """Poll an atom that waits for a signal, unless polled meanwhile."""

    atom: base.ChangeTask
    number: int


class SignalsQuiet(typing.NamedTuple):
    """No signal may have come for a while to the atoms that wait."""


class Retry(typing.NamedTuple):
    """Start an atom whose call was held back."""

    atom: base.ChangeTask


class HookAnswer(typing.NamedTuple):
    """The answer of a hook call before or after the operation."""

    number: int
    answer: object
    error: BaseException | None


class HookOverdue(typing.NamedTuple):
    """A hook call may have exceeded its limit."""

    number: int


class HookRetry(typing.NamedTuple):
    """A hook call may be made that the lease was too near its end for."""

    number: int


class Surveyed(typing.NamedTuple):
    """The result of a survey before the plan, or its error."""

    survey: surveys.Survey | None
    error: BaseException | None


class Answer(typing.NamedTuple):
    """The answer of an atom's call."""

    atom: base.ChangeTask
    step: base.Step | None
    error: BaseException | None
