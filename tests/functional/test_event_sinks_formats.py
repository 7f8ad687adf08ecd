"""Events that go to sinks as CloudEvents."""

import json
import typing

from tests.functional import test_event_sinks
from tests.support import world_templates

Json = dict[str, typing.Any]

_SECRET = "a secret of one sink"
_CONTENT_TYPE = "application/cloudevents+json; charset=utf-8"


class CloudEventTests(test_event_sinks.SinkTestCase):
    def test_one_sink_gets_cloud_events_and_another_heats(self) -> None:
        service, heats = self.serve(), self.serve()
        sinks = (
            test_event_sinks.sink(
                service, format="cloudevents", secret=_SECRET
            ),
            test_event_sinks.sink(heats),
        )
        stack = self.create(environment=test_event_sinks.environment(*sinks))
        told = self.heard(heats, self.name, "CREATE_COMPLETE")
        self.wait_for_count(service, len(told))

        found = [json.loads(each.body) for each in service.requests]
        self.assertEqual(
            [each["payload"] for each in told],
            [each["data"] for each in found],
        )
        self.assertEqual(self.listed(stack), [each["id"] for each in found])
        self.assertEqual(
            sorted(each["sequence"] for each in found),
            [each["sequence"] for each in found],
        )
        self.assertEqual(
            {
                "specversion": "1.0",
                "source": f"/v1/demo/stacks/{stack.id}",
                "type": "os.heat.event.create.complete",
                "subject": self.name,
                "time": told[-1]["timestamp"],
                "datacontenttype": "application/json",
            },
            {
                key: value
                for key, value in found[-1].items()
                if key not in ("id", "sequence", "data")
            },
        )
        self.assertEqual(f"{self.name}/a", found[1]["subject"])
        for each in service.requests:
            self.assertEqual(_CONTENT_TYPE, each.headers["content-type"])
            self.assertIn("webhook-signature", each.headers)
        for each in heats.requests:
            self.assertEqual("application/json", each.headers["content-type"])

    def wait_for_count(self, service: typing.Any, count: int) -> None:
        test_event_sinks.waiting.wait_for(
            lambda: len(service.requests) >= count,
            f"{count} events",
            test_event_sinks.LIMIT_S,
        )

    def test_an_unknown_format_is_refused_with_its_place(self) -> None:
        wanted = {"type": "webhook", "target": "http://127.0.0.1:1/"}
        environment = test_event_sinks.environment(
            {**wanted, "format": "avro"}
        )

        error = self.assertRaises(
            test_event_sinks.rest.RefusedError,
            self.client.create,
            self.name,
            world_templates.chain(),
            environment=environment,
        )

        self.assertEqual(400, error.status)
        self.assertIn('"format"', error.message)
        self.assertIn("heat, cloudevents", str(error.body))
