"""Stacks in stacks: through REST, on ``orch-all``, and looked up in the world
that the plug-in acts on.
"""

from tests.functional import nesting
from tests.support import world_templates

Json = world_templates.Json
child_resource = nesting.child_resource
declare_resource = world_templates.declare_resource
template = world_templates.template


class CreateTests(nesting.NestedTestCase):
    def test_its_outputs_are_read_by_the_stack_around(self) -> None:
        stack = self.make(
            {
                "kid": child_resource(label="first"),
                "after": declare_resource(label={"get_attr": ["kid", "said"]}),
            },
            outputs={
                "deep": {"value": {"get_attr": ["kid", "deep", "a", 1]}},
                "member": {
                    "value": {"get_attr": ["kid", "resource.inner", "label"]}
                },
            },
        )

        self.assertEqual("first", self.labels()["after"])
        self.assertEqual(
            {"deep": "first", "member": "first"}, self.outputs(stack)
        )

    def test_it_goes_with_the_stack_around(self) -> None:
        stack = self.make({"kid": child_resource(label="first")})

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.physical_resources())

    def test_what_fails_inside_is_told_with_its_path(self) -> None:
        self.world.order(
            self.name, "create", "inner", how="permanent", moment="before"
        )

        stack = self.make({"kid": child_resource()}, "CREATE_FAILED")

        self.assertIn(
            ": resources.kid.resources.inner: ",
            str(self.client.show(stack)["stack_status_reason"]),
        )

    def test_a_retry_goes_on_inside(self) -> None:
        self.world.order(
            self.name, "create", "last", how="permanent", moment="before"
        )
        stack = self.make(
            {"kid": child_resource(), "after": declare_resource("kid")},
            "CREATE_FAILED",
        )
        self.world.forgive(self.name)

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            ["inner", "last", "last", "after"], self.tree_acts("create")
        )
        self.assertEqual([], self.world.doubles())
        kid = self.child_of(stack, "kid")
        self.assertEqual(
            [("CREATE", 2)],
            [
                (each["action"], each["attempt"])
                for each in self.operations(kid)
            ],
        )

    def test_three_levels(self) -> None:
        outer = """
heat_template_version: 2021-04-16
resources:
  kid: {type: inner.yaml, properties: {label: deep}}
outputs:
  said: {value: {get_attr: [kid, said]}}
"""
        stack = self.make(
            {
                "mid": {"type": "outer.yaml"},
                "end": declare_resource(label={"get_attr": ["mid", "said"]}),
            },
            files={"inner.yaml": nesting.INNER, "outer.yaml": outer},
        )

        self.assertEqual("deep", self.labels()["end"])
        mid = self.child_of(stack, "mid")
        kid = self.child_of(mid, "kid")
        shown = self.client.show(kid)
        self.assertEqual(
            (mid.id, "CREATE_COMPLETE"),
            (shown["parent"], shown["stack_status"]),
        )

    def test_types_that_the_environment_maps(self) -> None:
        self.make(
            {"kid": {"type": "My::Own", "properties": {"label": "mapped"}}},
            environment={"resource_registry": {"My::Own": "inner.yaml"}},
        )

        self.assertEqual("mapped", self.labels()["inner"])

    def test_defaults_of_the_environment_reach_inside(self) -> None:
        self.make(
            {"kid": child_resource()},
            environment={"parameter_defaults": {"label": "from afar"}},
        )

        self.assertEqual("from afar", self.labels()["inner"])


class UpdateTests(nesting.NestedTestCase):
    def test_new_values_change_it_in_place(self) -> None:
        stack = self.make({"kid": child_resource(label="old")})
        before = {each.name: each.id for each in self.physical_resources()}

        self.change(stack, {"kid": child_resource(label="new")})

        self.assertEqual("new", self.labels()["inner"])
        self.assertEqual(
            before, {each.name: each.id for each in self.physical_resources()}
        )

    def test_a_new_file_alone_changes_it(self) -> None:
        stack = self.make({"kid": child_resource(label="old")})

        text = nesting.INNER.replace("last:", "other:")
        self.change(
            stack,
            {"kid": child_resource(label="old")},
            files={"inner.yaml": text},
        )

        self.assertEqual({"inner", "other"}, set(self.labels()))

    def test_what_stays_as_it_is_gets_no_operation(self) -> None:
        stack = self.make(
            {"kid": child_resource(label="old"), "x": declare_resource()}
        )
        kid = self.child_of(stack, "kid")

        self.change(
            stack,
            {
                "kid": child_resource(label="old"),
                "x": declare_resource(label="new"),
            },
        )

        self.assertEqual(1, len(self.operations(kid)))

    def test_a_new_request_reaches_what_runs_inside(self) -> None:
        self.world.order(self.name, "create", "inner")
        stack = self.make(
            {"kid": child_resource(label="old")}, "CREATE_IN_PROGRESS"
        )
        self.wait_for_tree("held-create-watch", "inner")

        self.change(stack, {"kid": child_resource(label="new")}, wait=None)
        self.world.forgive(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual("new", self.labels()["inner"])
        self.assertEqual([], self.world.doubles())
        self.assertEqual(2, len(self.physical_resources()))

    def test_a_failure_inside_is_undone_from_outside(self) -> None:
        stack = self.make(
            {
                "kid": child_resource(label="old"),
                "x": declare_resource("kid", label="old"),
            },
            disable_rollback=False,
        )
        self.world.order(
            self.name,
            "update",
            "x",
            how="permanent",
            moment="before",
            times=1,
        )

        self.change(
            stack,
            {
                "kid": child_resource(label="new"),
                "x": declare_resource("kid", label="new"),
            },
            "ROLLBACK_COMPLETE",
        )

        self.assertEqual(
            {"inner": "old", "last": "", "x": "old"}, self.labels()
        )

    def test_it_is_removed_once_nothing_names_it(self) -> None:
        stack = self.make({"kid": child_resource(), "x": declare_resource()})

        self.change(stack, {"x": declare_resource()})

        self.assertEqual(["x"], sorted(self.labels()))

    def test_a_failed_update_goes_on_inside(self) -> None:
        stack = self.make({"kid": child_resource(label="old")})
        self.world.order(
            self.name,
            "update",
            "inner",
            how="permanent",
            moment="before",
            times=1,
        )
        self.change(
            stack, {"kid": child_resource(label="new")}, "UPDATE_FAILED"
        )

        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual("new", self.labels()["inner"])


class ActTests(nesting.NestedTestCase):
    def test_suspend_and_resume_reach_all_levels(self) -> None:
        stack = self.make({"kid": child_resource(), "x": declare_resource()})

        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        rested = {
            each.name for each in self.physical_resources() if each.rests
        }
        kid = self.child_of(stack, "kid")
        state = self.state(kid)
        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_COMPLETE")

        self.assertEqual({"inner", "last", "x"}, rested)
        self.assertEqual("SUSPEND_COMPLETE", state)
        self.assertEqual(
            set(),
            {each.name for each in self.physical_resources() if each.rests},
        )

    def test_a_check_looks_inside(self) -> None:
        stack = self.make({"kid": child_resource()})
        kid = self.child_of(stack, "kid")
        self.world.remove(kid.name, "last")

        self.act(stack, "check")
        self.client.wait(stack, "CHECK_FAILED")

        self.assertIn(
            "resources.kid.resources.last",
            str(self.client.show(stack)["stack_status_reason"]),
        )
        self.assertEqual("CHECK_FAILED", self.state(kid))

    def test_cancel_ends_what_runs_inside(self) -> None:
        self.world.order(self.name, "create", "inner")
        stack = self.make({"kid": child_resource()}, "CREATE_IN_PROGRESS")
        self.wait_for_tree("held-create-watch", "inner")
        kid = self.child_of(stack, "kid")

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "CREATE_FAILED")
        self.client.wait(kid, "CREATE_FAILED")

        self.assertEqual([], self.tree_acts("create-last"))

    def test_time_that_is_over_ends_what_runs_inside(self) -> None:
        self.world.order(self.name, "create", "inner")
        stack = self.make({"kid": child_resource()}, "CREATE_IN_PROGRESS")
        self.wait_for_tree("held-create-watch", "inner")

        self.client.delete(stack)
        self.world.forgive(self.name)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.physical_resources())
