"""The policies of sites, through REST."""

import typing

from tests.functional import test_lifecycle_shipped
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = world_templates.Json


class PoliciesTest(test_lifecycle_shipped.ShippedTestCase):
    @classmethod
    def settings(cls) -> Json:
        return {
            "resource-counts": {
                "limits": [
                    {
                        "types": "Test::World::*",
                        "warn_above": 3,
                        "deny_above": 5,
                    }
                ]
            },
            "resource-rules": {
                "rules": [
                    {
                        "types": "Test::World::Thing",
                        "property": "label",
                        "not_among": ["forbidden"],
                    }
                ]
            },
            "naming-tagging": {"forbidden_tags": ["tmp"]},
            "maintenance-windows:frozen": {
                "freezes": [{"from": "2000-01-01", "to": "2999-01-01"}],
                "tags": ["frozen"],
                "verbs": ["update"],
            },
            "rack-placement": {
                "racks": {"r1": {"OS::Heat::Value": 1}},
            },
        }

    def reasons(self, stack: rest.Stack) -> list[str]:
        return [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
        ]

    def test_resource_counts_warn_and_deny(self) -> None:
        few = self.make("a", "b", "c", "d")
        self.client.wait(few, "CREATE_COMPLETE")
        self.take_name()
        many = self.make("a", "b", "c", "d", "e", "f")

        told = self.denied(many)

        self.assertIn(
            "Lifecycle plug-in resource-counts denied the CREATE: 6 resources"
            " of Test::World::*, and 5 are the limit",
            told,
        )
        self.assertEqual([], self.names())
        self.assertTrue(
            any(
                "4 resources of Test::World::*, more than 3" in each
                for each in self.reasons(few)
            ),
            self.reasons(few),
        )

    def test_a_retry_of_what_was_denied_is_denied_again(self) -> None:
        stack = self.make("a", "b", "c", "d", "e", "f")
        self.denied(stack)

        self.client.retry(stack)
        waiting.wait_for(
            lambda: (
                self.operation(stack)["attempt"] == 2
                and self.operation(stack)["state"] == "FAILED"
            ),
            "the second attempt has failed",
        )

        self.assertIn("and 5 are the limit", self.denied(stack))
        self.assertEqual([], self.names())

    def test_resource_rules_deny_a_value(self) -> None:
        told = self.denied(self.make("a", label="forbidden"))

        self.assertIn('a.label is "forbidden", which is forbidden', told)
        self.assertEqual([], self.names())

    def test_resource_rules_look_again_when_more_is_known(self) -> None:
        told = {"get_attr": ["told", "output"]}
        stack = self.client.create(
            self.name,
            world_templates.template(
                told={
                    "type": "OS::Heat::TestResource",
                    "properties": {"value": "forbidden"},
                },
                group={
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 1,
                        "resource_def": {
                            "type": "Test::World::Thing",
                            "properties": {"label": told},
                        },
                    },
                },
            ),
        )

        reason = self.denied(stack)

        self.assertIn(
            'group/0.label is "forbidden", which is forbidden', reason
        )
        self.assertEqual([], self.names())

    def test_naming_tagging_denies_a_tag(self) -> None:
        told = self.denied(self.make("a", tags="tmp"))

        self.assertIn("the tag tmp is forbidden", told)
        self.assertEqual([], self.names())

    def test_maintenance_windows_deny_an_update(self) -> None:
        stack = self.make("a", tags="frozen", label="1")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": world_templates.template(
                    a=world_templates.declare_resource(label="2")
                ),
                "tags": "frozen",
            },
        )
        told = self.denied(stack, "UPDATE")

        self.assertIn(
            "Lifecycle plug-in maintenance-windows:frozen denied the UPDATE:"
            " nothing changes until 2999-01-02 00:00 UTC",
            told,
        )
        self.assertEqual({"a": "1"}, self.labels())

    def test_rack_placement_counts_the_room_of_other_stacks(self) -> None:
        first = self.value()
        self.client.wait(first, "CREATE_COMPLETE")
        decided = self.client.get(f"{first.path}/resources/v", "resource")
        self.take_name()

        told = self.denied(self.value())

        self.assertEqual(
            {"rack-placement": {"rack": "r1", "type": "OS::Heat::Value"}},
            typing.cast(Json, decided)["decisions"],
        )
        self.assertIn("no rack has room for 1 OS::Heat::Value", told)
        self.client.delete(first)
        self.client.wait(first, "DELETE_COMPLETE")
        self.take_name()
        third = self.value()
        self.client.wait(third, "CREATE_COMPLETE")
        self.client.delete(third)
        self.client.wait(third, "DELETE_COMPLETE")

    def test_rack_placement_places_the_members_of_a_group(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.template(
                group={
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 1,
                        "resource_def": {
                            "type": "OS::Heat::Value",
                            "properties": {"value": 1},
                        },
                    },
                }
            ),
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        members = typing.cast(
            list[Json],
            self.client.get(
                f"{stack.path}/resources?nested_depth=1", "resources"
            ),
        )
        [inner] = [
            str(each["href"])
            for each in typing.cast(
                list[Json],
                next(
                    each["links"]
                    for each in members
                    if each["resource_name"] == "group"
                ),
            )
            if each["rel"] == "nested"
        ]
        path = inner.partition("/stacks/")[2]

        found = self.client.get(f"/stacks/{path}/resources/0", "resource")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            {"rack-placement": {"rack": "r1", "type": "OS::Heat::Value"}},
            typing.cast(Json, found)["decisions"],
        )

    def value(self) -> rest.Stack:
        return self.client.create(
            self.name,
            world_templates.template(
                v={"type": "OS::Heat::Value", "properties": {"value": 1}}
            ),
        )
