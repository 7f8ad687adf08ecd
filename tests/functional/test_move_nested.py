"""Resources go into stacks in stacks, and come out of them."""

import json
import typing

import requests
import yaml

from tests.functional import signalling
from tests.functional import test_move
from tests.support import move_bodies
from tests.support import rest
from tests.support import waiting

Json = test_move.Json
declare_resource = test_move.declare_resource
template = test_move.template

_HEAT: typing.Final = "OS::Heat::Stack"


def web() -> Json:
    """Return the template of an inner stack of one thing."""
    wanted = template(front=declare_resource(label="front"))
    wanted["outputs"] = {"front": {"value": {"get_resource": "front"}}}
    return wanted


def site(**resources: Json) -> Json:
    """Return a template with that inner stack, and two things beside."""
    return template(
        web={"type": "web.yaml"},
        **(
            resources
            or {"net": declare_resource(value="n"), "own": declare_resource()}
        ),
    )


def files(**more: Json) -> dict[str, str]:
    found = {"web.yaml": web()}
    found.update({f"{name}.yaml": each for name, each in more.items()})
    return {name: yaml.safe_dump(each) for name, each in found.items()}


class NestedMoveTestCase(test_move.MovingTestCase):
    """Moves in one tree and between two."""

    def descendant_of(self, stack: rest.Stack, path: str) -> rest.Stack:
        """Return the stack that resources of another one lead to."""
        for name in path.split("/"):
            held = self.ids(stack)[name]
            found = self.client.ask("GET", f"/stacks/{held}")
            shown = typing.cast(dict[str, Json], found)["stack"]
            stack = rest.Stack(str(shown["stack_name"]), str(shown["id"]))
        return stack

    def move_to(
        self,
        source: rest.Stack,
        target: str,
        resources: move_bodies.Names,
        **more: object,
    ) -> Json:
        """Move, and wait for the outermost stacks."""
        moved = self.ask_to(source, target, resources, **more)
        for each in typing.cast(list[Json], moved["updates"]):
            found = rest.Stack(str(each["stack_name"]), str(each["stack_id"]))
            self.client.wait(found, "UPDATE_COMPLETE")
        return moved

    def assert_settled(self, stack: rest.Stack) -> None:
        """The next update has nothing to do, at any depth."""
        answer = typing.cast(
            dict[str, Json],
            self.client.ask("PATCH", f"{stack.path}/preview", {}),
        )
        changes = answer["resource_changes"]
        self.assertEqual([], changes["updated"], changes)
        self.assertEqual([], changes["added"], changes)
        self.assertEqual([], changes["deleted"], changes)
        self.assertEqual([], changes["replaced"], changes)

    def post(self, address: str, body: object) -> int:
        return requests.post(address, json=body, timeout=10).status_code

    def file(self, stack: rest.Stack, name: str) -> Json:
        texts = self.client.ask("GET", f"{stack.path}/files")
        found = yaml.safe_load(typing.cast(dict[str, str], texts)[name])
        return typing.cast(Json, found)

    def untouched(self, refused: tuple[int, str], stack: rest.Stack) -> None:
        """The request was refused as what cannot move, and did nothing."""
        self.assertEqual((409, "HTTPConflict"), refused)
        shown = self.client.show(stack)
        self.assertNotEqual("UPDATE", str(shown["stack_status"])[:6])


class OneTreeTests(NestedMoveTestCase):
    def make(self, wanted: Json | None = None, **more: Json) -> rest.Stack:
        return self.created(wanted or site(), files=files(**more))

    def test_a_g7_a_resource_goes_into_a_stack_of_its_own_stack(self) -> None:
        stack = self.make()
        before, ids = self.touched(), self.tree(stack)

        moved = self.move_to(stack, f"{stack.name}/web", {"net": "lan"})

        after = self.tree(stack)
        self.assertEqual(before, self.touched())
        self.assertEqual(ids["/net"], after["web/lan"])
        self.assertEqual(ids["web/front"], after["web/front"])
        self.assertEqual({"/web", "/own", "web/lan", "web/front"}, set(after))
        declared = self.file(stack, "web.yaml")["resources"]
        self.assertEqual({"front", "lan"}, set(declared))
        self.assertEqual(
            [stack.id],
            [
                each["stack_id"]
                for each in typing.cast(list[Json], moved["updates"])
            ],
        )
        self.assert_settled(stack)

    def test_a_g7_and_it_comes_out_again_by_the_id_of_the_stack(self) -> None:
        stack = self.make()
        before, ids = self.touched(), self.tree(stack)
        self.move_to(stack, f"{stack.name}/web", ["net"])
        inner = self.descendant_of(stack, "web")

        self.move_to(inner, stack.id, {"net": "net"})

        self.assertEqual(before, self.touched())
        self.assertEqual(ids, self.tree(stack))
        self.assert_settled(stack)

    def test_a_g7_what_moved_in_goes_with_the_inner_stack(self) -> None:
        stack = self.make()
        ids = self.tree(stack)
        self.move_to(stack, f"{stack.name}/web", ["net"])

        self.update(stack, template(own=declare_resource()))
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"/own": ids["/own"]}, self.tree(stack))
        alive = {each.id for each in self.world.resources_of_tree(self.here)}
        self.assertEqual({ids["/own"]}, alive)

    def test_a_g7_others_read_what_moved_through_the_inner_stack(self) -> None:
        stack = self.make(
            site(
                net=declare_resource(),
                own=declare_resource(refs=[{"get_resource": "net"}]),
            )
        )
        before, ids = self.touched(), self.tree(stack)
        self.assert_unwritten(
            stack, ["net"], "Resource own reads net", f"{stack.name}/web"
        )
        outer = site(own=declare_resource(refs=[{"get_attr": ["web", "net"]}]))
        inner = web()
        inner["resources"]["net"] = declare_resource()
        inner["outputs"]["net"] = {"value": {"get_resource": "net"}}

        self.move_to(
            stack,
            f"{stack.name}/web",
            ["net"],
            source_template=outer,
            source_files={"web.yaml": yaml.safe_dump(inner)},
        )

        self.assertEqual(before, self.touched())
        self.assertEqual(ids["/net"], self.tree(stack)["web/net"])
        self.assert_settled(stack)

    def test_a_g7_a_parameter_carries_a_value_into_the_inner_stack(
        self,
    ) -> None:
        stack = self.make(
            site(
                net=declare_resource(),
                own=declare_resource(
                    label="word", refs=[{"get_resource": "net"}]
                ),
            )
        )
        before, ids = self.touched(), self.tree(stack)
        outer = site(net=declare_resource())
        outer["resources"]["web"]["properties"] = {
            "word": "word",
            "net": {"get_resource": "net"},
        }
        inner = web()
        inner["parameters"] = {
            "word": {"type": "string"},
            "net": {"type": "string"},
        }
        inner["resources"]["own"] = declare_resource(
            label={"get_param": "word"}, refs=[{"get_param": "net"}]
        )

        self.move_to(
            stack,
            f"{stack.name}/web",
            ["own"],
            source_template=outer,
            source_files={"web.yaml": yaml.safe_dump(inner)},
        )

        self.assertEqual(before, self.touched())
        self.assertEqual(ids["/own"], self.tree(stack)["web/own"])
        self.assertEqual(inner, self.file(stack, "web.yaml"))
        self.assert_settled(stack)

    def test_a_g7_given_templates_lead_a_new_value_to_what_stays(self) -> None:
        stack = self.make()
        ids = self.tree(stack)
        inner = web()
        inner["resources"]["front"] = declare_resource(label="other")
        inner["resources"]["net"] = declare_resource(value="n")

        self.move_to(
            stack,
            f"{stack.name}/web",
            ["net"],
            source_template=site(own=declare_resource()),
            source_files={"web.yaml": yaml.safe_dump(inner)},
        )

        self.assertEqual(ids["/net"], self.tree(stack)["web/net"])
        self.assertEqual(
            ["other"],
            [
                each.label
                for each in self.world.resources_of_tree(self.here)
                if each.name == "front"
            ],
        )
        self.assert_settled(stack)

    def test_a_g7_the_preview_shows_the_tree_and_changes_nothing(self) -> None:
        stack = self.make()
        ids = self.tree(stack)

        shown = self.ask_to(
            stack, f"{stack.name}/web", ["net"], end="/preview"
        )

        self.assertEqual([], shown["target"]["changes"])
        self.assertEqual({"front", "net"}, set(shown["target"]["unchanged"]))
        self.assertEqual({"own"}, set(shown["source"]["unchanged"]))
        [update] = typing.cast(list[Json], shown["updates"])
        self.assertEqual(stack.id, update["stack_id"])
        self.assertEqual(
            [("update", "web")],
            [
                (each["kind"], each["resource_name"])
                for each in update["changes"]
            ],
        )
        self.assertEqual(ids, self.tree(stack))
        self.assertEqual(
            {"front"}, set(self.ids(self.descendant_of(stack, "web")))
        )

    def test_a_g7_a_request_that_comes_twice_moves_once(self) -> None:
        stack = self.make()
        body = move_bodies.written(
            self.system.endpoint, stack, f"{stack.name}/web", ["net"]
        )

        first, second = (
            requests.post(
                f"{self.client.endpoint}{stack.path}/move",
                json=body,
                headers={"Idempotency-Key": f"move-{stack.id}"},
                timeout=60,
            )
            for _ in range(2)
        )

        self.assertEqual((202, 202), (first.status_code, second.status_code))
        self.assertEqual(first.json(), second.json())
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertIn("web/net", self.tree(stack))

    def test_a_g7_both_ends_tell_of_it(self) -> None:
        stack = self.make()
        moved = self.move_to(stack, f"{stack.name}/web", ["net"])
        inner = self.descendant_of(stack, "web")

        told = [
            each["resource_status_reason"]
            for each in (
                *self.client.events(stack),
                *self.client.events(inner),
            )
            if each["resource_name"] == "net"
        ]

        self.assertIn(f"Moved to stack {inner.name} as net", told)
        self.assertIn(f"Moved from stack {stack.name}, where it was net", told)
        done = {each["id"]: each["state"] for each in self.operations(inner)}
        self.assertEqual(
            "COMPLETE",
            done[typing.cast(Json, moved["target"])["operation_id"]],
        )

    def test_a_g7_signals_reach_what_has_moved_in(self) -> None:
        wanted = signalling.waiting(count=1)
        handle = wanted["resources"]["handle"]
        stack = self.client.create(
            self.name,
            site(handle=handle, condition=wanted["resources"]["condition"]),
            files=files(),
        )
        waiting.wait_for(
            lambda: self.statuses(stack).get("handle") == "CREATE_COMPLETE",
            "the handle",
        )
        path = f"{stack.path}/resources/handle"
        shown = typing.cast(
            dict[str, Json],
            self.client.ask("GET", f"{path}?with_attr=endpoint"),
        )["resource"]
        address = str(typing.cast(Json, shown["attributes"])["endpoint"])
        self.assertEqual(200, self.post(address, {"id": "1"}))
        self.client.wait(stack, "CREATE_COMPLETE")

        self.move_to(stack, f"{stack.name}/web", ["handle", "condition"])

        self.assertEqual(200, self.post(address, {"id": "2"}))
        inner = self.descendant_of(stack, "web")
        found = self.client.ask(
            "GET", f"{inner.path}/resources/handle/metadata"
        )
        kept = typing.cast(dict[str, Json], found)["metadata"]
        self.assertEqual({"1", "2"}, set(kept))

    def test_a_g7_a_text_in_a_property_is_written_anew_at_any_depth(
        self,
    ) -> None:
        """The text of ``deep`` stands in a file, that of ``low`` in it."""
        deep = template(
            low={
                "type": _HEAT,
                "properties": {"template": json.dumps(web())},
            },
            mid=declare_resource(),
        )
        stack = self.make(
            template(deep={"type": "deep.yaml"}, net=declare_resource()),
            deep=deep,
        )
        before, ids = self.touched(), self.tree(stack)

        self.move_to(stack, f"{stack.name}/deep/low", ["net"])
        after = self.tree(stack)
        self.assertEqual(ids["/net"], after["low/net"])
        self.assert_settled(stack)
        deep = self.file(stack, "deep.yaml")
        deep["resources"]["from_low"] = declare_resource(label="front")
        deep["resources"]["low"]["properties"]["template"] = json.dumps(
            template(net=declare_resource())
        )
        self.move_to(
            self.descendant_of(stack, "deep/low"),
            f"{stack.name}/deep",
            {"front": "from_low"},
            source_files={"deep.yaml": yaml.safe_dump(deep)},
        )

        self.assertEqual(before, self.touched())
        self.assertEqual(ids["low/front"], self.tree(stack)["deep/from_low"])
        self.assert_settled(stack)

    def test_a_g7_a_file_that_a_property_gets_is_written_anew(self) -> None:
        stack = self.make(
            template(
                web={
                    "type": _HEAT,
                    "properties": {"template": {"get_file": "web.yaml"}},
                },
                net=declare_resource(),
            )
        )
        before, ids = self.touched(), self.tree(stack)

        self.move_to(stack, f"{stack.name}/web", ["net"])

        self.assertEqual(before, self.touched())
        self.assertEqual(ids["/net"], self.tree(stack)["web/net"])
        declared = self.file(stack, "web.yaml")["resources"]
        self.assertEqual({"front", "net"}, set(declared))
        self.assert_settled(stack)

    def test_a_g7_a_stack_goes_into_another_one(self) -> None:
        stack = self.make(
            template(web={"type": "web.yaml"}, box={"type": "box.yaml"}),
            box=template(own=declare_resource()),
        )
        before, ids = self.touched(), self.tree(stack)

        self.move_to(stack, f"{stack.name}/box", {"web": "inside"})

        after = self.tree(stack)
        self.assertEqual(before, self.touched())
        self.assertEqual(ids["/web"], after["box/inside"])
        self.assertEqual(ids["web/front"], after["inside/front"])
        self.assert_settled(stack)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.world.resources_of_tree(self.here))
