"""R8: a retry leaves out resources of child stacks, by their paths."""

from tests import base
from tests.functional import nesting
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource

_EVER = 99

_LEAF = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string, default: ""}
resources:
  t1:
    type: Test::World::Thing
    properties: {label: {get_param: label}}
  t2:
    type: Test::World::Thing
    depends_on: t1
    properties: {label: {get_param: label}}
  t3:
    type: Test::World::Thing
    depends_on: t2
    properties: {label: {get_param: label}}
"""

_MID = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string, default: ""}
resources:
  leaf:
    type: leaf.yaml
    properties: {label: {get_param: label}}
  m:
    type: Test::World::Thing
    depends_on: leaf
    properties: {label: {get_param: label}}
"""

_FILES = {"mid.yaml": _MID, "leaf.yaml": _LEAF}


def _mid(label: str = "") -> Json:
    return {"type": "mid.yaml", "properties": {"label": label}}


class PathsTestCase(nesting.NestedTestCase):
    """A tree of three levels; ``t2`` in the lowest stack fails."""

    def build(
        self, wait: str = "CREATE_COMPLETE", **body: object
    ) -> rest.Stack:
        return self.make({"mid": _mid()}, wait, files=_FILES, **body)

    def forever(self, act: str, name: str = "t2") -> None:
        """Let all calls of an act fail for good, in each stack."""
        self.world.order(
            self.name, act, name, how="permanent", moment="before", times=_EVER
        )

    def retry(self, stack: rest.Stack, **options: object) -> None:
        self.client.ask("POST", f"{stack.path}/actions", {"retry": options})

    def refusal(self, stack: rest.Stack, **options: object) -> str:
        error = self.assertRaises(
            rest.RefusedError, self.retry, stack, **options
        )
        self.assertEqual(400, error.status)
        return error.message

    def left(self) -> list[str]:
        return sorted(each.name for each in self.physical_resources())

    def leaf_of(self, stack: rest.Stack) -> rest.Stack:
        return self.child_of(self.child_of(stack, "mid"), "leaf")

    def status(self, stack: rest.Stack, name: str) -> str:
        found = self.client.resources(stack)[name]
        return f"{found['resource_status']}: {found['resource_status_reason']}"


class CreationTests(PathsTestCase):
    """A creation is retried from the root."""

    def setUp(self) -> None:
        super().setUp()
        self.forever("create")
        self.stack = self.build("CREATE_FAILED")

    def test_r8_skip_two_levels_below(self) -> None:
        self.retry(self.stack, skip=["mid/leaf/t2"])
        self.client.wait(self.stack, "CREATE_COMPLETE")

        self.assertEqual(["m", "t1", "t3"], self.left())
        self.assertEqual(1, self.tree_acts("create").count("t2"))
        told = self.status(self.leaf_of(self.stack), "t2")
        self.assertIn("CREATE_FAILED: Skipped", told)
        operation = self.operations(self.stack)[0]
        self.assertEqual(["mid/leaf/t2"], operation["skip"])
        below = self.operations(self.leaf_of(self.stack))[0]
        self.assertEqual(["t2"], below["skip"])

    def test_r8_the_next_update_includes_it_again(self) -> None:
        self.retry(self.stack, skip=["mid/leaf/t2"])
        self.client.wait(self.stack, "CREATE_COMPLETE")
        self.world.forgive(self.name)

        self.client.ask("PATCH", self.stack.path, {})
        self.client.wait(self.stack, "UPDATE_COMPLETE")

        self.assertEqual(["m", "t1", "t2", "t3"], self.left())

    def test_r8_it_stays_so_for_further_attempts(self) -> None:
        self.world.order(
            self.name,
            "create",
            "m",
            how="permanent",
            moment="before",
            times=1,
        )
        self.retry(self.stack, skip=["mid/leaf/t2"])
        self.client.wait(self.stack, "CREATE_FAILED")

        self.retry(self.stack)
        self.client.wait(self.stack, "CREATE_COMPLETE")

        self.assertEqual(["m", "t1", "t3"], self.left())
        self.assertEqual(1, self.tree_acts("create").count("t2"))

    def test_r8_a_skipped_one_may_be_orphaned_later(self) -> None:
        self.world.order(
            self.name,
            "create",
            "m",
            how="permanent",
            moment="before",
            times=1,
        )
        self.retry(self.stack, skip=["mid/leaf/t2"])
        self.client.wait(self.stack, "CREATE_FAILED")
        self.world.forgive(self.name)

        self.retry(self.stack, orphan=["mid/leaf/t2"])
        self.client.wait(self.stack, "CREATE_COMPLETE")

        self.assertEqual(["m", "t1", "t2", "t3"], self.left())
        operation = self.operations(self.stack)[0]
        self.assertEqual(
            ([], ["mid/leaf/t2"]), (operation["skip"], operation["orphan"])
        )

    def test_r8_each_wrong_path_is_refused_with_where_it_stops(self) -> None:
        before = self.operations(self.stack)

        text = self.refusal(
            self.stack,
            skip=[
                "mid/leaf/t1",
                "mid/leaf/no",
                "mid/none/t2",
                "other/t2",
                "mid/leaf/t2/x",
                "mid//t2",
            ],
        )

        for words in (
            "mid/leaf/t1: it is complete",
            "mid/leaf/no: the child stack mid/leaf has no resource no",
            "mid/none/t2: the child stack mid has no resource none",
            "other/t2: the stack has no such resource as other",
            "mid/leaf/t2/x: mid/leaf/t2 is no child stack",
            "mid//t2: the child stack mid has no resource ",
        ):
            self.assertIn(words, text)
        self.assertEqual(before, self.operations(self.stack))

    def test_r8_a_stack_is_left_out_whole_or_in_parts(self) -> None:
        text = self.refusal(
            self.stack, skip=["mid/leaf"], orphan=["mid/leaf/t2"]
        )

        self.assertIn(
            "mid/leaf/t2: mid/leaf is left out with all that it holds", text
        )
        self.assertNotIn("mid/leaf: ", text)


class ExistingTests(PathsTestCase):
    """What exists is changed, replaced or removed."""

    def test_r8_skip_in_an_update(self) -> None:
        stack = self.build()
        self.forever("update")
        self.change(stack, {"mid": _mid("new")}, "UPDATE_FAILED", files=_FILES)

        self.retry(stack, skip=["mid/leaf/t2"])
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            {"t1": "new", "t2": "", "t3": "new", "m": "new"}, self.labels()
        )

    def test_r8_orphan_in_an_update(self) -> None:
        stack = self.build()
        self.forever("update")
        self.change(stack, {"mid": _mid("new")}, "UPDATE_FAILED", files=_FILES)

        self.retry(stack, orphan=["mid/leaf/t2"])
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["m", "t1", "t2", "t2", "t3"], self.left())
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(["t2"], self.left())

    def test_r8_skip_and_orphan_in_a_deletion(self) -> None:
        for key in ("skip", "orphan"):
            with self.subTest(key):
                self.take_name()
                stack = self.build()
                self.forever("delete")
                self.client.delete(stack)
                self.client.wait(stack, "DELETE_FAILED")

                self.retry(stack, **{key: ["mid/leaf/t2"]})
                self.client.wait(stack, "DELETE_COMPLETE")

                self.assertEqual(["t2"], self.left())

    def test_r8_skip_in_what_an_update_removes(self) -> None:
        stack = self.build()
        self.forever("delete")
        self.change(
            stack,
            {"other": declare_resource()},
            "UPDATE_FAILED",
            files=_FILES,
        )

        self.retry(stack, skip=["mid/leaf/t2"])
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["other", "t2"], self.left())
        self.assertEqual({"other"}, set(self.client.resources(stack)))

    def test_r8_skip_in_the_rollback_of_a_creation(self) -> None:
        self.forever("delete")
        self.world.order(
            self.name, "create", "m", how="permanent", moment="before"
        )
        stack = self.build("ROLLBACK_FAILED", disable_rollback=False)

        self.retry(stack, skip=["mid/leaf/t2"])
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(["t2"], self.left())

    def test_r8_skip_in_an_action(self) -> None:
        stack = self.build()
        self.forever("suspend")
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_FAILED")

        self.retry(stack, skip=["mid/leaf/t2"])
        self.client.wait(stack, "SUSPEND_COMPLETE")

        resting = {
            each.name for each in self.physical_resources() if each.rests
        }
        self.assertEqual({"m", "t1", "t3"}, resting)

    def test_r8_skip_in_a_member_of_a_group(self) -> None:
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": {"type": "leaf.yaml"}},
        }
        self.world.order(
            self.name,
            "create",
            "t2",
            how="permanent",
            moment="before",
            times=1,
        )
        stack = self.make(
            {"group": group}, "CREATE_FAILED", files=_FILES, keep_going=True
        )
        members = self.client.resources(self.child_of(stack, "group"))
        (failed,) = [
            name
            for name, row in members.items()
            if row["resource_status"] == "CREATE_FAILED"
        ]

        self.retry(stack, skip=[f"group/{failed}/t2"])
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["t1", "t1", "t2", "t3", "t3"], self.left())


class WorkersTests(base.TestCase):
    """Two workers share the operations of a tree, and are killed."""

    limit_s = 180

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        self.system = self.useFixture(
            running.Distributed(serving.options(), self.world.environment)
        ).system
        self.client = self.system.client

    def test_r8_paths_outlive_both_workers(self) -> None:
        self.world.order(
            "s", "create", "t2", how="permanent", moment="before", times=_EVER
        )
        stack = self.client.create(
            "s",
            world_templates.template(mid=_mid()),
            files=_FILES,
        )
        self.client.wait(stack, "CREATE_FAILED")
        self.world.order("s", "create", "t3", moment="after")

        self.client.ask(
            "POST",
            f"{stack.path}/actions",
            {"retry": {"skip": ["mid/leaf/t2"]}},
        )
        waiting.wait_for(
            lambda: "held-create-after" in [e.act for e in self.world.calls()],
            "t3 is held",
        )
        for each in self.system.engines:
            each.kill()
        self.world.release("s")
        for each in self.system.engines:
            each.start()
        self.client.wait(stack, "CREATE_COMPLETE")

        made = [each.name for each in self.world.resources_of_tree("s")]
        self.assertEqual(["m", "t1", "t3"], sorted(made))
        self.assertEqual([], self.world.doubles())
        tries = [e for e in self.world.calls() if e.act == "create"]
        self.assertEqual(1, [e.name for e in tries].count("t2"))
