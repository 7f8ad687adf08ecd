import typing

from orch.events import payload_size
from tests import base

_LONG: typing.Final = "x" * 5_000


class BoundedTest(base.TestCase):
    def test_what_fits_stays_as_it_is(self) -> None:
        payload = {"template": _LONG}

        self.assertIs(payload, payload_size.shrink_payload(payload, 6_000))

    def test_no_more_is_left_out_than_need_be(self) -> None:
        payload = {"template": _LONG, "outputs": _LONG, "name": "web"}

        self.assertEqual(
            {"template": None, "outputs": _LONG, "name": "web"},
            dict(payload_size.shrink_payload(payload, 6_000)),
        )

    def test_what_is_empty_is_not_made_longer(self) -> None:
        empty = {"template": "", "outputs": {}, "parameters": []}

        self.assertEqual(empty, dict(payload_size.shrink_payload(empty, 1)))


class SmallerTest(base.TestCase):
    def test_of_what_is_empty_nothing_is_left_to_leave_out(self) -> None:
        self.assertIsNone(
            payload_size.find_smaller(
                {"outputs": {}, "parameters": [], "name": ""}
            )
        )

    def test_it_goes_on_until_nothing_is_left_to_leave_out(self) -> None:
        told: typing.Any = {
            "name": "web",
            "state_reason": _LONG,
            "template": {"resources": _LONG * 3},
            "outputs": {"a": _LONG},
            "parameters": {"a": _LONG},
            "failed_resources": [{"reason": _LONG}] * 150,
            "drift": {"state": "DRIFTED", "resources": [{"name": _LONG}]},
            "tags": ["a", "b"],
            "timeout_mins": 60,
        }
        before = payload_size.json_length(told)
        lengths = []
        while (found := payload_size.find_smaller(told)) is not None:
            told = found
            lengths.append(payload_size.json_length(told))

        self.assertEqual(sorted({before, *lengths}), [*lengths[::-1], before])
        self.assertLess(lengths[-1], 600)
        self.assertEqual(
            {
                "name": "web",
                "state_reason": "x" * 254 + "…",
                "template": None,
                "outputs": None,
                "parameters": None,
                "failed_resources": [],
                "drift": {"state": "DRIFTED", "resources": []},
                "tags": ["a", "b"],
                "timeout_mins": 60,
            },
            told,
        )

    def test_of_what_is_short_nothing_can_be_left_out(self) -> None:
        self.assertIsNone(
            payload_size.find_smaller(
                {"name": "web", "template": None, "tags": []}
            )
        )

    def test_what_it_was_given_is_left_as_it_is(self) -> None:
        given = {"template": _LONG, "drift": {"resources": [_LONG]}}
        copy = {"template": _LONG, "drift": {"resources": [_LONG]}}
        told: typing.Any = given
        while (found := payload_size.find_smaller(told)) is not None:
            told = found

        self.assertEqual(copy, given)
