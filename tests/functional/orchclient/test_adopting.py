"""``--adopt``: commands that take physical resources over."""

from tests.functional.orchclient import commanding
from tests.support import rest

_ONE = """
heat_template_version: 2021-04-16
resources:
  a: {type: Test::World::Thing}
"""
_TWO = f"""{_ONE}
  b: {{type: Test::World::Thing}}
"""


class AdoptingTests(commanding.CommandTestCase):
    """``orch …``."""

    def left(self) -> str:
        """Return the id of a thing that no stack has any more."""
        stack = self.client.create(self.name, _ONE)
        self.client.wait(stack, "CREATE_COMPLETE")
        ids = self.ids(stack)
        self.client.ask("DELETE", f"{stack.path}/abandon")
        self.client.wait(stack, "DELETE_COMPLETE")
        return ids["a"]

    def ids(self, stack: rest.Stack) -> dict[str, str]:
        return {
            name: str(row["physical_resource_id"])
            for name, row in self.client.resources(stack).items()
        }

    def found(self) -> rest.Stack:
        (listed,) = self.client.get(f"/stacks?name={self.name}", "stacks")  # type: ignore[misc]
        return rest.Stack(self.name, str(listed["id"]))

    def test_up_adopts_and_can_be_repeated(self) -> None:
        thing = self.left()
        words = ("--name", self.name, "--adopt", f"a={thing}")

        planned = self.succeed("plan", self.template(_TWO), *words)
        self.succeed("up", self.template(_TWO), *words)
        self.succeed("up", self.template(_TWO), *words)

        self.assertIn("adopt", planned.out)
        self.assertEqual(thing, self.ids(self.found())["a"])

    def test_create_and_update_adopt(self) -> None:
        thing = self.left()
        file = self.template(_ONE)
        self.succeed("stack", "create", self.name, "-t", file)

        self.succeed(
            *("stack", "update", self.name, "-t", self.template(_TWO)),
            *("--adopt", f"b={thing}", "--adopt-verify", "refuse"),
        )

        self.assertEqual(thing, self.ids(self.found())["b"])
        other = f"{self.name}-2"
        refused = self.run_command(
            *("stack", "create", other, "-t", file, "--adopt", f"a={thing}")
        )
        self.assertEqual(6, refused.code, refused)
        self.assertIn("belongs to resource b of stack", refused.err)

    def test_what_is_no_pair_is_refused(self) -> None:
        ended = self.run_command(
            *("up", self.template(_ONE), "--name", self.name, "--adopt", "a")
        )

        self.assertEqual(2, ended.code, ended)
        self.assertIn("must be KEY=VALUE", ended.err)
