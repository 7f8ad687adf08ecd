from orch.resources.heat import resource_chain
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.groups import members

KIND = resource_chain.ResourceChain


class ResourceChainTest(base.TestCase):
    def group(self, **properties: object) -> members.Group:
        context = contexts.make(KIND, **properties)
        return members.Group(KIND(contexts.options()), context)

    def test_each_member_is_made_after_the_one_before(self) -> None:
        group = self.group(
            resources=["A", "B", "A"], resource_properties={"x": 1}
        )
        given = {"properties": {"x": 1}}

        self.assertEqual(
            [
                {
                    "0": {"type": "A", **given},
                    "1": {"type": "B", **given, "depends_on": ["0"]},
                    "2": {"type": "A", **given, "depends_on": ["1"]},
                }
            ],
            group.bring(),
        )

    def test_members_side_by_side_depend_on_nothing(self) -> None:
        group = self.group(resources=["A", "B"], concurrent=True)

        self.assertEqual(
            [{"0": {"type": "A"}, "1": {"type": "B"}}], group.bring()
        )

    def test_the_last_ones_of_a_shorter_list_go(self) -> None:
        group = self.group(resources=["A", "B"])
        group.bring()

        self.assertEqual([{"0": {"type": "A"}}], group.bring(resources=["A"]))
        self.assertEqual([{}], group.bring(resources=[]))

    def test_what_it_shows_of_its_members(self) -> None:
        group = self.group(resources=["A", "B"])
        group.bring()
        view = members.View(group.members, {"0": {"x": 1}, "1": {"x": None}})
        for path, expected in (
            (("refs",), ["ref-0", "ref-1"]),
            (("x",), [1]),
            (("attributes", "x"), {"0": 1}),
            (("resource.1",), "ref-1"),
        ):
            self.assertEqual(
                expected, group.plugin.read(group.context, path, view)
            )
