import dataclasses

from orch import errors
from orch.plugin import call_context
from orch.resources.http import client
from tests.unit.resources import contexts
from tests.unit.resources.http import http_case
from tests.unit.resources.http import service


class HttpResourceChangesTest(http_case.HttpTestCase):
    def update(
        self, context: call_context.Context, *changed: str
    ) -> list[service.ReceivedRequest]:
        """Change the thing; return the requests that this took."""
        self.service.requests.clear()
        self.plugin.update(context, {}, set(changed))
        return list(self.service.requests)

    def test_it_is_changed_by_a_request(self) -> None:
        self.answers["PUT", "/things/7"] = (200, {})
        context = self.make("7", update={"body": {"a": "{id}-{token}"}})

        (seen,) = self.update(context, "update", "headers")

        self.assertEqual({"a": f"7-{contexts.TOKEN}"}, seen.body)
        self.assertIsNone(self.plugin.is_updated(context))

    def test_nothing_is_sent_for_what_only_says_how_to_talk(self) -> None:
        context = self.make("7", update={"body": {"a": 1}})

        self.assertEqual([], self.update(context, "headers", "ready", "tls"))
        self.assertEqual([], self.update(self.make("7"), "update"))

    def test_a_change_that_comes_again_bears_the_same_key(self) -> None:
        self.answers["PATCH", "/things/7"] = (200, {})
        context = self.make("7", update={"method": "PATCH", "body": {"a": 1}})
        later = dataclasses.replace(context, started_at=2000.0)

        keys = [
            self.update(each, "update")[0].headers["idempotency-key"]
            for each in (context, context, later)
        ]

        self.assertEqual(keys[0], keys[1])
        self.assertNotEqual(keys[0], keys[2])
        self.assertNotEqual(contexts.TOKEN, keys[0])

    def test_a_change_is_complete_once_it_is_ready_again(self) -> None:
        context = self.make(
            "7", ready={"pointer": "/s", "value": "UP", "failed_value": "ERR"}
        )

        self.answers["GET", "/things/7"] = (200, {"s": "BUSY"})
        self.assertIsInstance(
            self.plugin.is_updated(context), call_context.Pending
        )
        self.answers["GET", "/things/7"] = (200, {"s": "UP"})
        self.assertIsNone(self.plugin.is_updated(context))
        self.answers["GET", "/things/7"] = (200, {"s": "ERR"})
        self.assertRaises(
            client.ServiceRefused, self.plugin.is_updated, context
        )

    def test_a_change_of_what_is_gone_fails(self) -> None:
        self.assertRaises(
            client.NotFound,
            self.plugin.update,
            self.make("7", update={"body": {}}),
            {},
            {"update"},
        )

    def test_it_is_put_to_rest_and_woken_by_requests(self) -> None:
        self.answers["POST", "/things/7/action"] = (202, None)
        context = self.make(
            "7",
            suspend={
                "path": "/things/{id}/action",
                "body": {"suspend": None},
                "pointer": "/state",
                "value": "asleep",
            },
            resume={
                "path": "/things/{id}/action",
                "body": {"resume": None},
                "pointer": "/state",
                "value": "awake",
            },
        )
        for start, watch, body, state in (
            (
                self.plugin.suspend,
                self.plugin.is_suspended,
                {"suspend": None},
                "asleep",
            ),
            (
                self.plugin.resume,
                self.plugin.is_resumed,
                {"resume": None},
                "awake",
            ),
        ):
            self.service.requests.clear()
            start(context)
            self.assertEqual(body, self.service.requests[0].body)
            self.answers["GET", "/things/7"] = (200, {"state": "?"})
            self.assertIsInstance(watch(context), call_context.Pending)
            self.answers["GET", "/things/7"] = (200, {"state": state})
            self.assertIsNone(watch(context))

    def test_without_requests_for_it_rest_asks_for_nothing(self) -> None:
        context = self.make("7")

        self.plugin.suspend(context)
        self.plugin.resume(context)

        self.assertIsNone(self.plugin.is_suspended(context))
        self.assertIsNone(self.plugin.is_resumed(context))
        self.assertEqual([], self.service.requests)

    def test_it_is_well_while_the_service_shows_it(self) -> None:
        context = self.make("7")

        self.answers["GET", "/things/7"] = (200, {})
        self.assertIsNone(self.plugin.check(context))
        for status, kind in (
            (404, client.NotFound),
            (500, client.RetryLater),
            (400, client.ServiceRefused),
        ):
            self.answers["GET", "/things/7"] = (status, {})
            self.assertRaises(kind, self.plugin.check, context)

    def test_it_is_well_while_it_is_ready_or_rests(self) -> None:
        context = self.make(
            "7",
            ready={"pointer": "/s", "value": "UP"},
            suspend={"pointer": "/s", "value": "DOWN"},
        )

        for state in ("UP", "DOWN"):
            self.answers["GET", "/things/7"] = (200, {"s": state})
            self.assertIsNone(self.plugin.check(context))
        self.answers["GET", "/things/7"] = (200, {"s": "BROKEN"})
        error = self.assertRaises(
            client.ServiceRefused, self.plugin.check, context
        )

        self.assertIn("/s is 'BROKEN', not 'UP'", error.message)

    def test_a_watch_comes_again_when_the_service_wants_it(self) -> None:
        self.service.headers = {"Retry-After": "7"}
        self.answers["GET", "/things/7"] = (503, None)
        context = self.make("7", ready={"pointer": "/s", "value": "UP"})

        for watch in (self.plugin.is_created, self.plugin.is_updated):
            pending = watch(context)
            assert pending is not None
            self.assertEqual(7.0, pending.after_s)

    def test_what_a_service_means_by_a_status_can_be_said(self) -> None:
        self.answers["POST", "/things"] = (403, {"error": "too many"})
        context = self.make(error_statuses={"quota": [403], "busy": None})

        self.assertRaises(errors.QuotaExceeded, self.plugin.create, context)
        self.answers["POST", "/things"] = (409, {"error": "wait"})
        self.assertRaises(errors.Busy, self.plugin.create, context)
