"""Which answers of the service refuse a message for good."""

import fixtures

from orch import errors
from orch import ids
from orch.clients import rest
from orch.conf import load
from orch.event_sinks import zaqar_queue
from orch.plugin import cloud_events
from orch.plugin import sink
from tests import base
from tests.unit.plugin import test_cloud_events

_TOLD = sink.SinkEvent(id="e1", stack_id="s1", sequence=1, body={"id": "e1"})

_OWNER = sink.Owner(
    stack_id=ids.StackId("s1"),
    stack_name="s",
    project_id="p",
    user_id=None,
    user_name=None,
    connect=lambda: None,  # type: ignore[arg-type,return-value]
)


def _refused(status: int) -> rest.CloudRefused:
    error = rest.CloudRefused(f"answered {status}")
    error.status = status
    return error


class AnswersTest(base.TestCase):
    def send(self, answer: Exception) -> Exception:
        """Return what the sink makes of an answer."""

        def post(*args: object, **more: object) -> None:
            raise answer

        kind = zaqar_queue.ZaqarQueue(load.load([], files=[]))
        with fixtures.MonkeyPatch("orch.clients.messaging.post_message", post):
            return self.assertRaises(
                errors.OrchError,
                kind.send,
                {"type": "zaqar-queue", "target": "q"},
                _TOLD,
                _OWNER,
            )

    def test_what_the_message_is_to_blame_for_is_refused(self) -> None:
        for answer in (_refused(400), _refused(422), rest.TooLarge("413")):
            self.assertIsInstance(self.send(answer), sink.SinkRefused)

    def test_what_may_be_cured_comes_again(self) -> None:
        for answer in (
            _refused(401),
            _refused(403),
            rest.CloudNotFound("404"),
        ):
            found = self.send(answer)
            self.assertIsInstance(found, errors.Transient)
            self.assertNotIsInstance(found, sink.SinkUnreachable)

    def test_nobody_there_is_no_answer(self) -> None:
        self.assertIsInstance(
            self.send(errors.Outage("nobody")), sink.SinkUnreachable
        )


class FormatTest(base.TestCase):
    def test_the_message_is_in_the_format_that_is_declared(self) -> None:
        event = test_cloud_events.make("server", "i-1")
        sent: list[object] = []

        def post(connection: object, name: str, body: object, **_: object):
            sent.append(body)

        kind = zaqar_queue.ZaqarQueue(load.load([], files=[]))
        with fixtures.MonkeyPatch("orch.clients.messaging.post_message", post):
            for declared in ({}, {"format": "cloudevents"}):
                kind.send({"target": "q", **declared}, event, _OWNER)

        self.assertEqual([event.body, cloud_events.convert(event)], sent)

    def test_an_unknown_format_is_a_fault(self) -> None:
        declared = {"target": "q", "format": "avro"}

        (fault,) = zaqar_queue.ZaqarQueue.faults(declared)

        self.assertEqual("format", fault.key)
