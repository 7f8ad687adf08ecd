"""``kill -9`` amid trees of stacks, at moments drawn from a seed."""

import json
import typing

from tests.chaos import base
from tests.chaos import records
from tests.chaos import templates
from tests.chaos import test_kill
from tests.support import rest
from tests.support import soak

_NUMBER = 3
"""Inner stacks of a tree, and levels: an inner one holds another."""

_ROUNDS = soak.rounds(2, 20)
_MAX_ROUNDS = max(6, 2 * _ROUNDS)
_HITS = 4

_SLOW = {
    "delay_before_s": 0.08,
    "delay_after_s": 0.08,
    "ready_after_s": 0.05,
    "gone_after_s": 0.1,
}


def files(label: str) -> dict[str, str]:
    """Return the templates of the inner stacks."""
    deep = templates.chain("deep", 2, label=label, **_SLOW)
    inner = templates.chain("inner", 2, label=label, **_SLOW)
    resources = typing.cast(dict[str, object], inner["resources"])
    resources["kid"] = {"type": "deep.yaml", "depends_on": "inner-1"}
    return {"inner.yaml": json.dumps(inner), "deep.yaml": json.dumps(deep)}


class TreeTests(test_kill.DistributedTestCase):
    name = "tree"

    def test_every_tree_ends_by_itself_and_nothing_is_made_twice(
        self,
    ) -> None:
        self.distribute()

        rounds = 0
        # Some kills must have found work, else this shows nothing.
        while rounds < _ROUNDS or (
            len(self.taken_over()) < _HITS and rounds < _MAX_ROUNDS
        ):
            stack = self.begin(f"s{rounds}")
            rounds += 1
            self.check_after_kill()
            self.check_tree(stack, "CREATE_COMPLETE", "old")
            self.change(stack)
            self.check_after_kill()
            self.check_tree(stack, "UPDATE_COMPLETE", "new")
            self.system.client.delete(stack)
            self.check_after_kill()
            self.assertEqual([], self.world.names())

        self.check_no_doubles()
        self.assertEqual(3 * rounds, self.points)
        self.assertGreaterEqual(len(self.taken_over()), _HITS)

    def taken_over(self) -> list[object]:
        """Return the operations that more than one worker has run."""
        return [
            each["id"]
            for each in self.records.operations()
            if each["fence"] != 1
        ]

    def begin(self, name: str) -> rest.Stack:
        return self.system.client.create(
            name, self.parent_template(), files=files("old")
        )

    def change(self, stack: rest.Stack) -> None:
        self.system.client.ask(
            "PUT",
            stack.path,
            {"template": self.parent_template(), "files": files("new")},
        )

    @staticmethod
    def parent_template() -> rest.Json:
        return {
            "heat_template_version": "2021-04-16",
            "resources": {
                f"kid-{number}": {"type": "inner.yaml"}
                for number in range(_NUMBER)
            },
        }

    def check_tree(self, stack: rest.Stack, state: str, label: str) -> None:
        """Check states at all levels, and what stands in the world."""
        client = self.system.client
        found = typing.cast(
            list[rest.Json], client.get("/stacks?show_nested=true", "stacks")
        )
        states = {each["id"]: each["stack_status"] for each in found}
        self.assertEqual(state, states[stack.id])
        self.assertEqual(1 + 2 * _NUMBER, len(states))
        self.assertEqual(
            {state}, set(states.values()), "an inner stack differs"
        )
        things = self.world.resources_of_tree(stack.name)
        self.assertEqual(
            sorted(["deep-0", "deep-1", "inner-0", "inner-1"] * _NUMBER),
            sorted(each.name for each in things),
        )
        self.assertEqual({label}, {each.label for each in things})


class ParentTests(base.ChaosTestCase):
    def test_who_waited_finds_what_ended_meanwhile(self) -> None:
        self.embed()
        self.world.order("s", "create", "t-0")
        stack = self.system.client.create(
            "s",
            {
                "heat_template_version": "2021-04-16",
                "resources": {"kid": {"type": "kid.yaml"}},
            },
            files={"kid.yaml": json.dumps(templates.chain("t", 1))},
        )
        records.wait_until(
            lambda: "held-create-watch" in self.acts(), what="nothing is held"
        )
        self.system.server.kill()
        self.world.forgive("s")

        self.system.start()
        self.system.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(1, self.acts().count("create"))
        self.assertEqual(["t-0"], self.world.names())
        # What went on is no reason to change anything once it has ended.
        self.assertEqual(
            {"CREATE_COMPLETE"}, set(self.records.stack_states().values())
        )

    def acts(self) -> list[str]:
        return [each.act for each in self.world.calls()]
