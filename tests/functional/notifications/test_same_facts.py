"""One stack, heard of in three ways: all of them tell the same facts."""

import json
import typing

from orch import ids
from tests import base
from tests.support import listeners
from tests.support import rest
from tests.support import running
from tests.support import streams
from tests.support import waiting
from tests.support import webhooks
from tests.support import world_templates

Json = dict[str, typing.Any]

LIMIT_S = 60
_OPTIONS: typing.Final = {
    "engine": {"lease_ttl": 2, "scan_interval": 0.2},
    "egress": {"allowed_networks": "127.0.0.0/8"},
}
_TEMPLATE: typing.Final = world_templates.template(
    a={"type": "OS::Heat::TestResource"},
    bad={
        "type": "OS::Heat::TestResource",
        "depends_on": ["a"],
        "properties": {"fail": True},
    },
)


class SameFactsTest(base.TestCase):
    """Notifications on the broker, the event stream, and a sink."""

    limit_s = 240

    def test_notifications_the_stream_and_sinks_tell_the_same(self) -> None:
        service = self.useFixture(webhooks.Service())
        found = self.useFixture(running.Distributed(_OPTIONS, workers=1))
        listener = self.useFixture(listeners.Listener(found.broker.url()))
        client = found.system.client
        stack = client.create(
            "web",
            _TEMPLATE,
            environment={
                "event_sinks": [{"type": "webhook", "target": service.url}]
            },
        )
        client.wait(stack, "CREATE_FAILED", timeout_s=LIMIT_S)
        with streams.Stream(client, stack, "&until=idle") as stream:
            streamed = [
                _streamed(each.data)
                for each in stream
                if each.kind == "message"
            ]

        waiting.wait_for(
            lambda: (
                len({each["id"] for each in _bodies(service)}) == len(streamed)
            ),
            "all events at the sink",
            LIMIT_S,
        )
        waiting.wait_for(
            lambda: (
                (stack.id, "orchestration.stack.create.error")
                in listener.kinds()
            ),
            "the failure on the bus",
            LIMIT_S,
        )

        self.assertEqual(streamed, [_sunk(each) for each in _bodies(service)])
        told = sorted(_facts(each, stack) for each in listener.of(stack.id))
        of_stack = [each for each in streamed if each[1] == stack.name]
        self.assertEqual(2, len(told))
        self.assertEqual(sorted(of_stack), told)


def _bodies(service: webhooks.Service) -> list[Json]:
    return [json.loads(each.body) for each in list(service.requests)]


def _streamed(data: rest.Json) -> tuple[object, ...]:
    return (
        data["id"],
        data["resource_name"],
        data["resource_status"],
        data["resource_status_reason"],
    )


def _sunk(body: Json) -> tuple[object, ...]:
    payload = body["payload"]
    assert body["id"] == ids.event_id(payload["stack_id"], payload["sequence"])
    return (
        body["id"],
        payload["resource_name"],
        f"{payload['resource_action']}_{payload['resource_status']}",
        payload["resource_status_reason"],
    )


def _facts(heard: listeners.Heard, stack: rest.Stack) -> tuple[object, ...]:
    payload = typing.cast(Json, heard.payload)
    return (
        ids.event_id(ids.StackId(stack.id), payload["sequence"]),
        payload["stack_name"],
        payload["state"],
        payload["state_reason"],
    )
