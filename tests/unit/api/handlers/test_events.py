from falcon import testing

from orch.api import app
from orch.context import request
from tests.unit.api import fakes

PATH = f"{fakes.STACK_PATH}/events"
OF_RESOURCE = f"{fakes.STACK_PATH}/resources/net/events"
RESOURCE_URL = f"{fakes.STACK_URL}/resources/net"


class EventsTest(fakes.ApiTestCase):
    def test_a_list_shows_each_event(self) -> None:
        self.bus.answers["event.list"] = [fakes.EVENT]

        body = self.get(PATH).json

        self.assertEqual(
            [
                {
                    "id": "e-1",
                    "event_time": "2025-11-20T10:00:00Z",
                    "resource_name": "net",
                    "logical_resource_id": "net",
                    "physical_resource_id": "p-1",
                    "resource_status": "CREATE_COMPLETE",
                    "resource_status_reason": "state changed",
                    "request_id": "req-1",
                    "links": [
                        {"href": f"{RESOURCE_URL}/events/e-1", "rel": "self"},
                        {"href": RESOURCE_URL, "rel": "resource"},
                        {"href": fakes.STACK_URL, "rel": "stack"},
                    ],
                }
            ],
            body["events"],
        )
        self.assertIsNone(self.bus.sent("event.list")["resource_name"])

    def test_nested_events_link_to_the_root(self) -> None:
        self.bus.answers["event.list"] = [fakes.EVENT]

        (event,) = self.get(f"{PATH}?nested_depth=3").json["events"]

        self.assertEqual(
            {"href": fakes.STACK_URL, "rel": "root_stack"}, event["links"][3]
        )

    def test_the_query_reaches_the_engine(self) -> None:
        self.bus.answers["event.list"] = []

        self.get(
            f"{PATH}?limit=2&marker=e&sort_dir=asc&sort_keys=event_time"
            "&sort_keys=x&resource_status=FAILED&resource_name=a"
            "&resource_name=b"
        )

        self.assertEqual(
            {
                "limit": 2,
                "marker": "e",
                "sort_keys": ["event_time"],
                "sort_dir": "asc",
                "nested_depth": 0,
                "filters": {
                    "resource_status": ["FAILED"],
                    "resource_name": ["a", "b"],
                },
            },
            self.bus.sent("event.list")["query"],
        )

    def test_a_stack_without_events_answers_an_empty_list(self) -> None:
        self.bus.answers["event.list"] = []

        self.assertEqual({"events": []}, self.get(PATH).json)

    def test_a_resource_without_events_answers_404(self) -> None:
        self.bus.answers["event.list"] = []

        answer = self.get(OF_RESOURCE, 404)

        self.assert_error(answer, "HTTPNotFound", "net")
        sent = self.bus.sent("event.list")
        self.assertEqual("net", sent["resource_name"])

    def test_each_look_of_a_stream_but_the_first_has_its_own_time(
        self,
    ) -> None:
        waited = []

        class Bus(fakes.Bus):
            def call(
                self,
                ctxt: request.RequestContext,
                namespace: str,
                method: str,
                **kwargs: object,
            ) -> object:
                waited.append(ctxt.waiting)
                found = {"events": [], "is_idle": True, "is_over": False}
                return {**found, "is_over": len(waited) > 2}

        api = testing.TestClient(app.build_app(Bus(), app.Settings()))

        answer = api.simulate_get(f"{fakes.STACK_PATH}/events?follow=true")

        self.assertIn("the stack is gone", answer.text)
        self.assertEqual([request.CallWaiting(), None, None], waited)

    def test_an_event_is_shown_with_properties(self) -> None:
        self.bus.answers["event.show"] = {
            **fakes.EVENT,
            "resource_properties": {"value": 1},
        }

        event = self.get(f"{OF_RESOURCE}/e-1").json["event"]

        self.assertEqual("OS::Heat::Value", event["resource_type"])
        self.assertEqual({"value": 1}, event["resource_properties"])
        self.assertEqual(
            {
                "stack_id": fakes.STACK_ID,
                "resource_name": "net",
                "event_id": "e-1",
            },
            self.bus.sent("event.show"),
        )
