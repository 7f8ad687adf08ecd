"""Operations are held while everything goes down: they wait as rows."""

import time
import typing

from tests.chaos import hook_sequences
from tests.chaos import records
from tests.support import rest

_DEADLINE_S = 3.0
"""Long enough for everything to go down before."""
_HOLDER = 3


class HoldTestCase(hook_sequences.HookSequenceTestCase):
    """Three operations, held by the third of five plug-ins."""

    def setUp(self) -> None:
        super().setUp()
        for name, more in (
            ("approved", {}),
            ("rejected", {}),
            ("late", {"deadline_s": _DEADLINE_S}),
        ):
            self.plugins.order(
                _HOLDER, "pre", "hold", stack=name, text="ask Ann", **more
            )

    def hold_all(self) -> dict[str, rest.Stack]:
        """Ask for the stacks; return once all of them are held or over."""
        stacks = {
            name: self.ask_for(name).stack
            for name in ("late", "approved", "rejected")
        }
        records.wait_until(
            lambda: all(
                each["state"] == "BLOCKED" for each in self.records.open()
            ),
            what="not all are held",
        )
        return stacks

    def answer(self, stack: rest.Stack, answer: str) -> None:
        self.system.client.ask(
            "POST", f"{stack.path}/actions", {answer: {"text": "so be it"}}
        )

    def check_all(self, stacks: dict[str, rest.Stack]) -> None:
        """Answer two of them; check how all three end."""
        self.answer(stacks["approved"], "approve")
        self.answer(stacks["rejected"], "reject")
        self.wait_until_idle()
        reasons = {
            name: str(self.system.client.show(stack)["stack_status_reason"])
            for name, stack in stacks.items()
        }
        self.assertIn("was not approved", reasons["late"])
        self.assertIn("so be it", reasons["rejected"])
        states = self.records.stack_states()
        self.assertEqual(
            {
                "approved": "CREATE_COMPLETE",
                "rejected": "CREATE_FAILED",
                "late": "CREATE_FAILED",
            },
            {name: states[stack.id] for name, stack in stacks.items()},
        )
        self.assertEqual(
            {"approved"}, {each.stack for each in self.world.calls()}
        )
        self.check_calls(
            {
                self.newest(stack): (
                    "complete" if name == "approved" else "rejected"
                )
                for name, stack in stacks.items()
            }
        )
        for name, last in (("approved", 5), ("rejected", 3), ("late", 3)):
            self.assertEqual(
                [
                    *(("pre", str(each)) for each in range(1, last + 1)),
                    *(("post", str(each)) for each in range(last, 0, -1)),
                ],
                self.plugins.calls(stacks[name]),
            )
        self.check_world()

    def await_deadline(self) -> None:
        """Return once nobody may approve what is held for a moment."""
        (found,) = [
            run.hold
            for run in self.runs()
            if run.hold is not None
            and run.hold.deadline_at - run.hold.requested_at < 2 * _DEADLINE_S
        ]
        limit = typing.cast(float, found.deadline_at)
        records.wait_until(lambda: time.time() > limit)


class PostgresqlTests(HoldTestCase):
    def test_what_is_held_outlives_workers_api_and_connections(self) -> None:
        system = self.distribute(self.settings)
        stacks = self.hold_all()

        self.broker.drop_connections()
        for each in system.members:
            each.kill()
        self.await_deadline()
        system.start()

        self.check_all(stacks)


class EmbeddedTests(HoldTestCase):
    def test_what_is_held_outlives_a_stop_of_all(self) -> None:
        system = self.embed(self.settings)
        stacks = self.hold_all()

        system.server.stop()
        self.await_deadline()
        system.start()

        self.check_all(stacks)
