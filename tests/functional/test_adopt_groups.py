"""Groups come and go with their members."""

import typing

from tests.functional import adopting
from tests.support import rest
from tests.support import world

Json = adopting.Json
template = adopting.template


def numbered(count: int, label: str = "n%index%", **more: object) -> Json:
    """Return a group whose members have numbers."""
    definition = {
        "type": "Test::World::Thing",
        "properties": {"label": label},
    }
    properties = {"count": count, "resource_def": definition, **more}
    return {"type": "OS::Heat::ResourceGroup", "properties": properties}


def numbered_template(count: int, **more: object) -> Json:
    """Return a template of such a group, with outputs."""
    wanted = template(g=numbered(count, **more))
    wanted["outputs"] = {
        "refs": {"value": {"get_attr": ["g", "refs_map"]}},
        "labels": {"value": {"get_attr": ["g", "label"]}},
        "removed": {"value": {"get_attr": ["g", "removed_rsrc_list"]}},
    }
    return wanted


def scaling_template(label: str = "m", **more: object) -> Json:
    """Return a template of a group that signals scale, with its policies."""
    definition = {
        "type": "Test::World::Thing",
        "properties": {"label": label},
    }
    wanted = template(
        g={
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {
                "min_size": 1,
                "max_size": 5,
                "desired_capacity": 2,
                "resource": definition,
                **more,
            },
        },
        up=_policy(1),
        down=_policy(-1),
    )
    wanted["outputs"] = {
        "size": {"value": {"get_attr": ["g", "current_size"]}},
        "refs": {"value": {"get_attr": ["g", "refs"]}},
        "labels": {"value": {"get_attr": ["g", "outputs", "label"]}},
    }
    return wanted


def _policy(adjustment: int) -> Json:
    return {
        "type": "OS::Heat::ScalingPolicy",
        "properties": {
            "adjustment_type": "change_in_capacity",
            "scaling_adjustment": adjustment,
            "auto_scaling_group_id": {"get_resource": "g"},
        },
    }


class GroupsTestCase(adopting.AdoptingTestCase):
    """What stacks with groups share."""

    def physical_resources(self) -> list[world.PhysicalResource]:
        return self.world.resources_of_tree(self.name)

    def by_name(self) -> dict[str, str]:
        return {each.name: each.id for each in self.physical_resources()}

    def acts(self, *acts: str) -> list[str]:
        return [
            each.name
            for each in self.world.calls()
            if each.stack.startswith(self.name) and each.act in acts
        ]

    def moved(self, stack: rest.Stack) -> tuple[rest.Stack, Json]:
        """Let go of a stack here, and adopt it there."""
        document = self.abandon(stack)
        self.wait_gone(stack)
        return self.adopt(document), document

    def change(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        self.update(stack, wanted, **body)
        self.there.wait(stack, "UPDATE_COMPLETE")

    def check(self, stack: rest.Stack) -> None:
        self.there.ask("POST", f"{stack.path}/actions", {"check": None})
        self.there.wait(stack, "CHECK_COMPLETE")

    def remove(self, stack: rest.Stack) -> None:
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.physical_resources())


class NumberedTests(GroupsTestCase):
    def shrunk(self) -> rest.Stack:
        """Return a group of two here that has lost its member 1."""
        stack = self.created(numbered_template(3))
        gone = [{"resource_list": ["1"]}]
        wanted = numbered_template(2, removal_policies=gone)
        self.here.ask("PUT", stack.path, {"template": wanted})
        self.here.wait(stack, "UPDATE_COMPLETE")
        return stack

    def test_a4_a_round_trip_changes_nothing(self) -> None:
        stack = self.created(numbered_template(3))
        outputs, before = self.here.outputs(stack), self.by_name()

        adopted, _ = self.moved(stack)

        self.assertEqual(outputs, self.there.outputs(adopted))
        self.assertEqual(before, self.by_name())
        self.assertEqual(3, len(self.acts("create")))
        self.assertEqual([], self.acts("update", "delete"))

    def test_a4_then_it_grows_shrinks_and_goes(self) -> None:
        adopted, _ = self.moved(self.created(numbered_template(2)))
        before = self.by_name()

        self.change(adopted, numbered_template(2))
        self.assertEqual([], self.acts("update", "delete"))
        self.change(adopted, numbered_template(3))
        grown = self.by_name()
        self.change(adopted, numbered_template(1))
        self.check(adopted)

        self.assertEqual({**before, "2": grown["2"]}, grown)
        self.assertEqual({"0": before["0"]}, self.by_name())
        self.remove(adopted)

    def test_a4_names_that_were_removed_stay_away(self) -> None:
        stack = self.shrunk()
        outputs, before = self.here.outputs(stack), self.by_name()

        adopted, document = self.moved(stack)

        entries = typing.cast(
            dict[str, dict[str, Json]], document["resources"]
        )
        kept = entries["g"]["resource_data"]["name_blacklist"]
        self.assertEqual("1", kept)
        self.assertEqual(outputs, self.there.outputs(adopted))
        self.change(adopted, numbered_template(3))
        self.assertEqual({"0", "2", "3"}, set(self.by_name()))
        self.assertEqual({**self.by_name(), **before}, self.by_name())

    def test_a4_gaps_tell_of_names_where_nothing_else_does(self) -> None:
        """As in Heat's documents, which leave the data of a group out."""
        document = self.abandon(stack := self.shrunk())
        self.wait_gone(stack)
        before = self.by_name()
        entries = typing.cast(dict[str, Json], document["resources"])
        del entries["g"]["resource_data"]
        gone = typing.cast(Json, document["template"])
        document["template"] = {**gone, **numbered_template(2)}

        adopted = self.adopt(document)

        self.assertEqual(before, self.by_name())
        self.assertEqual(["1"], self.there.outputs(adopted)["removed"])
        self.assertEqual(3, len(self.acts("create")))

    def test_a4_a_member_that_is_missing_is_no_gap(self) -> None:
        document = self.abandon(stack := self.created(numbered_template(3)))
        self.wait_gone(stack)
        entries = typing.cast(
            dict[str, dict[str, Json]], document["resources"]
        )
        del entries["g"]["resources"]["1"]

        self.adopt(document, "ADOPT_FAILED")

        self.assertEqual({"0", "1", "2"}, set(self.by_name()))
        self.assertEqual([], self.acts("delete"))

    def test_a4_a_missing_member_is_made_if_asked_for(self) -> None:
        document = self.abandon(stack := self.created(numbered_template(2)))
        self.wait_gone(stack)
        before = self.by_name()
        template_ = typing.cast(Json, document["template"])
        document["template"] = {**template_, **numbered_template(3)}

        self.adopt(document, adopt_missing="create")

        after = self.by_name()
        self.assertEqual({**before, "2": after["2"]}, after)

    def test_a4_nested_groups_move_too(self) -> None:
        inner = numbered(2)
        wanted = template(
            g={
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": 2, "resource_def": inner},
            }
        )
        stack = self.created(wanted)
        before = sorted(each.id for each in self.physical_resources())

        adopted, _ = self.moved(stack)
        self.change(adopted, wanted)

        self.assertEqual(
            before, sorted(each.id for each in self.physical_resources())
        )
        self.assertEqual(4, len(self.acts("create")))
        self.assertEqual([], self.acts("update", "delete"))
        self.remove(adopted)


class ScalingTests(GroupsTestCase):
    def signal(
        self, client: rest.Client, stack: rest.Stack, policy: str
    ) -> None:
        """Scale, and wait for the end."""
        client.ask("POST", f"{stack.path}/resources/{policy}/signal", {})
        shown = typing.cast(
            dict[str, list[dict[str, str]]],
            client.get(f"{stack.path}/resources/g", "resource"),
        )
        link = next(each for each in shown["links"] if each["rel"] == "nested")
        inner = rest.Stack(*link["href"].rsplit("/", 2)[1:])
        client.wait(inner, "UPDATE_COMPLETE")

    def test_a4_a_round_trip_changes_nothing(self) -> None:
        stack = self.created(scaling_template())
        outputs, before = self.here.outputs(stack), self.by_name()

        adopted, _ = self.moved(stack)

        self.assertEqual(outputs, self.there.outputs(adopted))
        self.assertEqual(before, self.by_name())
        self.assertEqual(2, len(self.acts("create")))
        self.assertEqual([], self.acts("update", "delete"))

    def test_a4_then_it_scales_changes_and_goes(self) -> None:
        adopted, _ = self.moved(self.created(scaling_template()))
        before = self.by_name()

        self.change(adopted, scaling_template())
        self.assertEqual([], self.acts("update", "delete"))
        self.signal(self.there, adopted, "up")
        grown = self.by_name()
        self.assertEqual({**grown, **before}, grown)
        self.change(adopted, scaling_template("other"))
        self.assertEqual(grown, self.by_name())
        self.check(adopted)
        self.remove(adopted)

    def test_a4_it_keeps_the_size_that_policies_gave_it(self) -> None:
        stack = self.created(scaling_template())
        self.signal(self.here, stack, "up")
        before = self.by_name()

        adopted, _ = self.moved(stack)
        self.change(adopted, scaling_template())

        self.assertEqual(before, self.by_name())
        self.assertEqual(3, len(before))

    def test_a4_a_document_that_tells_no_size_has_one_by_its_members(
        self,
    ) -> None:
        """As Heat's documents, which leave the data of a group out."""
        stack = self.created(scaling_template())
        self.signal(self.here, stack, "up")
        document = self.abandon(stack)
        self.wait_gone(stack)
        entries = typing.cast(dict[str, Json], document["resources"])
        del entries["g"]["resource_data"]
        before = self.by_name()

        adopted = self.adopt(document)
        self.change(adopted, scaling_template())

        self.assertEqual(before, self.by_name())
        self.assertEqual(3, self.there.outputs(adopted)["size"])

    def test_a4_the_oldest_goes_first_still(self) -> None:
        stack = self.created(scaling_template())
        first = self.by_name()
        self.signal(self.here, stack, "up")
        newest = set(self.by_name()) - set(first)

        adopted, _ = self.moved(stack)
        self.signal(self.there, adopted, "down")
        self.signal(self.there, adopted, "down")

        self.assertEqual(newest, set(self.by_name()))
