"""Services are asked about values, and not more often than is needed."""

import typing

from orch import errors
from orch.context import request
from orch.engine import constraint_checks
from orch.engine import plugin_reads
from orch.plugin import clouds
from orch.plugin import constraints
from tests import base
from tests.unit.resources import contexts

Question = tuple[str, str]


class _Callers:
    """A cloud, or none.

    :ivar logins: how often somebody asked for it
    """

    def __init__(self, fault: Exception | None = None) -> None:
        self.logins = 0
        self._fault = fault

    def connect_for(self, ctxt: request.RequestContext) -> typing.Any:
        self.logins += 1
        if self._fault is not None:
            raise self._fault

    def connect_as(self, stack_id: str) -> typing.Any:
        raise AssertionError("whoever asks acts")


class ChecksTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.operation: list[str] = []
        self.fault: Exception | None = None
        self.clock = contexts.FakeClock()
        self.callers = _Callers()
        self.ctxt = request.RequestContext(project_id="one")

    def check(self, cloud: object, value: str) -> None:
        self.operation.append(value)
        if self.fault is not None:
            raise self.fault
        if value == "wrong":
            raise constraints.NotAccepted("there is none")

    def judge(self, *values: str, project: str = "one") -> dict[Question, str]:
        if not hasattr(self, "checks"):
            self.checks = constraint_checks.Checks(
                self.callers,
                plugin_reads.PluginReads(),
                self.clock,
                {"nova.flavor": self.check},
            )
        return self.checks.find_problems(
            request.RequestContext(project_id=project),
            [("nova.flavor", one) for one in values],
        )

    def test_only_what_is_wrong_is_told(self) -> None:
        self.assertEqual(
            {("nova.flavor", "wrong"): "there is none"},
            self.judge("small", "wrong"),
        )

    def test_what_is_right_is_not_asked_again_for_a_while(self) -> None:
        self.judge("small")
        self.clock.time += 59
        self.judge("small")
        self.assertEqual((["small"], 1), (self.operation, self.callers.logins))

        self.clock.time += 2
        self.judge("small")

        self.assertEqual(["small", "small"], self.operation)

    def test_another_project_is_asked_for_itself(self) -> None:
        self.judge("small")
        self.judge("small", project="two")

        self.assertEqual(["small", "small"], self.operation)

    def test_what_is_wrong_is_asked_each_time(self) -> None:
        self.judge("wrong")
        self.judge("wrong")

        self.assertEqual(["wrong", "wrong"], self.operation)

    def test_a_service_that_is_away_refuses_nothing_and_is_asked_again(
        self,
    ) -> None:
        self.fault = errors.Outage("away")

        self.assertEqual({}, self.judge("small"))
        self.assertEqual({}, self.judge("small"))

        self.assertEqual(["small", "small"], self.operation)

    def test_without_a_cloud_nothing_is_asked(self) -> None:
        self.callers = _Callers(clouds.NoCloud("none"))

        self.assertEqual({}, self.judge("wrong"))

        self.assertEqual([], self.operation)

    def test_a_keystone_that_is_away_refuses_nothing(self) -> None:
        self.callers = _Callers(errors.Unavailable("away"))

        self.assertEqual({}, self.judge("wrong"))
