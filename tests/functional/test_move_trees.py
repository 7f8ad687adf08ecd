"""Resources go from a stack in a stack to another tree."""

import typing

import yaml

from tests.functional import test_move
from tests.functional import test_move_nested

Json = test_move.Json
declare_resource = test_move.declare_resource
template = test_move.template


class TwoTreesTests(test_move_nested.NestedMoveTestCase):
    def test_a_g7_from_one_inner_stack_to_that_of_another_tree(self) -> None:
        first = self.created(
            test_move_nested.site(), files=test_move_nested.files()
        )
        self.take_name()
        second = self.created(
            test_move_nested.site(), files=test_move_nested.files()
        )
        before = self.touched()
        ids, other = self.tree(first), self.tree(second)
        web = test_move_nested.web()
        web["resources"]["guest"] = declare_resource(label="front")

        moved = self.move_to(
            self.descendant_of(first, "web"),
            f"{second.name}/web",
            {"front": "guest"},
            source_files={"web.yaml": yaml.safe_dump(template())},
            target_files={"web.yaml": yaml.safe_dump(web)},
        )

        self.assertEqual(before, self.touched())
        after = self.tree(second)
        self.assertEqual(ids["web/front"], after.pop("web/guest"))
        self.assertEqual(other, after)
        self.assertNotIn("web/front", self.tree(first))
        updates = typing.cast(list[Json], moved["updates"])
        self.assertEqual(
            {first.id, second.id}, {each["stack_id"] for each in updates}
        )
        self.assert_settled(first)
        self.assert_settled(second)
        self.client.delete(first)
        self.client.wait(first, "DELETE_COMPLETE")
        alive = {each.id for each in self.world.resources_of_tree(self.name)}
        self.assertEqual(set(), alive - set(other.values()))

    def test_a_g7_an_inner_stack_leaves_for_another_tree(self) -> None:
        deep = template(low={"type": "web.yaml"}, mid=declare_resource())
        first = self.created(
            template(deep={"type": "deep.yaml"}),
            files=test_move_nested.files(deep=deep),
        )
        self.take_name()
        second = self.created(template(own=declare_resource()))
        before, ids = self.touched(), self.tree(first)

        self.move_to(
            self.descendant_of(first, "deep"), second.name, {"low": "top"}
        )

        self.assertEqual(before, self.touched())
        after = self.tree(second)
        self.assertEqual(ids["deep/low"], after["/top"])
        self.assertEqual(ids["low/front"], after["top/front"])
        self.assert_settled(first)
        self.assert_settled(second)

    def test_a_g7_what_the_other_tree_makes_of_it_refuses(self) -> None:
        """A default of the target's environment holds in what comes."""
        inner = template(front=declare_resource(label={"get_param": "word"}))
        inner["parameters"] = {"word": {"type": "string", "default": "w"}}
        first = self.created(
            template(web={"type": "web.yaml"}),
            files={"web.yaml": yaml.safe_dump(inner)},
        )
        self.take_name()
        second = self.created(
            template(own=declare_resource()),
            environment={"parameter_defaults": {"word": "other"}},
        )

        refused = self.refused(self.ask_to, first, second.name, ["web"])

        self.untouched(refused, second)
        self.assertIn("web/front", self.tree(first))
