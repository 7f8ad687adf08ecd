"""When each change that is under way is asked again, and by which message.

It is asked at a moment that its plug-in names, ever more seldom where it
names none, once a signal has come, or once the stack that it stands for has
ended.
"""

import collections.abc
import random
import typing

from orch import clock
from orch import ids
from orch.flow.runner import messages
from orch.flow.runner import signal_waits
from orch.flow.tasks import base
from orch.planner import plan
from orch.plugin import call_context

MIN_WAIT_S: typing.Final = 0.01
FIRST_WAIT_S: typing.Final = 0.1
MAX_WAIT_S: typing.Final = 5.0
GROWTH: typing.Final = 1.5
BATCH_DELAY_S: typing.Final = 0.02
"""Stacks that end within this time are looked at together."""
MAX_LISTEN_S: typing.Final = 60.0
"""After so long a change that waits for a signal is asked in any case."""

PostMessage = collections.abc.Callable[[float, object], None]
"""Has a message arrive at a moment, in monotonic seconds."""


class Rows(typing.Protocol):
    """What asking needs of the operation's store."""

    def acting(self, change: plan.Change) -> plan.Change | None:
        """Return what a change turned out to be; ``None`` for nothing."""


class Polling:
    """Has the changes of one operation asked again, each in its time.

    It is used on the operation's loop only.
    """

    def __init__(
        self,
        rows: Rows,
        signal_waits_: signal_waits.SignalWaits,
        clock_: clock.Clock,
        post_at: PostMessage,
    ) -> None:
        """Wait for nothing yet."""
        self._rows = rows
        self._signal_waits = signal_waits_
        self._clock = clock_
        self._post_at = post_at
        # How often each atom began to wait, and of that for a signal.
        self._waits: dict[base.ChangeTask, int] = {}
        self._listens: dict[base.ChangeTask, int] = {}
        # The atom that waited last for each resource.
        self._waiting: dict[ids.ResourceId, base.ChangeTask] = {}
        self._expects_quiet = False
        # Told to have ended, and not looked at since.
        self._inner_ended: dict[ids.ResourceId, None] = {}
        self._expects_poll = False
        self._next_poll = 0.0

    def wait(
        self, atom: base.ChangeTask, pending: call_context.Pending
    ) -> bool:
        """Have an atom asked again; answer whether that is due now."""
        waits = self._waits[atom] = self._waits.get(atom, -1) + 1
        resource_id = self._id_of(atom)
        self._waiting[resource_id] = atom
        if resource_id in self._inner_ended:
            del self._inner_ended[resource_id]
            return True
        if pending.awaits_signal:
            self._listen(atom, pending.after_s)
            return False
        pause = pending.after_s
        if pause is None:
            pause = min(FIRST_WAIT_S * GROWTH**waits, MAX_WAIT_S)
            pause *= random.uniform(0.8, 1.2)  # noqa: S311 - spreads load
        self._post(max(pause, MIN_WAIT_S), messages.Poll(atom))
        return False

    def next_call(
        self, atom: base.ChangeTask
    ) -> messages.Poll | messages.Retry:
        """Return the message that makes a failed call once more."""
        return (
            messages.Poll(atom)
            if atom in self._waits
            else messages.Retry(atom)
        )

    def take_end(self, resource_id: ids.ResourceId) -> None:
        """Know that a stack has ended; its atom is asked soon.

        The first is asked at once, those that follow are asked together.
        """
        self._inner_ended[resource_id] = None
        if not self._expects_poll:
            self._expects_poll = True
            self._post_at(self._next_poll, messages.PollEnded())

    def take_ended(
        self, is_free: collections.abc.Callable[[base.ChangeTask], bool]
    ) -> list[base.ChangeTask]:
        """Return the atoms to ask now that their stacks have ended.

        Those that do not wait yet are asked as soon as they do.

        :param is_free: says whether an atom waits for its next call
        """
        self._expects_poll = False
        self._next_poll = self._clock.monotonic() + BATCH_DELAY_S
        found = []
        for resource_id in list(self._inner_ended):
            atom = self._waiting.get(resource_id)
            if atom is not None and is_free(atom):
                del self._inner_ended[resource_id]
                found.append(atom)
        return found

    def poll_signalled(self, message: messages.PollSignalled) -> bool:
        """Answer whether the atom still waits as it did for its signal."""
        return self._listens.get(message.atom) == message.number

    def expect_quiet(self) -> None:
        """Have a look when what waits for signals may leave the worker."""
        if self._expects_quiet or not self._signal_waits.atoms:
            return
        if not self._signal_waits.is_quiet:
            self._expects_quiet = True
            self._post_at(self._signal_waits.quiet_at, messages.SignalsQuiet())

    def take_quiet(self) -> None:
        """Know that the look was taken; another one may be needed."""
        self._expects_quiet = False
        self.expect_quiet()

    def _listen(self, atom: base.ChangeTask, after_s: float | None) -> None:
        """Ask again once a signal came, or at its own moment."""
        pause = MAX_LISTEN_S
        if after_s is not None:
            after_s = max(after_s, MIN_WAIT_S)
            pause = min(after_s, pause)
        self._signal_waits.begin(atom, after_s)
        number = self._listens[atom] = self._listens.get(atom, 0) + 1
        self._post(pause, messages.PollSignalled(atom, number))
        self.expect_quiet()

    def _id_of(self, atom: base.ChangeTask) -> ids.ResourceId:
        acting = self._rows.acting(atom.change) or atom.change
        return acting.resource_id

    def _post(self, pause_s: float, message: object) -> None:
        self._post_at(self._clock.monotonic() + pause_s, message)
