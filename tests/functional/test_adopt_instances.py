"""Groups of instances move between installations, and go on there."""

import typing

from tests.functional import test_adopt_groups
from tests.functional import test_instance_groups as instances
from tests.support import rest
from tests.support import world_templates

Json = dict[str, typing.Any]


class InstancesTests(test_adopt_groups.GroupsTestCase):
    def here_made(self, **resources: Json) -> rest.Stack:
        return self.created(
            world_templates.template(**resources), environment=instances.MAPPED
        )

    def changed(self, stack: rest.Stack, **resources: Json) -> None:
        self.change(
            stack,
            world_templates.template(**resources),
            environment=instances.MAPPED,
        )

    def existing_ids(self) -> set[str]:
        return {each.id for each in self.physical_resources()}

    def test_a_group_is_there_what_it_was_here(self) -> None:
        resources = {
            "conf": instances.configuration(),
            "g": instances.instance_group(2),
        }
        stack = self.here_made(**resources)
        before = self.by_name()

        adopted, _ = self.moved(stack)
        self.changed(adopted, **resources)

        self.assertEqual(before, self.by_name())
        self.assertEqual([], self.acts("update", "delete"))
        self.changed(
            adopted, **{**resources, "g": instances.instance_group(3)}
        )
        self.assertEqual([], self.acts("update", "delete"))
        self.assertEqual(set(), set(before.values()) - self.existing_ids())
        self.assertEqual(3, len(self.physical_resources()))
        self.check(adopted)
        self.remove(adopted)

    def test_members_may_be_called_as_heat_calls_them(self) -> None:
        resources = {
            "conf": instances.configuration(),
            "g": instances.instance_group(2),
        }
        stack = self.here_made(**resources)
        before = self.by_name()
        document = self.abandon(stack)
        self.wait_gone(stack)
        group = typing.cast(Json, document["resources"])["g"]
        for each in group["template"]["resources"].values():
            each["type"] = "OS::Heat::ScaledResource"
        for each in group["resources"].values():
            each["type"] = "OS::Heat::ScaledResource"

        adopted = self.adopt(document)
        self.changed(
            adopted, **{**resources, "g": instances.instance_group(3)}
        )

        self.assertEqual({**self.by_name(), **before}, self.by_name())
        self.assertEqual(3, len(self.physical_resources()))
        self.assertEqual([], self.acts("update", "delete"))

    def test_signals_scale_it_there_from_the_size_that_it_had(self) -> None:
        stack = self.here_made(
            conf=instances.configuration(),
            g=instances.scaling_group(),
            up=instances.scaling_policy(),
        )
        self.signal(self.here, stack, 3)
        before = self.existing_ids()

        adopted, _ = self.moved(stack)
        self.signal(self.there, adopted, 4)

        self.assertEqual(set(), before - self.existing_ids())
        self.remove(adopted)

    def signal(
        self, client: rest.Client, stack: rest.Stack, count: int
    ) -> None:
        """Scale the group; return once it has so many members."""
        client.ask("POST", f"{stack.path}/resources/up/signal", {})
        group = client.get(f"{stack.path}/resources/g", "resource")
        links = typing.cast(Json, group)["links"]
        (href,) = (one["href"] for one in links if one["rel"] == "nested")
        inner = rest.Stack(*href.rsplit("/", 2)[1:])
        client.wait(inner, "UPDATE_COMPLETE")
        self.assertEqual(count, len(self.physical_resources()))
