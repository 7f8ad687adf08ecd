"""Stacks in stacks: through REST, on ``orch-all``, and looked up in the world
that the plug-in acts on.
"""

import time
import typing

from tests.functional import acting
from tests.support import rest
from tests.support import things
from tests.support import world

Json = things.Json
thing = things.thing
template = things.template

_INNER = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string, default: none}
resources:
  inner:
    type: Test::World::Thing
    properties: {label: {get_param: label}}
  last:
    type: Test::World::Thing
    depends_on: inner
outputs:
  said: {value: {get_attr: [inner, label]}}
  id: {value: {get_resource: inner}}
  deep: {value: {a: [x, {get_param: label}]}}
"""


def inner(**properties: object) -> Json:
    """Return a resource that is a stack."""
    return {"type": "inner.yaml", "properties": properties}


class NestedTestCase(acting.ActionsTestCase):
    """Stacks of templates that come with the request."""

    def make(
        self, resources: Json, wait: str = "CREATE_COMPLETE", **body: object
    ) -> rest.Stack:
        """Create a stack with ``inner.yaml`` among its files."""
        body.setdefault("files", {"inner.yaml": _INNER})
        outputs = body.pop("outputs", {})
        stack = self.client.create(
            self.name,
            {
                "heat_template_version": "2021-04-16",
                "resources": resources,
                "outputs": outputs,
            },
            **body,
        )
        self.client.wait(stack, wait)
        return stack

    def inner_of(self, stack: rest.Stack, name: str) -> rest.Stack:
        """Return the stack that a resource is."""
        found = self.client.get(f"{stack.path}/resources/{name}", "resource")
        assert isinstance(found, dict)
        link = next(each for each in found["links"] if each["rel"] == "nested")
        return rest.Stack(*link["href"].rsplit("/", 2)[1:])

    def things(self) -> list[world.Thing]:
        """Return what stands of the tree of the test's stack."""
        return self.world.things_of_tree(self.name)

    def outputs(self, stack: rest.Stack) -> Json:
        found = typing.cast(Json, self.client.get(stack.path, "stack"))
        return {
            each["output_key"]: each["output_value"]
            for each in typing.cast(list[Json], found["outputs"])
        }

    def tree_acts(self, *acts: str) -> list[str]:
        """Return the names of what these acts were called for, in order."""
        return [
            each.name
            for each in self.world.calls()
            if each.act in acts and each.stack.startswith(self.name)
        ]

    def wait_for_tree(self, act: str, name: str) -> None:
        limit = time.monotonic() + 20
        while name not in self.tree_acts(act):
            self.assertLess(time.monotonic(), limit, f"no {act} of {name}")
            time.sleep(0.02)

    def labels(self) -> dict[str, str]:
        return {each.name: each.label for each in self.things()}

    def change(
        self,
        stack: rest.Stack,
        resources: Json,
        wait: str | None = "UPDATE_COMPLETE",
        **body: object,
    ) -> None:
        """Update a stack, with ``inner.yaml`` among its files."""
        body.setdefault("files", {"inner.yaml": _INNER})
        self.update(stack, template(**resources), **body)
        if wait:
            self.client.wait(stack, wait)

    def operations(self, stack: rest.Stack) -> list[Json]:
        found = self.client.get(f"{stack.path}/operations", "operations")
        return typing.cast(list[Json], found)

    def state(self, stack: rest.Stack) -> object:
        return self.client.show(stack)["stack_status"]


class CreateTests(NestedTestCase):
    def test_its_outputs_are_read_by_the_stack_around(self) -> None:
        stack = self.make(
            {
                "kid": inner(label="first"),
                "after": thing(label={"get_attr": ["kid", "said"]}),
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
        stack = self.make({"kid": inner(label="first")})

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.things())

    def test_what_fails_inside_is_told_with_its_path(self) -> None:
        self.world.order(
            self.name, "create", "inner", how="permanent", moment="before"
        )

        stack = self.make({"kid": inner()}, "CREATE_FAILED")

        self.assertIn(
            ": resources.kid.resources.inner: ",
            str(self.client.show(stack)["stack_status_reason"]),
        )

    def test_a_retry_goes_on_inside(self) -> None:
        self.world.order(
            self.name, "create", "last", how="permanent", moment="before"
        )
        stack = self.make(
            {"kid": inner(), "after": thing("kid")}, "CREATE_FAILED"
        )
        self.world.forgive(self.name)

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            ["inner", "last", "last", "after"], self.tree_acts("create")
        )
        self.assertEqual([], self.world.doubles())
        kid = self.inner_of(stack, "kid")
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
                "end": thing(label={"get_attr": ["mid", "said"]}),
            },
            files={"inner.yaml": _INNER, "outer.yaml": outer},
        )

        self.assertEqual("deep", self.labels()["end"])
        mid = self.inner_of(stack, "mid")
        kid = self.inner_of(mid, "kid")
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
            {"kid": inner()},
            environment={"parameter_defaults": {"label": "from afar"}},
        )

        self.assertEqual("from afar", self.labels()["inner"])


class UpdateTests(NestedTestCase):
    def test_new_values_change_it_in_place(self) -> None:
        stack = self.make({"kid": inner(label="old")})
        before = {each.name: each.id for each in self.things()}

        self.change(stack, {"kid": inner(label="new")})

        self.assertEqual("new", self.labels()["inner"])
        self.assertEqual(
            before, {each.name: each.id for each in self.things()}
        )

    def test_a_new_file_alone_changes_it(self) -> None:
        stack = self.make({"kid": inner(label="old")})

        text = _INNER.replace("last:", "other:")
        self.change(
            stack, {"kid": inner(label="old")}, files={"inner.yaml": text}
        )

        self.assertEqual({"inner", "other"}, set(self.labels()))

    def test_what_stays_as_it_is_gets_no_operation(self) -> None:
        stack = self.make({"kid": inner(label="old"), "x": thing()})
        kid = self.inner_of(stack, "kid")

        self.change(
            stack, {"kid": inner(label="old"), "x": thing(label="new")}
        )

        self.assertEqual(1, len(self.operations(kid)))

    def test_a_new_request_reaches_what_runs_inside(self) -> None:
        self.world.order(self.name, "create", "inner")
        stack = self.make({"kid": inner(label="old")}, "CREATE_IN_PROGRESS")
        self.wait_for_tree("held-create-watch", "inner")

        self.change(stack, {"kid": inner(label="new")}, wait=None)
        self.world.forgive(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual("new", self.labels()["inner"])
        self.assertEqual([], self.world.doubles())
        self.assertEqual(2, len(self.things()))

    def test_a_failure_inside_is_undone_from_outside(self) -> None:
        stack = self.make(
            {"kid": inner(label="old"), "x": thing("kid", label="old")},
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
            {"kid": inner(label="new"), "x": thing("kid", label="new")},
            "ROLLBACK_COMPLETE",
        )

        self.assertEqual(
            {"inner": "old", "last": "", "x": "old"}, self.labels()
        )

    def test_it_is_removed_once_nothing_names_it(self) -> None:
        stack = self.make({"kid": inner(), "x": thing()})

        self.change(stack, {"x": thing()})

        self.assertEqual(["x"], sorted(self.labels()))

    def test_a_failed_update_goes_on_inside(self) -> None:
        stack = self.make({"kid": inner(label="old")})
        self.world.order(
            self.name,
            "update",
            "inner",
            how="permanent",
            moment="before",
            times=1,
        )
        self.change(stack, {"kid": inner(label="new")}, "UPDATE_FAILED")

        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual("new", self.labels()["inner"])


class ActTests(NestedTestCase):
    def test_suspend_and_resume_reach_all_levels(self) -> None:
        stack = self.make({"kid": inner(), "x": thing()})

        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        rested = {each.name for each in self.things() if each.rests}
        kid = self.inner_of(stack, "kid")
        state = self.state(kid)
        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_COMPLETE")

        self.assertEqual({"inner", "last", "x"}, rested)
        self.assertEqual("SUSPEND_COMPLETE", state)
        self.assertEqual(
            set(), {each.name for each in self.things() if each.rests}
        )

    def test_a_check_looks_inside(self) -> None:
        stack = self.make({"kid": inner()})
        kid = self.inner_of(stack, "kid")
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
        stack = self.make({"kid": inner()}, "CREATE_IN_PROGRESS")
        self.wait_for_tree("held-create-watch", "inner")
        kid = self.inner_of(stack, "kid")

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "CREATE_FAILED")
        self.client.wait(kid, "CREATE_FAILED")

        self.assertEqual([], self.tree_acts("create-last"))

    def test_time_that_is_over_ends_what_runs_inside(self) -> None:
        self.world.order(self.name, "create", "inner")
        stack = self.make({"kid": inner()}, "CREATE_IN_PROGRESS")
        self.wait_for_tree("held-create-watch", "inner")

        self.client.delete(stack)
        self.world.forgive(self.name)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.things())


class ReadTests(NestedTestCase):
    def test_lists_go_as_deep_as_they_are_asked(self) -> None:
        stack = self.make({"kid": inner(), "x": thing()})
        kid = self.inner_of(stack, "kid")

        flat = self.client.get(f"{stack.path}/resources", "resources")
        deep = self.client.get(
            f"{stack.path}/resources?nested_depth=1", "resources"
        )

        self.assertEqual(["kid", "x"], [e["resource_name"] for e in flat])
        self.assertEqual(
            [("kid", None), ("x", None), ("inner", "kid"), ("last", "kid")],
            [(e["resource_name"], e.get("parent_resource")) for e in deep],
        )
        nested = [
            link["href"].rsplit("/", 1)[1]
            for link in deep[0]["links"]
            if link["rel"] == "nested"
        ]
        self.assertEqual([kid.id], nested)

    def test_events_of_all_levels_come_in_their_order(self) -> None:
        stack = self.make({"kid": inner()})
        kid = self.inner_of(stack, "kid")

        found = self.client.get(
            f"{stack.path}/events?nested_depth=2", "events"
        )

        told = [
            (e["resource_name"], e["resource_status"])
            for e in found
            if e["resource_status"] == "CREATE_COMPLETE"
        ]
        self.assertEqual(
            [
                ("inner", "CREATE_COMPLETE"),
                ("last", "CREATE_COMPLETE"),
                (kid.name, "CREATE_COMPLETE"),
                ("kid", "CREATE_COMPLETE"),
                (stack.name, "CREATE_COMPLETE"),
            ],
            told,
        )
        roots = {
            link["href"].rsplit("/", 1)[1]
            for e in found
            for link in e["links"]
            if link["rel"] == "root_stack"
        }
        self.assertEqual({stack.id}, roots)

    def test_inner_stacks_are_listed_on_request(self) -> None:
        stack = self.make({"kid": inner()})
        kid = self.inner_of(stack, "kid")

        flat = self.client.get("/stacks", "stacks")
        deep = self.client.get("/stacks?show_nested=true", "stacks")

        self.assertNotIn(kid.id, [each["id"] for each in flat])
        parents = {each["id"]: each["parent"] for each in deep}
        self.assertEqual(stack.id, parents[kid.id])


class LimitTests(NestedTestCase):
    options: typing.ClassVar[Json] = {
        "DEFAULT": {"max_resources_per_stack": 5}
    }

    def test_a_tree_has_no_more_resources_than_a_stack(self) -> None:
        stack = self.make({"one": inner(), "two": inner()}, "CREATE_FAILED")

        self.assertIn(
            "Maximum resources per stack exceeded",
            str(self.client.show(stack)["stack_status_reason"]),
        )


class StackTypeTests(NestedTestCase):
    """``OS::Heat::Stack``: the template stands in a property."""

    @staticmethod
    def of(label: str, **more: Json) -> Json:
        return {
            "type": "OS::Heat::Stack",
            "properties": {
                "template": _INNER,
                "parameters": {"label": label},
                **more,
            },
        }

    def test_it_is_made_changed_and_read(self) -> None:
        outputs = {"all": {"value": {"get_attr": ["kid", "outputs", "said"]}}}
        stack = self.make({"kid": self.of("old")}, outputs=outputs)
        before = self.outputs(stack)
        kid = self.inner_of(stack, "kid")

        self.update(
            stack,
            {**template(kid=self.of("new")), "outputs": outputs},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.update(
            stack,
            {**template(kid=self.of("new")), "outputs": outputs},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            ("old", "new"), (before["all"], self.outputs(stack)["all"])
        )
        self.assertEqual(
            ["UPDATE", "CREATE"],
            [each["action"] for each in self.operations(kid)],
        )

    def test_another_installation_is_refused_before_anything_is_made(
        self,
    ) -> None:
        kid = self.of("x", context={"region_name": "far"})

        status, _ = self.refused(
            self.client.create, self.name, template(kid=kid)
        )

        self.assertEqual(400, status)


class SnapshotTests(NestedTestCase):
    def take(self, stack: rest.Stack) -> str:
        found = typing.cast(
            Json, self.client.ask("POST", f"{stack.path}/snapshots", {})
        )
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        return str(found["id"])

    def test_going_back_reaches_what_is_stored_inside(self) -> None:
        stack = self.make({"kid": inner(label="old")})
        kid = self.inner_of(stack, "kid")
        taken = self.take(stack)
        self.world.relabel(kid.name, "inner", "by hand")
        self.change(stack, {"kid": inner(label="new")})

        self.client.ask("POST", f"{stack.path}/snapshots/{taken}/restore")
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual("old", self.labels()["inner"])
        self.assertEqual("RESTORE_COMPLETE", self.state(kid))

    def test_it_goes_with_the_snapshot_of_the_stack_around(self) -> None:
        stack = self.make({"kid": inner(label="old")})
        kid = self.inner_of(stack, "kid")
        taken = self.take(stack)
        kept = self.world.snapshots(kid.name)

        self.client.ask("DELETE", f"{stack.path}/snapshots/{taken}")

        self.assertEqual(1, len(kept))
        self.assertEqual([], self.world.snapshots(kid.name))
        self.assertEqual(
            [], self.client.get(f"{kid.path}/snapshots", "snapshots")
        )


class PlanTests(NestedTestCase):
    def plan(self, stack: rest.Stack, resources: Json) -> Json:
        found = self.client.ask(
            "PUT",
            f"{stack.path}/preview",
            {
                "template": template(**resources),
                "files": {"inner.yaml": _INNER},
            },
        )
        return typing.cast(dict[str, Json], found)["plan"]

    def told(  # type: ignore[override]
        self, plan: Json
    ) -> list[tuple[object, ...]]:
        """Return kind and name of the changes, inner ones after theirs."""
        found: list[tuple[object, ...]] = []
        for each in typing.cast(list[Json], plan["changes"]):
            if each["kind"] == "clean-up":
                continue
            found.append((each["kind"], each["resource_name"]))
            if "inner" in each:
                found += self.told(typing.cast(Json, each["inner"]))
        return found

    def test_it_shows_what_happens_inside(self) -> None:
        stack = self.make({"kid": inner(label="old"), "x": thing()})

        plan = self.plan(stack, {"kid": inner(label="new"), "y": inner()})

        self.assertEqual(
            [
                ("update", "kid"),
                ("update", "inner"),
                ("create", "y"),
                ("create", "inner"),
                ("create", "last"),
                ("delete", "x"),
            ],
            self.told(plan),
        )
        changes = typing.cast(list[Json], plan["changes"])
        deep = typing.cast(typing.Any, changes[0])["inner"]["changes"][0]
        self.assertEqual(
            {"old": "old", "new": "new"},
            {key: deep["properties"]["label"][key] for key in ("old", "new")},
        )

    def test_a_plan_is_stale_once_an_inner_stack_has_moved(self) -> None:
        stack = self.make({"kid": inner(label="old")})
        kid = self.inner_of(stack, "kid")
        kept = typing.cast(
            dict[str, Json],
            self.client.ask(
                "POST", f"{stack.path}/plans", {"action": "delete"}
            ),
        )
        self.act(kid, "check")
        self.client.wait(kid, "CHECK_COMPLETE")

        error = self.refused(
            self.client.ask,
            "POST",
            f"{stack.path}/plans/{kept['plan']['id']}/apply",
        )

        self.assertEqual(409, error[0])


class CountTests(NestedTestCase):
    """The tree of a root has room for as many resources as a stack."""

    options: typing.ClassVar[Json] = {
        "DEFAULT": {"max_resources_per_stack": 7}
    }

    def test_what_a_rollback_takes_back_is_not_counted(self) -> None:
        stack = self.make({"x": thing()}, disable_rollback=False)
        self.world.order(
            self.name,
            "create",
            "y",
            how="permanent",
            moment="before",
            times=1,
        )
        self.change(
            stack,
            {"x": thing(), "kid": inner(), "y": thing("kid")},
            "ROLLBACK_COMPLETE",
        )

        self.change(stack, {"x": thing(), "one": inner(), "two": inner()})

        self.assertEqual(5, len(self.things()))

    def test_an_inner_stack_that_is_deleted_by_itself_makes_room(
        self,
    ) -> None:
        stack = self.make({"kid": inner(), "x": thing()})
        kid = self.inner_of(stack, "kid")

        self.client.delete(kid)
        self.client.wait(kid, "DELETE_COMPLETE")
        self.change(stack, {"one": inner(), "two": inner()})

        self.assertEqual(4, len(self.things()))


class PreviewTests(NestedTestCase):
    def test_an_update_shows_inner_resources_where_asked(self) -> None:
        stack = self.make({"kid": inner(label="old"), "x": thing()})
        body: Json = {
            "template": template(kid=inner(label="new"), y=inner()),
            "files": {"inner.yaml": _INNER},
        }

        def names(query: str) -> dict[str, list[str]]:
            found = self.client.ask(
                "PUT", f"{stack.path}/preview{query}", body
            )
            changes = typing.cast(typing.Any, found)["resource_changes"]
            return {
                kind: [each["resource_name"] for each in listed]
                for kind, listed in changes.items()
                if listed
            }

        self.assertEqual(
            {"updated": ["kid"], "added": ["y"], "deleted": ["x"]}, names("")
        )
        self.assertEqual(
            {
                "updated": ["kid", "inner"],
                "added": ["y", "inner", "last"],
                "deleted": ["x"],
                "unchanged": ["last"],
            },
            names("?show_nested=true"),
        )

    def test_a_creation_shows_stacks_as_lists(self) -> None:
        found = self.client.ask(
            "POST",
            "/stacks/preview",
            {
                "stack_name": self.name,
                "template": template(kid=inner(label="new"), x=thing()),
                "files": {"inner.yaml": _INNER},
            },
        )
        kid, plain = typing.cast(typing.Any, found)["stack"]["resources"]

        self.assertEqual("x", plain["resource_name"])
        self.assertEqual(
            [("inner", "kid", "new"), ("last", "kid", None)],
            [
                (
                    each["resource_name"],
                    each["parent_resource"],
                    each["properties"]["label"] or None,
                )
                for each in kid
            ],
        )
