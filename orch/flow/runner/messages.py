"""What runners are told, by other threads and by themselves."""

import typing

from orch import ids
from orch.flow.tasks import base
from orch.planner import survey as surveys


class Begin(typing.NamedTuple):
    """Load and plan the operation, then begin."""


class Deadline(typing.NamedTuple):
    """The operation's time is over."""


class Stop(typing.NamedTuple):
    """Begin nothing more, and give the operation back."""


class LeaseLost(typing.NamedTuple):
    """The lease is lost: touch nothing more."""


class NextTick(typing.NamedTuple):
    """Another tick is due."""


class CheckRows(typing.NamedTuple):
    """Somebody may have asked for something: look at the rows."""


class Poll(typing.NamedTuple):
    """Ask a waiting atom again."""

    atom: base.ChangeTask


class ChildEnded(typing.NamedTuple):
    """An operation of a stack in the stack has ended."""

    resource_id: ids.ResourceId


class BatchDue(typing.NamedTuple):
    """No answer has to wait for further ones any more."""


class PollEnded(typing.NamedTuple):
    """Ask what waits for the stacks in the stack that have ended."""


class PollSignalled(typing.NamedTuple):
    """Ask an atom that waits for a signal, unless it was asked meanwhile."""

    atom: base.ChangeTask
    number: int


class SignalsQuiet(typing.NamedTuple):
    """Nothing may have happened for a while to what waits for signals."""


class Retry(typing.NamedTuple):
    """Begin an atom whose call was held back."""

    atom: base.ChangeTask


class HookAnswer(typing.NamedTuple):
    """What a call before or behind the operation gave."""

    number: int
    answer: object
    error: BaseException | None


class HookOverdue(typing.NamedTuple):
    """Such a call may have taken too long."""

    number: int


class Surveyed(typing.NamedTuple):
    """What a look at things before the plan has shown, or its error."""

    survey: surveys.Survey | None
    error: BaseException | None


class Answer(typing.NamedTuple):
    """What a call of an atom gave."""

    atom: base.ChangeTask
    step: base.Step | None
    error: BaseException | None
