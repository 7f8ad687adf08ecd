import typing

from orch import ids
from orch.conf import load
from orch.plugin import read_only_values
from orch.plugin import sink
from orch.plugin import sinks
from tests import base


class Consumer:
    """A sink as they were written for Heat."""

    calls: typing.ClassVar[list[tuple[typing.Any, ...]]] = []

    def __init__(self, target: str, ttl: int | None = None) -> None:
        if ttl is not None and ttl < 0:
            raise ValueError("ttl is negative")
        self.target = target

    def consume(self, context: typing.Any, event: typing.Any) -> None:
        self.calls.append((self.target, context, event))
        event["payload"]["mine"] = True


class NoConsumer:
    """No sink."""


def never() -> typing.Any:
    raise AssertionError("there is no cloud")


class HeatSinkTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        Consumer.calls.clear()
        self.kind = sinks.wrap_sink("theirs", Consumer)

    def test_it_is_called_as_heat_calls_it(self) -> None:
        (made,) = sinks.load_sinks(
            load.load([], files=[]), {"theirs": self.kind}
        ).values()
        body = {"id": "e1", "payload": {"stack_id": "s1"}}

        made.send(
            {"type": "theirs", "target": "there", "ttl": 5},
            sink.SinkEvent(
                id="e1",
                stack_id="s1",
                sequence=1,
                body=read_only_values.freeze(body),
            ),
            sink.Owner(
                stack_id=ids.StackId("s1"),
                stack_name="web",
                project_id="p1",
                user_id="u1",
                user_name="ann",
                connect=never,
            ),
        )

        ((target, context, event),) = Consumer.calls
        self.assertEqual("there", target)
        self.assertEqual(
            ("p1", "u1", "ann"),
            (context.project_id, context.user_id, context.user_name),
        )
        self.assertEqual({"stack_id": "s1", "mine": True}, event["payload"])
        self.assertNotIn("mine", body["payload"])

    def test_what_its_constructor_refuses_is_a_fault(self) -> None:
        for wrong, said in (
            ({"target": "x", "ttl": -1}, "ttl is negative"),
            ({"target": "x", "queue": "y"}, "queue"),
            ({}, "target"),
        ):
            (fault,) = self.kind.faults({"type": "theirs", **wrong})
            self.assertIn("theirs does not take it", fault.text)
            self.assertIn(said, fault.text)
        self.assertEqual(
            [], list(self.kind.faults({"type": "theirs", "target": "x"}))
        )

    def test_a_class_that_consumes_nothing_is_no_sink(self) -> None:
        self.assertRaises(TypeError, sinks.wrap_sink, "theirs", NoConsumer)
