"""What is told of how soon a change is found is no less than it took."""

import typing

import fixtures

from bench import freshness
from tests import base
from tests.support import rest


class _Clock:
    """A clock that a request moves on by a second, and a pause by ten."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += 10


class _Client:
    """Shows these states, one each time, and then finds what is asked for."""

    def __init__(self, clock: _Clock, states: list[str]) -> None:
        self._clock = clock
        self._states = states

    def ask(self, *args: object) -> dict[str, object]:
        self._clock.now += 1
        return {"total": 1}

    def show(self, stack: rest.Stack) -> dict[str, str]:
        self._clock.now += 1
        return {"stack_status": self._states.pop(0)}


class ChangeTest(base.TestCase):
    def taken(self, *states: str) -> float:
        """Return how long a change took, whose stack is shown like this."""
        clock = _Clock()
        self.useFixture(fixtures.MonkeyPatch("bench.freshness.time", clock))
        client = typing.cast(rest.Client, _Client(clock, list(states)))
        stack = rest.Stack("app", "1")
        return freshness._change(client, stack, "tag")

    def test_it_counts_from_the_last_look_that_did_not_show_it(self) -> None:
        # That look, a pause, the look that does, and the search.
        self.assertEqual(
            1 + 10 + 1 + 1,
            self.taken(*["UPDATE_IN_PROGRESS"] * 2, "UPDATE_COMPLETE"),
        )

    def test_where_each_look_shows_it_it_counts_from_the_change(self) -> None:
        self.assertEqual(1 + 1 + 1, self.taken("UPDATE_COMPLETE"))
