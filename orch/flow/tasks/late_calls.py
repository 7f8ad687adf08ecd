"""Creating calls whose answers are lost, and that may still take effect.

Their worker has died, or their connection; the service goes on with them for
a while. Until that is over, nothing that is not found counts as never made.
"""

import math
import typing

from orch import clock
from orch import errors
from orch.flow.tasks import base
from orch.model import resource as model_resource
from orch.model import states
from orch.plugin import call_context
from orch.plugin import resource

FIRST_LOOK_S: typing.Final = 1.0
MAX_LOOK_S: typing.Final = 10.0
"""The longest pause between two looks; each is half as long as all before."""

MAX_SKEW_S: typing.Final = 300.0
"""By so much the clocks of two workers may differ, as Kerberos allows; a row
has the time of the worker that wrote it."""


class LateCall:
    """The last call to create one resource, as far as its answer is lost."""

    def __init__(self, clock_: clock.Clock) -> None:
        """Know of no lost call."""
        self._clock = clock_
        # In monotonic seconds.
        self._began_at: float | None = None
        self._shown_until = ""

    def take_row(self, row: model_resource.Resource) -> None:
        """Take in what a row says of an attempt of another worker.

        :param row: before the new intent is noted; while it is in progress
            the lost worker may have begun the call just before its lease
            ended, however old the intent is
        """
        if row.physical_id is not None or not row.is_outcome_unknown:
            return
        age_s = 0.0
        if row.status is not states.Status.IN_PROGRESS:
            age_s = self._clock.now() - row.updated_at - MAX_SKEW_S
            age_s = max(age_s, 0.0)
        self._began_at = self._clock.monotonic() - age_s

    def begin(self) -> None:
        """Note that a call begins now."""
        self._began_at = self._clock.monotonic()
        self._shown_until = ""

    def end(self, error: Exception) -> None:
        """Note that the call has ended with an error, maybe without answer."""
        if not isinstance(error, errors.Transient) or error.is_over:
            self._began_at = None

    def wait(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        what_then: str,
    ) -> base.Step | None:
        """Return how to wait; ``None`` once nothing can come of the call.

        :param what_then: happens after that, for people
        """
        if self._began_at is None or not plugin.has_late_effects:
            return None
        waited_s = self._clock.monotonic() - self._began_at
        left_s = check_limit(plugin.late_effect_s(context)) - waited_s
        if left_s <= 0:
            self._began_at = None
            return None
        if not self._shown_until:
            until = clock.Timestamp(self._clock.now() + left_s)
            self._shown_until = clock.isoformat(until)
        pause_s = min(max(waited_s / 2, FIRST_LOOK_S), MAX_LOOK_S, left_s)
        return base.Step(
            pending=call_context.Pending(after_s=pause_s),
            begins_again=True,
            reason="An earlier call to create it got no answer and may still"
            f" take effect: it is looked for until {self._shown_until}, then"
            f" {what_then}",
        )


def check_limit(answer: object) -> float:
    """Return the answer of ``late_effect_s`` if it is valid.

    :raises base.BadAnswer: it is no number of seconds
    """
    if isinstance(answer, int | float) and math.isfinite(answer):
        return float(answer)
    raise base.BadAnswer(f"late_effect_s returned {answer!r}, not seconds")
