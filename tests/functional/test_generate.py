"""Templates of things that stand: written, adopted, and nothing changes."""

import typing

from tests.functional import adopting
from tests.support import rest

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template

_LINKED = "Test::World::Linked"


def linked(*needed: str, **properties: object) -> Json:
    return {**declare_resource(*needed, **properties), "type": _LINKED}


class GenerateTests(adopting.AdoptingTestCase):
    def make(self, **resources: Json) -> dict[str, str]:
        """Make things that no stack knows; return their ids by name."""
        stack = self.created(template(**resources))
        document = self.abandon(stack)
        self.wait_gone(stack)
        entries = typing.cast(dict[str, Json], document["resources"])
        return {
            name: str(each["resource_id"]) for name, each in entries.items()
        }

    def generate(self, **body: object) -> Json:
        return self.ask(self.there, "POST", "/stacks/generate", body)

    def named(self, type_name: str, physical_id: str, name: str = "") -> Json:
        found: Json = {"type": type_name, "resource_id": physical_id}
        return {**found, "name": name} if name else found

    def resources(self, answer: Json) -> dict[str, Json]:
        wanted = typing.cast(dict[str, dict[str, Json]], answer["template"])
        return wanted["resources"]

    def adopt_all(self, answer: Json) -> rest.Stack:
        """Adopt what was written; nothing is to be found different."""
        before = self.mark()
        stack = self.adopt(answer["adopt_stack_data"], adopt_verify="refuse")
        wanted = typing.cast(Json, answer["template"])
        plan = self.ask(
            self.there,
            "PUT",
            f"{stack.path}/preview",
            {"template": wanted},
        )
        shown = typing.cast(dict[str, list[object]], plan["plan"])
        self.assertEqual([], shown["changes"])
        self.update(stack, wanted)
        self.there.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual([], self.writes(before))
        return stack

    def test_a_g6_things_that_are_named_by_their_ids(self) -> None:
        ids = self.make(a=linked(label="l", value="v"), b=linked())

        answer = self.generate(
            resources=[
                self.named(_LINKED, ids["a"], "web"),
                self.named(_LINKED, ids["b"]),
            ]
        )

        self.assertEqual(
            {
                "web": {
                    "type": _LINKED,
                    "properties": {"label": "l", "value": "v"},
                },
                "linked": {"type": _LINKED},
            },
            self.resources(answer),
        )
        self.assertEqual([], answer["omitted"])
        stack = self.adopt_all(answer)
        self.assertEqual(
            {"web": ids["a"], "linked": ids["b"]}, self.ids(self.there, stack)
        )

    def test_a_g6_things_that_their_type_lists(self) -> None:
        mine, other = f"tag-{self.name}", f"other-{self.name}"
        ids = self.make(
            a=linked(label=mine), b=linked(label=other), c=linked(label=mine)
        )

        by_tag = self.generate(listings=[{"type": _LINKED, "tag": mine}])
        by_name = self.generate(
            listings=[{"type": _LINKED, "tag": other, "name": "b*"}]
        )
        nothing = self.generate(
            listings=[{"type": _LINKED, "tag": other, "name": "a*"}]
        )

        self.assertEqual({"a", "c"}, set(self.resources(by_tag)))
        self.assertEqual({"b"}, set(self.resources(by_name)))
        self.assertEqual({}, self.resources(nothing))
        stack = self.adopt_all(by_tag)
        self.assertEqual(
            {"a": ids["a"], "c": ids["c"]}, self.ids(self.there, stack)
        )

    def test_a_g6_what_refers_to_another_goes_before_it(self) -> None:
        mine = f"tag-{self.name}"
        self.make(
            a=linked(label=mine),
            b=linked("a", label=mine, refs=[{"get_resource": "a"}]),
        )
        answer = self.generate(listings=[{"type": _LINKED, "tag": mine}])

        found = self.resources(answer)["b"]
        stack = self.adopt_all(answer)
        before = self.mark()
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            {"label": mine, "refs": [{"get_resource": "a"}]},
            found["properties"],
        )
        self.assertEqual(
            ["b", "a"],
            [name for act, name in self.writes(before) if act == "delete"],
        )

    def test_a_g6_a_value_that_looks_like_a_function_is_none(self) -> None:
        value: Json = {"get_param": "nothing of ours"}
        wanted = template(a=linked(reads=[{"get_param": "given"}]))
        wanted["parameters"] = {"given": {"type": "json", "default": value}}
        stack = self.created(wanted)
        ids = self.ids(self.here, stack)
        self.abandon(stack)
        self.wait_gone(stack)

        answer = self.generate(resources=[self.named(_LINKED, str(ids["a"]))])

        adopted = self.adopt_all(answer)
        self.assertEqual({"linked": ids["a"]}, self.ids(self.there, adopted))

    def test_a_g6_what_a_stack_owns_is_left_out_of_a_listing(self) -> None:
        mine = f"tag-{self.name}"
        ids = self.make(a=linked(label=mine), b=linked(label=mine))
        owned = self.generate(resources=[self.named(_LINKED, ids["a"])])
        self.adopt(owned["adopt_stack_data"])

        answer = self.generate(listings=[{"type": _LINKED, "tag": mine}])
        refused = self.refused(
            self.generate, resources=[self.named(_LINKED, ids["a"])]
        )

        self.assertEqual({"b"}, set(self.resources(answer)))
        left = typing.cast(list[Json], answer["omitted"])
        self.assertEqual([ids["a"]], [each["resource_id"] for each in left])
        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g6_what_cannot_be_read_is_refused(self) -> None:
        for body, wanted in (
            ({}, 400),
            ({"resources": [{"type": _LINKED}]}, 400),
            ({"resources": [self.named(_LINKED, "thing-0")]}, 400),
            ({"resources": [self.named("OS::Heat::RandomString", "x")]}, 400),
            ({"resources": [self.named("OS::Heat::ResourceGroup", "x")]}, 400),
            ({"resources": [self.named("Test::World::Nothing", "x")]}, 404),
            ({"listings": [{"type": "Test::World::Thing"}]}, 400),
            (
                {
                    "resources": [
                        self.named(_LINKED, "thing-x1", "same"),
                        self.named(_LINKED, "thing-x2", "same"),
                    ]
                },
                400,
            ),
        ):
            status, _ = self.refused(self.generate, **body)
            self.assertEqual(wanted, status, body)

    def test_a_g6_a_service_that_is_away_is_told(self) -> None:
        error = self.assertRaises(
            rest.RefusedError,
            self.generate,
            listings=[{"type": _LINKED, "name": "slow"}],
        )

        self.assertIn("the world is away", error.message)
