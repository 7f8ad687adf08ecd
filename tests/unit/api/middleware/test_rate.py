"""How many requests a project may send."""

import fixtures

from orch.api import app
from tests.unit.api import fakes


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds


class RateTest(fakes.ApiTestCase):
    settings = app.Settings(requests_per_minute=30, request_burst=3)

    def setUp(self) -> None:
        self.clock = Clock()
        fixture = fixtures.MonkeyPatch(
            "orch.clock.SystemClock", lambda: self.clock
        )
        with fixture:
            super().setUp()
        self.bus.answers["stack.list"] = []

    def send(self, status: int, project: str = "demo") -> object:
        return self.get(f"/v1/{project}/stacks", status)

    def use_up(self) -> None:
        for _ in range(3):
            self.send(200)

    def test_what_comes_too_fast_is_told_when_to_come_again(self) -> None:
        self.use_up()

        answer = self.get("/v1/demo/stacks", 429)

        self.assertEqual("2", answer.headers["Retry-After"])
        self.assert_error(answer, "RequestLimitExceeded", "30 requests")
        self.assertEqual(3, len(self.bus.calls))

    def test_who_waits_so_long_is_served_again(self) -> None:
        self.use_up()
        self.clock.seconds += 1.9
        self.send(429)

        self.clock.seconds += 0.2
        self.send(200)

        self.send(429)

    def test_no_pause_saves_up_more_than_the_burst(self) -> None:
        self.clock.seconds += 3600

        self.use_up()

        self.send(429)

    def test_other_projects_are_served(self) -> None:
        self.use_up()

        self.send(429)
        self.send(200, "other")

    def test_what_has_no_project_is_not_counted(self) -> None:
        for _ in range(5):
            self.get("/healthcheck")
            self.get("/", 300)


class UnlimitedTest(fakes.ApiTestCase):
    def test_by_default_nothing_is_counted(self) -> None:
        self.bus.answers["stack.list"] = []

        for _ in range(150):
            self.get("/v1/demo/stacks")
