"""What a stack at another installation is now: drift seen, and put back."""

import typing

from tests.functional import observing
from tests.functional import remote
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

_KID = {
    "heat_template_version": "2021-04-16",
    "parameters": {
        "text": {"type": "string"},
        "word": {"type": "string", "hidden": True},
    },
    "resources": {
        "a": {
            "type": "Test::World::Thing",
            "properties": {"label": {"get_param": "text"}},
        }
    },
}


class RemoteRealityTests(remote.RemoteTestCase):
    def desired_template(self) -> Json:
        return self.parent_template(
            _KID, parameters={"text": "one", "word": "secret"}, timeout=7
        )

    def look(self, stack: rest.Stack) -> Json:
        """Return what is seen now of the stack there."""
        self.here.ask("POST", f"{stack.path}/actions", {"observe": {}})
        waiting.wait_for(
            lambda: not observing.read(self.here, stack)["in_progress"],
            "the look",
        )
        (told,) = observing.read(self.here, stack)["stacks"]
        (thing,) = told["resources"]
        return typing.cast(Json, thing)

    def converge(self, stack: rest.Stack) -> None:
        before = len(self.here.events(stack))
        self.here.ask("PATCH", stack.path, {"converge": True})
        waiting.wait_for(
            lambda: len(self.here.events(stack)) > before, "the update"
        )
        self.here.wait(stack, "UPDATE_COMPLETE")

    def test_d1_what_somebody_changed_there_is_put_back(self) -> None:
        stack = self.created(self.desired_template())
        far = self.only()
        in_sync = self.look(stack)
        self.there.ask("PATCH", far.path, {"parameters": {"text": "two"}})
        self.there.wait(far, "UPDATE_COMPLETE")

        drifted = self.look(stack)
        self.converge(stack)

        self.assertEqual("in_sync", in_sync["state"], in_sync)
        self.assertEqual(
            ["parameters"],
            [each["property"] for each in drifted["differences"]],
        )
        (difference,) = drifted["differences"]
        self.assertEqual("one", difference["expected"]["text"])
        self.assertEqual("two", difference["live"]["text"])
        self.assertEqual(far, self.only())
        (thing,) = self.world.resources_of_tree(far.name)
        self.assertEqual("one", thing.label)
        self.assertEqual("in_sync", self.look(stack)["state"])

    def test_d1_another_template_there_is_put_back(self) -> None:
        stack = self.created(self.desired_template())
        far = self.only()
        self.there.ask(
            "PUT", far.path, {"template": world_templates.chain("other")}
        )
        self.there.wait(far, "UPDATE_COMPLETE")

        drifted = self.look(stack)
        self.converge(stack)

        self.assertIn(
            "template",
            [each["property"] for each in drifted["differences"]],
        )
        (thing,) = self.world.resources_of_tree(far.name)
        self.assertEqual("one", thing.label)
        self.assertEqual("in_sync", self.look(stack)["state"])

    def test_d4_one_that_was_deleted_there_is_made_anew(self) -> None:
        stack = self.created(self.desired_template())
        old = self.only()
        self.there.delete(old)
        self.wait_until_gone(self.there, old)

        vanished = self.look(stack)
        self.converge(stack)

        self.assertTrue(vanished["is_vanished"])
        self.assertNotEqual(old.id, self.only().id)
        self.assertEqual("in_sync", self.look(stack)["state"])
