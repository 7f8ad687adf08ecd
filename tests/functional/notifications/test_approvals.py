"""Notifications of what waits for an approval, over a real RabbitMQ."""

import collections.abc
import typing

from tests import base
from tests.support import lifecycle
from tests.support import listeners
from tests.support import rest
from tests.support import running
from tests.support import services
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

_FRIDAY = "it is Friday"


class ApprovalTests(base.TestCase):
    """All on one system; each test has a stack of its own."""

    limit_s = 120

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        services.require("RabbitMQ", "PostgreSQL")
        cls.plugins = cls.use(
            lifecycle.Plugins(1, levels={1: "soft-mandatory"})
        )
        environment = {
            **cls.use(world.World()).environment,
            **cls.plugins.environment,
        }
        options = {
            **cls.plugins.options,
            "engine": {"scan_interval": 0.2},
        }
        cls.found = cls.use(running.Distributed(options, environment))
        cls.client = cls.found.system.client

    @classmethod
    def use(cls, fixture: typing.Any) -> typing.Any:
        cls.addClassCleanup(fixture.cleanUp)
        fixture.setUp()
        return fixture

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.plugins.forgive)
        self.listener = self.useFixture(
            listeners.Listener(self.found.broker.url())
        )

    def hear(
        self, name: str, answer: str, **more: object
    ) -> tuple[rest.Stack, collections.abc.Sequence[listeners.Heard]]:
        """Return a stack that was held, and what is heard of it.

        :param answer: that ends the hold; none waits for its deadline
        """
        self.plugins.order(1, "pre", "hold", text=_FRIDAY, **more)
        stack = self.client.create(name, world_templates.chain())
        if answer:
            self.wait_for(stack, "approval.start")
            self.client.ask(
                "POST", f"{stack.path}/actions", {answer: {"text": "so be it"}}
            )
        ending = "create.end" if answer == "approve" else "create.error"
        self.wait_for(stack, ending)
        # Errors come on a queue of their own, and may pass the others.
        found = sorted(
            self.listener.of(stack.id),
            key=lambda each: typing.cast(int, each.payload["sequence"]),
        )
        return stack, found

    def wait_for(self, stack: rest.Stack, last: str) -> None:
        wanted = (stack.id, f"orchestration.stack.{last}")
        waiting.wait_for(lambda: wanted in self.listener.kinds(), last)

    def test_what_is_approved_has_a_start_and_an_end(self) -> None:
        stack, heard = self.hear("approved", "approve")

        self.assertEqual(
            [
                ("create.start", "info"),
                ("approval.start", "info"),
                ("approval.end", "info"),
                ("create.end", "info"),
            ],
            [_kind(each) for each in heard],
        )
        for each in heard:
            self.assertEqual(set(), listeners.HEATS_KEYS - set(each.payload))
        begun, ended = (_approval(each) for each in heard[1:3])
        self.assertEqual(
            {
                "plugin": "orch-test-1",
                "text": _FRIDAY,
                "deadline_at": ended["deadline_at"],
                "answer": None,
                "answered_by": None,
                "answered_at": None,
                "answer_text": "",
            },
            begun,
        )
        self.assertEqual(
            ("approved", "so be it"), (ended["answer"], ended["answer_text"])
        )
        payload = heard[1].payload
        self.assertEqual(
            [{}, {}, {}, {"CREATE_COMPLETE": 3}],
            [each.payload["resource_counts"]["by_status"] for each in heard],
        )
        self.assertEqual("CREATE_IN_PROGRESS", payload["state"])
        self.assertIn(_FRIDAY, str(payload["state_reason"]))
        (operation,) = typing.cast(
            list[dict[str, object]],
            self.client.get(f"{stack.path}/operations", "operations"),
        )
        self.assertEqual(operation["id"], payload["operation_id"])

    def test_an_override_says_who_why_and_what(self) -> None:
        self.plugins.order(1, "pre", "deny", text=_FRIDAY)
        ann = rest.Client(
            self.client.endpoint, user_name="ann", override="INC-4711"
        )
        self.addCleanup(ann.close)

        stack = ann.create("overridden", world_templates.chain())
        self.wait_for(stack, "create.end")

        (heard,) = [
            each
            for each in self.listener.of(stack.id)
            if _kind(each)[0].startswith("override")
        ]
        self.assertEqual(("override.end", "info"), _kind(heard))
        self.assertEqual(
            {
                "plugin": "orch-test-1",
                "text": _FRIDAY,
                "overridden_by": "ann",
                "reason": "INC-4711",
            },
            heard.payload["override"],
        )
        self.assertEqual("CREATE_IN_PROGRESS", heard.payload["state"])

    def test_what_is_rejected_ends_with_an_error(self) -> None:
        _, heard = self.hear("rejected", "reject")

        self.assertEqual(
            [
                ("create.start", "info"),
                ("approval.start", "info"),
                ("approval.error", "error"),
                ("create.error", "error"),
            ],
            [_kind(each) for each in heard],
        )
        self.assertEqual("rejected", _approval(heard[2])["answer"])

    def test_what_nobody_answers_ends_with_an_error(self) -> None:
        _, heard = self.hear("expired", "", deadline_s=1)

        self.assertEqual(("approval.error", "error"), _kind(heard[2]))
        self.assertEqual("expired", _approval(heard[2])["answer"])


def _kind(heard: listeners.Heard) -> tuple[str, str]:
    return (
        heard.event_type.removeprefix("orchestration.stack."),
        heard.priority,
    )


def _approval(heard: listeners.Heard) -> dict[str, object]:
    return typing.cast(dict[str, object], heard.payload["approval"])
