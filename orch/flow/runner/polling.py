"""When each change in progress is polled again, and by which message.

It is polled at a moment that its plug-in names, ever more seldom where it
names none, once a signal has come, or once its child stack has ended.
"""

import collections.abc
import random
import typing

from orch import clock
from orch import ids
from orch.flow.runner import messages
from orch.flow.runner import signal_waits
from orch.flow.state import store
from orch.flow.tasks import base
from orch.plugin import call_context

MIN_WAIT_S: typing.Final = 0.01
FIRST_WAIT_S: typing.Final = 0.1
MAX_WAIT_S: typing.Final = 5.0
GROWTH: typing.Final = 1.5
BATCH_DELAY_S: typing.Final = 0.02
"""Changes whose stacks end within this time are polled together."""
MAX_LISTEN_S: typing.Final = 60.0
"""After so long a change that waits for a signal is polled in any case."""

PostMessage = collections.abc.Callable[[float, object], None]
"""Has a message arrive at a moment, in monotonic seconds."""


class Polling:
    """Schedules the polls of the changes of one operation.

    It is used on the operation's loop only.
    """

    def __init__(
        self,
        rows: store.Store,
        signal_waits_: signal_waits.SignalWaits,
        clock_: clock.Clock,
        post_at: PostMessage,
    ) -> None:
        """Start without any wait."""
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
        # Reported as ended, and not polled since.
        self._inner_ended: dict[ids.ResourceId, None] = {}
        self._expects_poll = False
        self._next_poll = 0.0

    def wait(
        self, atom: base.ChangeTask, pending: call_context.Pending
    ) -> bool:
        """Schedule the next poll of an atom; whether one is due now."""
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
        """Return the message that repeats a failed call."""
        return (
            messages.Poll(atom)
            if atom in self._waits
            else messages.Retry(atom)
        )

    def take_end(self, resource_id: ids.ResourceId) -> None:
        """Note that a child stack has ended; its atom is polled soon.

        The first is polled at once, those that follow are polled together.
        """
        self._inner_ended[resource_id] = None
        if not self._expects_poll:
            self._expects_poll = True
            self._post_at(self._next_poll, messages.PollEnded())

    def take_ended(
        self, is_free: collections.abc.Callable[[base.ChangeTask], bool]
    ) -> list[base.ChangeTask]:
        """Return the atoms to poll, as their stacks have ended.

        Those that do not wait yet are polled as soon as they do.

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
        """Whether the atom still waits as it did for its signal."""
        return self._listens.get(message.atom) == message.number

    def expect_quiet(self) -> None:
        """Schedule the check whether waits for signals may be parked."""
        if self._expects_quiet or not self._signal_waits.atoms:
            return
        if not self._signal_waits.is_quiet:
            self._expects_quiet = True
            self._post_at(self._signal_waits.quiet_at, messages.SignalsQuiet())

    def take_quiet(self) -> None:
        """Note that the check was made; schedule another if needed."""
        self._expects_quiet = False
        self.expect_quiet()

    def _listen(self, atom: base.ChangeTask, after_s: float | None) -> None:
        """Poll again once a signal came, or at its own moment."""
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
