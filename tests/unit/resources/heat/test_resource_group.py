"""Groups of numbered members, brought from stage to stage."""

import collections.abc
import dataclasses

from orch import clock
from orch import errors
from orch.plugin import nested_stack
from orch.resources.heat import resource_group
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.groups import members

KIND = resource_group.ResourceGroup
WEB = {"type": "Web", "properties": {"name": "web-%index%"}}


def web(name: str, kind: str = "Web") -> dict[str, object]:
    return {"type": kind, "properties": {"name": f"web-{name}"}}


class ResourceGroupTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = KIND(contexts.options())

    def group(
        self,
        policy: collections.abc.Mapping[str, object] | None = None,
        **properties: object,
    ) -> members.Group:
        given = {"resource_def": WEB, "count": 3, **properties}
        context = dataclasses.replace(
            contexts.make(KIND, **given), update_policy=policy or {}
        )
        return members.Group(self.plugin, context)

    def names(self, group: members.Group) -> list[str]:
        return [each.name for each in group.members]

    def test_it_is_made_at_once_with_numbers_put_in(self) -> None:
        group = self.group()

        self.assertEqual([{name: web(name) for name in "012"}], group.bring())

    def adopted(self, *names: str, **data: object) -> object:
        """Return what a group remembers whose document has these members."""
        group = self.group()
        told = [
            nested_stack.Member(
                name=name,
                type_name="Web",
                physical_id=name,
                reference_id=name,
                is_failed=False,
                created_at=clock.Timestamp(0.0),
                definition=WEB,
            )
            for name in names
        ]
        context = dataclasses.replace(group.context, data=data)
        found = self.plugin.adopted_data(context, told)
        return found.get("name_blacklist")

    def test_numbers_that_a_document_leaps_over_were_removed(self) -> None:
        self.assertIsNone(self.adopted("0", "1", "2"))
        self.assertEqual("1", self.adopted("0", "2", "3"))
        self.assertEqual("0,1,3", self.adopted("2", "4", "5"))
        # Too few members: some are missing, and nothing tells which.
        self.assertIsNone(self.adopted("0", "2"))
        self.assertEqual("7", self.adopted("0", "1", "2", name_blacklist="7"))
        # No number that a group gives.
        self.assertIsNone(self.adopted("0", "1", "999999999"))
        self.assertIsNone(self.adopted("0", "1", "02", "x", "\u00b2"))

    def test_keys_and_metadata_keep_the_text_of_the_index(self) -> None:
        definition = {
            "type": "Web",
            "metadata": {"at": "%index%"},
            "properties": {"%index%": ["%index%", 5, {"x": "a%index%"}]},
        }
        made = self.group(resource_def=definition, count=1).bring()[-1]

        self.assertEqual(
            {
                "type": "Web",
                "metadata": {"at": "%index%"},
                "properties": {"%index%": ["0", 5, {"x": "a0"}]},
            },
            made["0"],
        )

    def test_the_highest_numbers_go_first(self) -> None:
        group = self.group()
        group.bring()

        self.assertEqual(["0"], list(group.bring(count=1)[-1]))
        self.assertEqual([{}], group.bring(count=0))

    def test_a_removed_member_leaves_its_number_for_ever(self) -> None:
        group = self.group()
        group.bring()
        group.bring(count=2, removal_policies=[{"resource_list": ["1"]}])
        self.assertEqual(["0", "2"], self.names(group))

        group.bring(count=3, removal_policies=[])
        self.assertEqual(["0", "2", "3"], self.names(group))

    def test_a_removed_member_is_replaced_while_the_count_stays(self) -> None:
        group = self.group()
        group.bring()
        group.bring(removal_policies=[{"resource_list": [0]}])

        self.assertEqual(["1", "2", "3"], self.names(group))

    def test_members_are_removed_by_reference_or_physical_id(self) -> None:
        for given in ("ref-1", "id-1"):
            group = self.group()
            group.bring()
            group.bring(removal_policies=[{"resource_list": [given, "none"]}])

            self.assertEqual(["0", "2", "3"], self.names(group), given)

    def test_update_mode_gives_numbers_back(self) -> None:
        group = self.group(removal_policies_mode="update")
        group.bring(removal_policies=[{"resource_list": ["0"]}])
        self.assertEqual(["1", "2", "3"], self.names(group))

        group.bring(removal_policies=[{"resource_list": ["3"]}])
        self.assertEqual(["0", "1", "2"], self.names(group))

    def test_names_of_a_group_of_heat_are_known(self) -> None:
        group = self.group(count=2)
        group.context = dataclasses.replace(
            group.context, data={"name_blacklist": "0,2"}
        )
        group.bring()

        self.assertEqual(["1", "3"], self.names(group))
        self.assertEqual(["0", "2"], self.read(group, ("removed_rsrc_list",)))

    def test_a_group_is_made_in_batches(self) -> None:
        group = self.group({"batch_create": {"max_batch_size": 2}}, count=5)

        self.assertEqual([2, 4, 5], [len(one) for one in group.bring()])

    def test_what_is_added_later_comes_at_once(self) -> None:
        group = self.group({"batch_create": {"max_batch_size": 1}}, count=2)
        group.bring()

        self.assertEqual([5], [len(one) for one in group.bring(count=5)])

    def test_an_interrupted_creation_goes_on_in_batches(self) -> None:
        group = self.group({"batch_create": {"max_batch_size": 1}})
        group.begin()
        stage = self.plugin.stages(group.context, [])[0]
        group.reach(members.definitions(stage))

        self.assertEqual([2, 3], [len(one) for one in group.bring()])

    def test_a_new_definition_comes_in_batches_the_last_member_first(
        self,
    ) -> None:
        policy = {"rolling_update": {"max_batch_size": 2, "pause_time": 7}}
        group = self.group(policy)
        group.bring()
        changed = {**WEB, "type": "New"}
        made = group.bring(resource_def=changed)

        self.assertEqual(
            [
                {"0": web("0"), "1": web("1", "New"), "2": web("2", "New")},
                {name: web(name, "New") for name in "012"},
            ],
            made,
        )

    def test_between_batches_there_is_a_pause(self) -> None:
        policy = {"rolling_update": {"max_batch_size": 2, "pause_time": 7}}
        group = self.group(policy)
        group.bring()
        context = dataclasses.replace(
            group.context,
            properties={
                **group.context.properties,
                "resource_def": {**WEB, "type": "New"},
            },
        )
        stages = self.plugin.stages(context, group.members)

        self.assertEqual([7.0, 7.0], [each.pause_s for each in stages])
        self.assertEqual(
            {name: web(name, "New") for name in "012"},
            members.definitions(stages[-1]),
        )

    def test_a_spare_member_stands_in_where_all_are_to_serve(self) -> None:
        policy = {"rolling_update": {"max_batch_size": 1, "min_in_service": 3}}
        group = self.group(policy)
        group.bring()
        made = group.bring(resource_def={**WEB, "type": "New"})

        new = [
            [name for name, one in each.items() if one["type"] == "New"]
            for each in made
        ]
        self.assertEqual(
            [["3"], ["2", "3"], ["1", "2", "3"], ["0", "1", "2", "3"]],
            [sorted(each) for each in new[:-1]],
        )
        self.assertEqual(["0", "1", "2"], sorted(made[-1]))

    def test_members_that_the_new_definition_leaves_alone_do_not_count(
        self,
    ) -> None:
        policy = {"rolling_update": {"max_batch_size": 1}}
        group = self.group(policy)
        group.bring()
        group.reach(
            {"0": web("0"), "1": web("1", "New"), "2": web("2", "New")}
        )

        made = group.bring(resource_def={**WEB, "type": "New"})

        self.assertEqual([{name: web(name, "New") for name in "012"}], made)

    def test_without_a_policy_all_change_at_once(self) -> None:
        group = self.group()
        group.bring()

        made = group.bring(resource_def={**WEB, "type": "New"}, count=4)

        self.assertEqual([{name: web(name, "New") for name in "0123"}], made)

    def test_nothing_to_change_is_one_stage_as_it_is(self) -> None:
        group = self.group({"rolling_update": {"max_batch_size": 1}})
        made = group.bring()
        stages = self.plugin.stages(group.context, group.members)

        self.assertEqual(made, [members.definitions(each) for each in stages])

    def read(self, group: members.Group, path: nested_stack.Path) -> object:
        shown = {
            each.name: {"ip": f"10.0.0.{each.name}", "map": {"a": [each.name]}}
            for each in group.members
        }
        if "2" in shown:
            shown["2"]["extra"] = None  # type: ignore[assignment]
            shown["0"]["extra"] = shown["1"]["extra"] = 5  # type: ignore[assignment]
        view = members.View(group.members, shown)
        return self.plugin.read(group.context, path, view)

    def test_what_it_shows_of_its_members(self) -> None:
        group = self.group()
        group.bring()
        for path, expected in (
            (("refs",), ["ref-0", "ref-1", "ref-2"]),
            (("refs", 1), "ref-1"),
            (("refs_map",), {"0": "ref-0", "1": "ref-1", "2": "ref-2"}),
            (("refs_map", "2"), "ref-2"),
            (("ip",), ["10.0.0.0", "10.0.0.1", "10.0.0.2"]),
            (("map", "a", 0), ["0", "1", "2"]),
            (("attributes", "map", "a"), {"0": ["0"], "1": ["1"], "2": ["2"]}),
            (("extra",), [5, 5]),
            (("attributes", "extra"), {"0": 5, "1": 5}),
            (("resource.1",), "ref-1"),
            (("resource.1.ip",), "10.0.0.1"),
            (("resource.1.map", "a"), ["1"]),
            (("resource.1", "map", "a"), ["1"]),
            (("removed_rsrc_list",), []),
        ):
            with self.subTest(path=path):
                self.assertEqual(expected, self.read(group, path))

    def test_numbers_are_shown_in_their_order(self) -> None:
        group = self.group(count=11)
        group.bring()

        self.assertEqual(
            [f"ref-{number}" for number in range(11)],
            self.read(group, ("refs",)),
        )

    def test_what_it_cannot_show(self) -> None:
        group = self.group()
        group.bring()
        for path, said in (
            (("resource.5.ip",), "Member '5' not found in group resource"),
            (("attributes",), "needs the name of an attribute"),
            (("nothing",), "shows no nothing"),
        ):
            error = self.assertRaises(errors.Invalid, self.read, group, path)
            self.assertIn(said, error.message)
