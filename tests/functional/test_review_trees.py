"""What befalls a tree while several of its stacks are accepted at once."""

import json
import threading

import fixtures

from orch.engine.conductor import conductor
from orch.engine.execution import planning
from orch.model import operation
from tests import base
from tests.chaos import records
from tests.chaos import templates
from tests.scenarios import inprocess
from tests.support import rest

_VERSION = "2021-04-16"
_SIZE = 6
_NAMES = tuple(f"kid{number}" for number in range(_SIZE))


class Gate(fixtures.Fixture):
    """Holds a worker between the acceptance of stacks and their runs.

    :ivar is_reached: the first is accepted, and does not run yet
    """

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.is_reached = threading.Event()
        self._is_open = threading.Event()
        take = conductor.Conductor.take

        def take_later(
            worker: conductor.Conductor,
            asked: operation.Operation,
            loaded: planning.Loaded,
            since: float,
        ) -> None:
            self.is_reached.set()
            self._is_open.wait(30)
            take(worker, asked, loaded, since)

        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.engine.conductor.conductor.Conductor.take", take_later
            )
        )
        self.addCleanup(self._is_open.set)

    def open(self) -> None:
        """Let what was accepted run."""
        self._is_open.set()


class BatchTests(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.system = self.useFixture(inprocess.System())
        self.records = self.system.records

    def create(self, **properties: object) -> rest.Stack:
        """Create stacks in a stack, all once ``word`` is there.

        :param properties: those of the first
        """
        kids: rest.Json = {
            name: {"type": "kid.yaml", "depends_on": "word"} for name in _NAMES
        }
        kids[_NAMES[0]] |= {"properties": properties}
        kids["word"] = {
            "type": "Test::World::Thing",
            "properties": {"label": "no list"},
        }
        words = {"list_join": ["", {"get_param": "words"}]}
        kid = {
            **templates.chain("t", 1, label=words),
            "parameters": {"words": {"type": "json", "default": []}},
        }
        return self.system.client.create(
            "s",
            {"heat_template_version": _VERSION, "resources": kids},
            files={"kid.yaml": json.dumps(kid)},
        )

    def wait_for(self, stack: rest.Stack, state: str) -> None:
        records.wait_until(
            lambda: self.records.stack_states()[stack.id] == state,
            timeout_s=60,
            what=lambda: str(self.records.stack_states()),
        )

    def made(self) -> list[str]:
        return [
            each.stack
            for each in self.system.world.calls()
            if each.act == "made" and each.name != "word"
        ]

    def test_a_worker_that_is_lost_before_they_run_loses_none(self) -> None:
        gate = self.useFixture(Gate())
        stack = self.create()
        self.assertTrue(gate.is_reached.wait(30), "none is accepted")

        self.system.kill()
        gate.open()

        self.wait_for(stack, "CREATE_COMPLETE")
        self.assertEqual(_SIZE, len(self.made()))
        self.assertEqual(_SIZE, len(set(self.made())))
        self.assertEqual([], self.records.open())

    def test_a_deletion_meanwhile_leaves_nothing(self) -> None:
        gate = self.useFixture(Gate())
        stack = self.create()
        self.assertTrue(gate.is_reached.wait(30), "none is accepted")

        self.system.client.delete(stack)
        gate.open()

        self.wait_for(stack, "DELETE_COMPLETE")
        self.records.wait_until_idle(timeout_s=60)
        self.assertEqual(
            {"DELETE_COMPLETE"}, set(self.records.stack_states().values())
        )
        self.assertEqual([], self.system.world.resources_of_tree("s"))

    def test_one_that_cannot_be_takes_none_of_the_others_along(self) -> None:
        stack = self.create(words={"a": {"get_attr": ["word", "label"]}})

        self.wait_for(stack, "CREATE_FAILED")
        self.records.wait_until_idle(timeout_s=60)
        states = self.records.stack_states()
        del states[stack.id]
        reason = self.system.client.show(stack)["stack_status_reason"]
        self.assertIn(_NAMES[0], str(reason))
        self.assertEqual(["CREATE_COMPLETE"] * (_SIZE - 1), [*states.values()])
