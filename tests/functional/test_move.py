"""Resources go from one stack to another, and nothing in the world moves."""

import typing

import yaml

from orchclient import errors
from tests.functional import acting
from tests.support import move_bodies
from tests.support import rest
from tests.support import systems
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource
template = world_templates.template


def reading() -> Json:
    """Return a template whose outputs tell of two things."""
    wanted = template(
        a=declare_resource(label="one", value="v"),
        b=declare_resource(label="two", value="w"),
    )
    wanted["outputs"] = {"b": {"value": {"get_resource": "b"}}}
    return wanted


class MovingTestCase(acting.ActionsTestCase):
    """Things go from a stack to a second one, which has one of its own.

    :ivar here: name of the stack that they leave
    :ivar target: the other one
    """

    def setUp(self) -> None:
        super().setUp()
        self.here = self.name

    def two(self, wanted: Json, **body: object) -> rest.Stack:
        """Make the stack that things leave, and the other one."""
        source = self.created(wanted, **body)
        self.take_name()
        self.target = self.created(template(own=declare_resource()))
        return source

    def ids(self, stack: rest.Stack) -> dict[str, object]:
        rows = self.client.resources(stack)
        return {n: row["physical_resource_id"] for n, row in rows.items()}

    def existing_ids(self) -> set[str]:
        return {
            each.id
            for name in (self.here, self.name)
            for each in self.world.physical_resources(name)
        }

    def writes(self) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for name in (self.here, self.name)
            for each in self.world.calls(name)
            if each.act in ("create", "update", "delete")
        ]

    def ask_move(
        self,
        stack: rest.Stack,
        resources: move_bodies.Names,
        end: str = "",
        **more: object,
    ) -> Json:
        return self.ask_to(stack, self.target.name, resources, end, **more)

    def ask_to(
        self,
        source: rest.Stack,
        target: str,
        resources: move_bodies.Names,
        end: str = "",
        **more: object,
    ) -> Json:
        body = move_bodies.written(
            self.system.endpoint, source, target, resources, **more
        )
        return self.post_move(source, body, end)

    def post_move(self, source: rest.Stack, body: Json, end: str = "") -> Json:
        answer = self.client.ask("POST", f"{source.path}/move{end}", body)
        return typing.cast(dict[str, Json], answer)["move"]

    def assert_unwritten(
        self,
        stack: rest.Stack,
        resources: move_bodies.Names,
        why: str,
        target: str = "",
    ) -> None:
        """The library says that it cannot write the templates."""
        with self.assertRaisesRegex(errors.PackagingError, why):
            self.ask_to(stack, target or self.target.name, resources)

    def move(
        self,
        stack: rest.Stack,
        resources: move_bodies.Names,
        **more: object,
    ) -> Json:
        """Move, and wait for both stacks."""
        moved = self.ask_move(stack, resources, **more)
        for each in (stack, self.target):
            self.client.wait(each, "UPDATE_COMPLETE")
        return moved

    def tree(self, stack: rest.Stack) -> dict[str, object]:
        """Return the physical ids of all things of a tree, by path."""
        path = f"{stack.path}/resources?nested_depth=5"
        rows = typing.cast(list[Json], self.client.get(path, "resources"))
        return {
            f"{row.get('parent_resource') or ''}/{row['resource_name']}": row[
                "physical_resource_id"
            ]
            for row in rows
        }

    def touched(self) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for each in self.world.calls()
            if each.act in ("create", "update", "delete")
        ]


class MoveTests(MovingTestCase):
    def test_a_g7_a_resource_moves_and_stands_untouched(self) -> None:
        source = self.two(reading())
        before, ids = self.writes(), self.ids(source)

        moved = self.move(source, {"a": "c"})

        self.assertEqual({"a": "c"}, moved["resources"])
        self.assertEqual({"b": ids["b"]}, self.ids(source))
        self.assertEqual(ids["a"], self.ids(self.target)["c"])
        self.assertEqual({"own", "c"}, set(self.ids(self.target)))
        self.assertEqual({"b": ids["b"]}, self.client.outputs(source))
        self.assertEqual(before, self.writes())

    def test_a_g7_the_deletion_of_the_source_leaves_it(self) -> None:
        source = self.two(reading())
        ids = self.ids(source)
        self.move(source, ["a"])

        self.client.delete(source)
        self.client.wait(source, "DELETE_COMPLETE")

        self.assertIn(ids["a"], self.existing_ids())
        self.assertNotIn(ids["b"], self.existing_ids())

    def test_a_g7_the_deletion_of_the_target_removes_it(self) -> None:
        source = self.two(reading())
        ids = self.ids(source)
        self.move(source, ["a"])

        self.client.delete(self.target)
        self.client.wait(self.target, "DELETE_COMPLETE")

        self.assertEqual({ids["b"]}, self.existing_ids())

    def test_a_g7_both_stacks_tell_of_it(self) -> None:
        source = self.two(reading())
        self.move(source, {"a": "c"})

        told = [
            each["resource_status_reason"]
            for stack, name in ((source, "a"), (self.target, "c"))
            for each in self.client.events(stack)
            if each["resource_name"] == name
        ]

        self.assertIn(f"Moved to stack {self.target.name} as c", told)
        self.assertIn(f"Moved from stack {source.name}, where it was a", told)

    def test_a_g7_given_templates_lead_the_old_value_on(self) -> None:
        wanted = template(
            a=declare_resource(value="v"),
            b=declare_resource("a", refs=[{"get_resource": "a"}]),
        )
        source = self.two(wanted)
        before, ids = self.writes(), self.ids(source)
        come = template(own=declare_resource(), a=declare_resource(value="v"))
        come["outputs"] = {"value": {"value": {"get_attr": ["a", "value"]}}}

        self.move(
            source,
            ["a"],
            source_template=template(b=declare_resource(refs=[ids["a"]])),
            target_template=come,
        )

        self.assertEqual({"value": "v"}, self.client.outputs(self.target))
        self.assertEqual(before, self.writes())

    def test_a_g7_a_chain_moves_whole_and_keeps_its_order(self) -> None:
        source = self.two(world_templates.chain("l"))
        before, ids = self.writes(), self.ids(source)

        self.move(source, {"a": "x", "b": "y", "c": "z"})

        self.assertEqual({}, self.ids(source))
        self.assertEqual(before, self.writes())
        self.assertEqual(ids["b"], self.ids(self.target)["y"])
        self.client.delete(self.target)
        self.client.wait(self.target, "DELETE_COMPLETE")
        gone = [n for act, n in self.writes() if act == "delete"]
        self.assertEqual(["z", "y", "x"], [n for n in gone if n != "own"])

    def test_a_g7_the_preview_shows_and_changes_nothing(self) -> None:
        source = self.two(reading())
        ids = self.ids(source)

        shown = self.ask_move(source, {"a": "c"}, "/preview")

        self.assertEqual({"a": "c"}, shown["resources"])
        target = typing.cast(Json, shown["target"])
        self.assertEqual([], target["changes"])
        self.assertEqual(
            {"own", "c"}, set(typing.cast(list[str], target["unchanged"]))
        )
        self.assertEqual(ids, self.ids(source))
        self.assertEqual({"own"}, set(self.ids(self.target)))

    def test_a_g7_dependents_that_stay_refuse(self) -> None:
        source = self.two(world_templates.chain("l"))
        self.assert_unwritten(source, ["a"], "Resource b reads a")
        left = world_templates.chain("l")
        moved = left["resources"].pop("a")

        status, _ = self.refused(
            self.ask_move,
            source,
            ["a"],
            source_template=left,
            target_template=template(own=declare_resource(), a=moved),
        )

        self.assertEqual(400, status)
        self.assertEqual({"a", "b", "c"}, set(self.ids(source)))

    def test_a_g7_a_taken_name_refuses(self) -> None:
        source = self.two(reading())

        self.assert_unwritten(source, {"a": "own"}, "declares own already")

        refused = self.refused(
            self.ask_move, source, {"a": "own"}, source_template=template()
        )

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g7_what_is_declared_otherwise_refuses(self) -> None:
        source = self.two(reading())
        for declared in (
            declare_resource(label="another"),
            {"type": "OS::Heat::TestResource"},
        ):
            come = template(own=declare_resource(), a=declared)
            refused = self.refused(
                self.ask_move, source, ["a"], target_template=come
            )
            self.assertEqual((409, "HTTPConflict"), refused)
        self.assertEqual({"a", "b"}, set(self.ids(source)))

    def test_a_g7_a_hidden_value_is_not_written_down(self) -> None:
        wanted = template(a=declare_resource(label={"get_param": "word"}))
        wanted["parameters"] = {
            "word": {"type": "string", "hidden": True, "default": "secret"}
        }
        source = self.two(wanted)

        self.assert_unwritten(source, ["a"], "hidden value of parameter word")

    def test_a_g7_a_hidden_value_may_be_given(self) -> None:
        label = {"label": {"get_param": "word"}}
        words = {"word": {"type": "string", "hidden": True}}
        wanted = {**template(a=declare_resource(**label)), "parameters": words}
        source = self.two(wanted, parameters={"word": "secret"})
        ids = self.ids(source)
        come = template(own=declare_resource(), a=declare_resource(**label))

        self.move(
            source,
            ["a"],
            source_template=template(),
            target_template={**come, "parameters": words},
            target_parameters={"word": "secret"},
        )

        self.assertEqual(ids["a"], self.ids(self.target)["a"])

    def test_a_g7_a_generated_secret_is_not_written_down(self) -> None:
        both = {
            "secret": {"type": "OS::Heat::RandomString"},
            "a": declare_resource(label={"get_attr": ["secret", "value"]}),
        }
        source = self.two(template(**both))

        self.assert_unwritten(source, ["a"], "reads an attribute")

        self.move(source, ["secret", "a"])
        self.assertEqual({"own", "secret", "a"}, set(self.ids(self.target)))

    def test_a_g7_what_is_not_complete_refuses(self) -> None:
        source = self.two(reading())
        self.mark(source, "a", mark_unhealthy=True)

        refused = self.refused(self.ask_move, source, ["a"])

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g7_a_busy_stack_refuses(self) -> None:
        source = self.two(reading())
        self.world.order(self.name, "update", "own", moment="after")
        self.update(self.target, template(own=declare_resource(label="new")))

        refused = self.refused(self.ask_move, source, ["a"])

        self.world.release(self.name)
        self.client.wait(self.target, "UPDATE_COMPLETE")
        self.assertEqual((409, "ActionInProgress"), refused)

    def test_a_g7_wrong_bodies_are_refused(self) -> None:
        source = self.two(reading())
        body: Json = {"target": self.target.name, "resources": ["a"]}
        for wrong in (
            *({"resources": each} for each in ([], {}, ["a", "a"], "a", [1])),
            {"resources": {"a": ""}},
            {"other": 1},
            {"source_files": {"a": 1}},
            {"target_parameters": []},
            {"source_tags": "x"},
            {"target": source.name},
        ):
            status, _ = self.refused(self.post_move, source, {**body, **wrong})
            self.assertEqual(400, status, wrong)
        body["target"] = acting.MISSING.name
        self.assertEqual(404, self.refused(self.post_move, source, body)[0])

    def test_a_g7_the_stacks_can_be_updated_afterwards(self) -> None:
        source = self.two(reading())
        ids = self.ids(source)
        self.move(source, {"a": "c"})

        self.update(
            source, template(b=declare_resource(label="new", value="w"))
        )
        self.client.wait(source, "UPDATE_COMPLETE")
        new = declare_resource(label="new", value="v")
        self.update(self.target, template(own=declare_resource(), c=new))
        self.client.wait(self.target, "UPDATE_COMPLETE")

        self.assertEqual({"b": ids["b"]}, self.ids(source))
        self.assertEqual(ids["a"], self.ids(self.target)["c"])
        self.assertIn(("update", "c"), self.writes())

    def test_a_g7_a_rollback_brings_nothing_back(self) -> None:
        source = self.two(reading(), disable_rollback=False)
        ids = self.ids(source)
        self.world.order(self.here, "update", "b", how="permanent", times=1)
        left = template(b=declare_resource(label="new", value="w"))

        self.ask_move(
            source,
            ["a"],
            source_template=left,
            target_template=template(
                own=declare_resource(),
                a=declare_resource(label="one", value="v"),
            ),
        )
        self.client.wait(source, "ROLLBACK_COMPLETE")
        self.client.wait(self.target, "UPDATE_COMPLETE")

        self.assertEqual({"b": ids["b"]}, self.ids(source))
        self.assertEqual(ids["a"], self.ids(self.target)["a"])
        self.assertEqual(
            3, len([act for act, _ in self.writes() if act == "create"])
        )
        self.assertNotIn("delete", [act for act, _ in self.writes()])

    def test_a_g7_a_failed_stack_refuses(self) -> None:
        source = self.two(reading())
        self.world.order(self.here, "update", "b", how="permanent", times=1)
        wanted = reading()
        wanted["resources"]["b"] = declare_resource(label="new", value="w")
        self.update(source, wanted)
        self.client.wait(source, "UPDATE_FAILED")

        refused = self.refused(self.ask_move, source, ["a"])

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g7_what_is_not_there_refuses(self) -> None:
        source = self.two(reading())
        self.assert_unwritten(source, ["z"], "does not declare z")

        refused = self.refused(
            self.ask_move, source, ["z"], source_template=reading()
        )

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g7_the_source_must_not_declare_it_any_more(self) -> None:
        source = self.two(reading())
        body = {"target": self.target.name, "resources": ["a"]}

        with self.assertRaises(rest.RefusedError) as caught:
            self.post_move(source, body)

        self.assertEqual(409, caught.exception.status)
        self.assertIn("declares a still", caught.exception.message)

    def test_a_g7_an_output_that_would_read_nothing_refuses(self) -> None:
        source = self.two(reading())
        self.assert_unwritten(source, ["b"], "Output b reads b")
        left = reading()
        moved = left["resources"].pop("b")

        status, _ = self.refused(
            self.ask_move,
            source,
            ["b"],
            source_template=left,
            target_template=template(own=declare_resource(), b=moved),
        )

        self.assertEqual(409, status)
        self.assertEqual({"a", "b"}, set(self.ids(source)))


def holding() -> tuple[Json, dict[str, str]]:
    """Return a template of two levels, and its files."""
    inner = template(
        x=declare_resource(label={"get_param": "label"}),
        y=declare_resource("x"),
    )
    inner["parameters"] = {"label": {"type": "string", "default": "l"}}
    inner["outputs"] = {"x": {"value": {"get_resource": "x"}}}
    middle = template(
        deep={"type": "inner.yaml", "properties": {"label": "deep"}},
        m=declare_resource(),
    )
    middle["outputs"] = {"x": {"value": {"get_attr": ["deep", "x"]}}}
    files = {"inner.yaml": inner, "middle.yaml": middle}
    outer = template(two={"type": "middle.yaml"}, own=declare_resource())
    return outer, {name: yaml.safe_dump(each) for name, each in files.items()}


class MoveChildTests(MovingTestCase):
    """Stacks in the stack go with all that is in them."""

    def shown(self, stack_id: object) -> Json:
        found = self.client.ask("GET", f"/stacks/{stack_id}")
        return typing.cast(dict[str, Json], found)["stack"]

    def test_a_g7_an_inner_stack_moves_with_all_below(self) -> None:
        wanted, files = holding()
        source = self.two(wanted, files=files)
        before, ids = self.touched(), self.tree(source)
        held = ids["/two"]

        self.move(source, {"two": "moved"})

        self.assertEqual(before, self.touched())
        self.assertEqual(["/own"], list(self.tree(source)))
        found = self.tree(self.target)
        self.assertEqual(held, found["/moved"])
        self.assertEqual(ids["deep/x"], found["deep/x"])
        self.assertEqual(self.target.id, self.shown(held)["parent"])

    def test_a_g7_an_inner_stack_lives_and_dies_with_the_target(self) -> None:
        wanted, files = holding()
        source = self.two(wanted, files=files)
        ids = self.tree(source)
        self.move(source, ["two"])

        self.client.delete(source)
        self.client.wait(source, "DELETE_COMPLETE")
        found = self.tree(self.target)
        self.assertEqual(ids["deep/x"], found["deep/x"])
        self.client.ask("POST", f"{self.target.path}/actions", {"check": None})
        self.client.wait(self.target, "CHECK_COMPLETE")
        self.client.delete(self.target)
        self.client.wait(self.target, "DELETE_COMPLETE")

        alive = self.world.resources_of_tree(self.here)
        self.assertEqual([], [each.name for each in alive])

    def test_a_g7_a_group_moves_and_can_grow(self) -> None:
        group: Json = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": _member()},
        }
        source = self.two(template(g=group, own=declare_resource()))
        before, ids = self.touched(), self.tree(source)

        self.move(source, ["g"])

        self.assertEqual(before, self.touched())
        found = self.tree(self.target)
        self.assertEqual(ids["g/0"], found["g/0"])
        group["properties"] = {"count": 3, "resource_def": _member()}
        self.update(self.target, template(own=declare_resource(), g=group))
        self.client.wait(self.target, "UPDATE_COMPLETE")
        grown = self.tree(self.target)
        self.assertEqual(ids["g/1"], grown["g/1"])
        self.assertIn("g/2", grown)

    def test_a_g7_a_file_that_is_another_one_refuses(self) -> None:
        wanted, files = holding()
        source = self.two(wanted, files=files)
        self.update(
            self.target,
            template(
                own=declare_resource(),
                f=declare_resource(label={"get_file": "inner.yaml"}),
            ),
            files={"inner.yaml": "text"},
        )
        self.client.wait(self.target, "UPDATE_COMPLETE")

        self.assert_unwritten(source, ["two"], "inner.yaml is another one")


class MoveCountTests(MovingTestCase):
    """A tree has room for five resources."""

    options: typing.ClassVar[systems.Options] = {
        "DEFAULT": {"max_resources_per_stack": 5}
    }

    def grouped(self) -> rest.Stack:
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": _member()},
        }
        return self.two(template(g=group))

    def test_a_g7_a_tree_that_is_full_refuses(self) -> None:
        source = self.grouped()
        others = {f"t{number}": declare_resource() for number in range(3)}
        self.update(self.target, template(**others))
        self.client.wait(self.target, "UPDATE_COMPLETE")

        refused = self.refused(self.ask_move, source, ["g"])

        self.assertEqual((400, "RequestLimitExceeded"), refused)
        self.assertEqual({"g"}, set(self.ids(source)))

    def test_a_g7_what_has_left_makes_room(self) -> None:
        source = self.grouped()
        self.move(source, ["g"])

        others = {f"t{number}": declare_resource() for number in range(5)}
        self.update(source, template(**others))
        self.client.wait(source, "UPDATE_COMPLETE")

        self.assertEqual(set(others), set(self.ids(source)))
        refused = self.refused(
            self.client.ask,
            "PATCH",
            self.target.path,
            {"template": template(own=declare_resource(), **others)},
        )
        self.assertEqual((400, "RequestLimitExceeded"), refused)


def _member() -> Json:
    return {"type": "Test::World::Thing", "properties": {"label": "m%index%"}}
