import typing

from orch import errors
from orch.api import caller_renewal
from orch.api import web
from orch.context import request
from tests import base


class _Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> typing.NoReturn:
        raise AssertionError

    def monotonic(self) -> float:
        return self.seconds


class _Request:
    """A request whose login is good for a minute."""

    def __init__(self) -> None:
        self.identity_ttl_s = 60.0
        self.caller = request.RequestContext(user_id="before")
        self.asked: list[str] = []
        self.rules_allow = True

    def identify(self) -> None:
        self.asked.append("login")
        self.caller = request.RequestContext(user_id="now")

    def authorize(self) -> None:
        self.asked.append(f"rule for {self.caller.user_id}")
        if not self.rules_allow:
            raise errors.Forbidden("no")


class CallerRenewalTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock, self.req = _Clock(), _Request()

    def renewal(self) -> caller_renewal.CallerRenewal:
        return caller_renewal.CallerRenewal(
            typing.cast(web.Request, self.req),
            typing.cast(typing.Any, self.clock),
        )

    def test_a_login_is_asked_for_again_when_its_time_is_over(self) -> None:
        made = self.renewal()
        for _ in range(2):
            made.renew()
            self.clock.seconds += 59
        self.assertEqual(["rule for before"] * 2, self.req.asked)

        made.renew()

        self.assertEqual(["login", "rule for now"], self.req.asked[2:])
        made.renew()
        self.assertEqual(["rule for now"], self.req.asked[4:])

    def test_one_without_a_time_is_asked_for_each_time(self) -> None:
        self.req.identity_ttl_s = 0.0
        made = self.renewal()

        made.renew()
        made.renew()

        self.assertEqual(["login", "rule for now"] * 2, self.req.asked)

    def test_a_rule_that_changed_counts_at_once(self) -> None:
        made = self.renewal()
        made.renew()
        self.req.rules_allow = False

        self.assertRaises(errors.Forbidden, made.renew)
