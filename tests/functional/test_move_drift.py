"""What is known of drift goes with resources to another stack."""

import json
import typing

from tests.functional import observing
from tests.functional import test_move
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]


class DriftTests(test_move.MovingTestCase):
    def test_drift_its_history_and_acceptances_move(self) -> None:
        kid = {"resources": {"deep": observing.single()}}
        source = self.two(
            observing.template(
                a=observing.single(),
                b=observing.single(),
                kid={"type": "kid.yaml"},
            ),
            files={
                "kid.yaml": json.dumps({**observing.template(), **kid}),
            },
        )
        deep = self.world.find_maker(self.here, "deep")
        self.relabel("other", deep)
        self.observe(source)
        self.act(source, accept_drift={"resources": ["a"]})
        self.relabel("third", deep)
        self.observe(source)
        known = self.known(source)

        self.move(source, {"a": "c", "kid": "box"})

        self.assertEqual(
            {"c": known["a"], "box/deep": known["kid/deep"]},
            {
                path: found
                for path, found in self.known(self.target).items()
                if found[0] == "drifted"
            },
        )
        self.assertEqual({"b": known["b"]}, self.known(source))
        self.assertEqual({"b"}, self.history(source))
        self.assertEqual({"c", "box/deep"}, self.history(self.target))
        undone = self.act(self.target, undo_accept_drift=None)
        self.assertEqual({"undone": ["c"]}, undone)
        (difference,) = self.known(self.target)["c"][1]
        self.assertEqual("l", difference["expected"])

    def relabel(self, label: str, deep: str) -> None:
        """Change all labels in the service.

        :param deep: the child stack
        """
        for name in "ab":
            self.world.relabel(self.here, name, label)
        self.world.relabel(deep, "deep", label)

    def act(self, stack: rest.Stack, **action: object) -> Json:
        answer = self.client.ask("POST", f"{stack.path}/actions", action)
        return typing.cast(Json, answer)

    def observe(self, stack: rest.Stack) -> None:
        self.act(stack, observe=None)
        waiting.wait_for(
            lambda: not observing.read(self.client, stack)["in_progress"],
            "the observation",
        )

    def known(self, stack: rest.Stack) -> dict[str, tuple[str, list[Json]]]:
        """Return what is known of each physical resource, by path."""
        return {
            each["path"]: (each["state"], each["differences"])
            for member in observing.read(self.client, stack)["stacks"]
            for each in member["resources"]
            if each["state"] != "nothing"
        }

    def history(self, stack: rest.Stack) -> set[str]:
        answer = self.client.get(f"{stack.path}/drift/history", "history")
        return {each["path"] for each in typing.cast(list[Json], answer)}
