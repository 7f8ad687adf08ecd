"""Has things looked at before one operation can be planned."""

import collections.abc
import contextlib
import typing

from orch.flow import call_pool
from orch.flow.runner import job as jobs
from orch.flow.runner import messages
from orch.planner import survey as surveys


class Owner(typing.Protocol):
    """What the look asks of the runner that has it."""

    def post(self, message: object) -> None:
        """Hand a message over; from any thread."""

    def logged(self) -> contextlib.AbstractContextManager[None]:
        """Let log lines say whose request this is done for."""


class SurveyRunner:
    """One look at a time, on a thread that makes calls.

    :ivar is_on: nothing else is done with the operation meanwhile
    """

    def __init__(self, owner: Owner, pool: call_pool.CallPool) -> None:
        """Have nothing to look at."""
        self.is_on = False
        self._owner = owner
        self._pool = pool
        self._ticket: call_pool.Ticket | None = None

    def begin(self, requested: jobs.SurveyRequest) -> None:
        """Have things looked at; :class:`messages.Surveyed` tells the end."""
        self.is_on = True
        self._ticket = self._pool.submit(
            self._call_of(requested), self._notify
        )

    def give_up(self) -> None:
        """Wait no more; what is found out is of no use."""
        self.is_on = False
        if self._ticket is not None:
            self._pool.give_up(self._ticket)

    def take(self, message: messages.Surveyed) -> surveys.Survey:
        """Return what was found out.

        :raises BaseException: what went wrong with us; that of things which
            cannot be read is among what was found out
        """
        self.is_on = False
        if message.error is not None:
            raise message.error
        assert message.survey is not None
        return message.survey

    def _call_of(
        self, requested: jobs.SurveyRequest
    ) -> collections.abc.Callable[[], surveys.Survey]:
        def call() -> surveys.Survey:
            with self._owner.logged():
                return requested.survey()

        return call

    def _notify(self, answer: object, error: BaseException | None) -> None:
        found = answer if isinstance(answer, surveys.Survey) else None
        self._owner.post(messages.Surveyed(found, error))
