"""The commands show what a stack waits for, and try it at once."""

import json
import typing

from tests.functional.orchclient import commanding
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

_THING: typing.Final = world_templates.declare_resource


class BlockedTests(commanding.CommandTestCase):
    options = serving.options(blocked_first_pause=600, quota_max_pause=600)

    def listed(self) -> str:
        """Return what the list of stacks shows that the stack waits for."""
        found = self.run_command(
            *("stack", "list", "--name", self.name, "-f", "json")
        )
        return str(found.document[0]["Blocked"])

    def test_a_tree_is_shown_and_tried_now(self) -> None:
        self.world.order(
            self.name, "create", "b", how="quota", moment="before"
        )
        stack = self.system.client.create(
            self.name,
            world_templates.template(kid={"type": "kid.yaml"}),
            files={
                "kid.yaml": json.dumps(world_templates.template(b=_THING()))
            },
        )

        found = waiting.wait_for(self.listed, "the list shows it")
        shown = self.run_command(*("stack", "show", self.name, "-f", "json"))

        self.assertIn("waiting for kid/b: QuotaExceeded", found)
        self.assertEqual(found, shown.document["blocked"])
        self.world.forgive(self.name)
        ended = self.run_command("retry", self.name)
        self.assertEqual(0, ended.code, ended.err)
        self.system.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual("", self.listed())

    def test_the_library_has_it_as_a_value(self) -> None:
        self.world.order(
            self.name, "create", "b", how="quota", moment="before"
        )
        self.system.client.create(
            self.name, world_templates.template(b=_THING())
        )

        waiting.wait_for(self.listed, "the list shows it")
        found = self.orch.stacks.show(self.name).blocked

        assert found is not None
        (wait,) = found.resources
        self.assertEqual(("retry", "b"), (wait.kind, wait.path))
        self.assertEqual(found.next_try_at, wait.next_try_at)
