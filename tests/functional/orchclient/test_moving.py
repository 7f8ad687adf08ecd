"""Resources go into a stack in a stack by the library and by a command."""

import json

from orchclient import models
from tests.functional.orchclient import commanding
from tests.support import world_templates

_INNER = """
heat_template_version: 2021-04-16
resources:
  front: {type: Test::World::Thing}
"""


_EMPTY = "heat_template_version: 2021-04-16\n"


class MovingTests(commanding.CommandTestCase):
    def make(self) -> models.StackIdentity:
        wanted = world_templates.template(
            net=world_templates.declare_resource()
        )
        wanted["resources"]["web"] = {"type": "web.yaml"}
        return self.create(wanted, **{"web.yaml": _INNER})

    def resources(self, stack: models.StackIdentity) -> dict[str, str]:
        return {
            each.name: str(each.physical_id)
            for each in self.orch.resources.list(stack, nested_depth=2)
        }

    def test_the_library_tells_what_to_wait_for(self) -> None:
        stack = self.make()
        before = self.resources(stack)

        moved = self.orch.moves.move(stack, f"{self.name}/web", ["net"])
        for each in moved.updates:
            self.wait(each.stack, each.operation_id)

        self.assertEqual([stack.id], [e.stack.id for e in moved.updates])
        self.assertEqual(before["web"], moved.target.stack.id)
        self.assertEqual(before, self.resources(stack))

    def test_the_command_follows_the_outermost_stack(self) -> None:
        stack = self.make()
        before = self.resources(stack)
        target = f"{self.name}/web"

        dry = self.succeed("move", self.name, target, "net", "--dry-run")
        self.assertIn(f"{target}:", dry.out)
        self.assertEqual({"net", "web"}, self.names_in_parent(stack))
        self.succeed("move", self.name, target, "net")

        self.assertEqual({"web"}, self.names_in_parent(stack))
        self.assertEqual(before, self.resources(stack))
        self.assertEqual("UPDATE_COMPLETE", self.status(self.name))

    def test_ctrl_c_detaches_from_both_stacks(self) -> None:
        source, target = self.name, f"{self.name}-target"
        self.create(world_templates.chain("old"))
        empty = str(self.write("empty.yaml", _EMPTY))
        self.succeed("up", empty, "--name", target)
        rest = world_templates.chain("new")
        del rest["resources"]["c"]
        kept = str(self.write("kept.json", json.dumps(rest)))
        self.hold("update", "a")
        spawned = self.spawn(
            *("move", source, target, "c", "--source-template", kept),
            *("-f", "plain"),
        )
        spawned.expect(r"UPDATE_IN_PROGRESS +a")

        spawned.sendintr()
        code, said = self.end(spawned)

        self.assertEqual(130, code, said)
        self.assertIn(f"Detached: the update of {source} goes on", said)
        self.assertNotIn(f"UPDATE of {target}", said)

    def names_in_parent(self, stack: models.StackIdentity) -> set[str]:
        return {each.name for each in self.orch.resources.list(stack)}
