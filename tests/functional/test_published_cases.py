"""What Heat's published tests ask of the API, in our words.

The tests themselves run where they are installed (``test_published``).
"""

import typing

from tests.support import rest
from tests.support import serving
from tests.support import waiting

Json = dict[str, typing.Any]

_ECHO = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string}
resources:
  echo:
    type: OS::Heat::TestResource
    properties: {value: {get_param: word}}
outputs:
  said: {value: {get_attr: [echo, output]}}
"""
_KID = {"type": "kid.yaml", "properties": {"word": "w"}}
_VERSION = "2021-04-16"


def template(**resources: object) -> Json:
    return {"heat_template_version": _VERSION, "resources": resources}


def resource(**properties: object) -> Json:
    return {"type": "OS::Heat::TestResource", "properties": properties}


class PublishedCaseTestCase(serving.ServerTestCase):
    """All on one server."""

    def make(
        self, name: str, wanted: Json, status: str = "COMPLETE", **more: object
    ) -> rest.Stack:
        """Return a stack once its creation has the status."""
        stack = self.client.create(name, wanted, **more)
        self.addCleanup(self.client.delete, stack)
        self.client.wait(stack, f"CREATE_{status}")
        return stack

    def update(
        self,
        stack: rest.Stack,
        wanted: Json,
        status: str = "COMPLETE",
        **more: object,
    ) -> Json:
        """Return the stack once its update has the status."""
        self.client.ask("PUT", stack.path, {"template": wanted, **more})
        return self.client.wait(stack, f"UPDATE_{status}")

    def refusal(self, wanted: Json, **more: object) -> str:
        """Return the message that a new stack is refused with."""
        error = self.assertRaises(
            rest.RefusedError, self.client.create, "refused", wanted, **more
        )
        self.assertEqual(
            (400, "StackValidationFailed"), (error.status, error.type)
        )
        return error.message

    def preview(self, name: str, wanted: Json, **more: object) -> Json:
        """Return a stack as it would be."""
        body = {"stack_name": name, "template": wanted, **more}
        found = self.client.ask("POST", "/stacks/preview", body)
        return typing.cast(Json, found)["stack"]

    def ids(self, stack: rest.Stack) -> dict[str, object]:
        """Return what stands for the names of a stack."""
        return {
            name: row["physical_resource_id"]
            for name, row in self.client.resources(stack).items()
        }


class PreviewTests(PublishedCaseTestCase):
    def test_a_resource_that_is_not_there_has_the_form_of_heat(self) -> None:
        (shown,) = self.preview("tried", template(a=resource(value="v")))[
            "resources"
        ]

        identity = {
            "tenant": "demo",
            "stack_name": "tried",
            "stack_id": "None",
        }
        self.assertEqual({**identity, "path": ""}, shown["stack_identity"])
        self.assertEqual(
            {**identity, "path": "/resources/a"}, shown["resource_identity"]
        )
        self.assertEqual("tried", shown["stack_name"])
        self.assertEqual(
            ("INIT", "COMPLETE", "", ""),
            (
                shown["resource_action"],
                shown["resource_status"],
                shown["resource_status_reason"],
                shown["physical_resource_id"],
            ),
        )
        self.assertEqual(
            (None, None), (shown["creation_time"], shown["updated_time"])
        )
        self.assertEqual({"output": None}, shown["attributes"])
        self.assertEqual(
            ("v", False, 0),
            (
                shown["properties"]["value"],
                shown["properties"]["fail"],
                shown["properties"]["wait_secs"],
            ),
        )
        self.assertNotIn("parent_resource", shown)

    def test_one_of_an_inner_stack_names_both(self) -> None:
        ((shown,),) = self.preview(
            "tried", template(kid=_KID), files={"kid.yaml": _ECHO}
        )["resources"]

        self.assertEqual("tried-kid", shown["stack_name"])
        self.assertEqual("kid", shown["parent_resource"])
        self.assertEqual("w", shown["properties"]["value"])

    def test_changes_in_an_inner_stack_name_what_holds_it(self) -> None:
        files = {"kid.yaml": _ECHO}
        stack = self.make("parented", template(kid=_KID), files=files)

        found = self.client.ask(
            "PUT",
            f"{stack.path}/preview?show_nested=true",
            {
                "template": template(
                    kid={"type": "kid.yaml", "properties": {"word": "x"}}
                ),
                "files": files,
            },
        )

        outer, inner = typing.cast(Json, found)["resource_changes"]["updated"]
        self.assertEqual("kid", outer["resource_name"])
        self.assertNotIn("parent_resource", outer)
        self.assertEqual(
            ("echo", "kid"),
            (inner["resource_name"], inner["parent_resource"]),
        )


class RefusalTests(PublishedCaseTestCase):
    def test_a_wrong_property_is_told_with_its_place(self) -> None:
        self.assertEqual(
            "Property error: : resources.a.properties.value: : The Parameter"
            " (missing) was not provided.",
            self.refusal(template(a=resource(value={"get_param": "missing"}))),
        )

    def test_other_faults_have_a_place_alone(self) -> None:
        wanted = template(a=resource())
        wanted["outputs"] = {"o": {"value": {"list_join": 1}}}

        message = self.refusal(wanted)

        self.assertTrue(
            message.startswith("outputs.o.value.list_join: : "), message
        )

    def test_a_template_unlike_its_facade_is_told_without_a_place(
        self,
    ) -> None:
        registry = {
            "Our::Thing": "facade.yaml",
            "resources": {"kid": {"Our::Thing": "kid.yaml"}},
        }

        message = self.refusal(
            template(kid={"type": "Our::Thing", "properties": {"word": "w"}}),
            files={
                "facade.yaml": _ECHO,
                "kid.yaml": _ECHO.partition("outputs:")[0],
            },
            environment={"resource_registry": registry},
        )

        self.assertEqual(
            "Attribute said for facade Our::Thing missing in provider", message
        )

    def test_what_stands_in_for_an_unserved_type_need_not_be_like_it(
        self,
    ) -> None:
        stack = self.make(
            "unserved",
            template(kid={"type": "OS::Mistral::ExternalResource"}),
            files={"kid.yaml": "heat_template_version: 2021-04-16"},
            environment={
                "resource_registry": {
                    "OS::Mistral::ExternalResource": "kid.yaml"
                }
            },
        )

        (row,) = self.client.resources(stack).values()
        self.assertEqual("OS::Mistral::ExternalResource", row["resource_type"])


class UpdateTests(PublishedCaseTestCase):
    def test_a_resource_cannot_come_to_stand_for_another_thing(self) -> None:
        own = template(a=resource())
        other = template(a={**resource(), "external_id": "foobar"})
        for name, before, after in (
            ("taken", own, other),
            ("given", other, own),
        ):
            stack = self.make(name, before)
            ids = self.ids(stack)

            shown = self.update(stack, after, "FAILED")

            self.assertIn(
                "Update to property external_id of a (OS::Heat::TestResource)"
                " is not supported.",
                shown["stack_status_reason"],
            )
            self.assertEqual(ids, self.ids(stack))
            self.update(stack, before)
            self.assertEqual(ids, self.ids(stack))

    def test_a_template_that_has_lost_a_parameter_is_changed_in_place(
        self,
    ) -> None:
        files = {"kid.yaml": _ECHO}
        stack = self.make("lost", template(kid=_KID), files=files)
        ids = self.ids(stack)

        self.update(
            stack,
            template(kid={"type": "kid.yaml"}),
            files={
                "kid.yaml": _ECHO.replace(
                    "{type: string}", "{type: string, default: v}"
                ).replace("word", "term")
            },
        )

        self.assertEqual(ids, self.ids(stack))

    def test_another_name_of_its_type_is_taken_on(self) -> None:
        files = {"kid.yaml": _ECHO}
        environment = {
            "resource_registry": {"My::*": "kid.yaml"},
        }
        properties = {"word": "w"}
        stack = self.make(
            "renamed",
            template(kid={"type": "My::One", "properties": properties}),
            files=files,
            environment=environment,
        )
        ids = self.ids(stack)

        self.update(
            stack,
            template(kid={"type": "My::Two", "properties": properties}),
            files=files,
            environment=environment,
        )

        self.assertEqual(ids, self.ids(stack))
        self.assertEqual(
            "My::Two", self.client.resources(stack)["kid"]["resource_type"]
        )

    def test_members_whose_turn_comes_later_keep_their_template(self) -> None:
        def group(name: str) -> Json:
            return template(
                group={
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 3,
                        "resource_def": {
                            "type": name,
                            "properties": {"word": "w"},
                        },
                    },
                    "update_policy": {"rolling_update": {"max_batch_size": 1}},
                }
            )

        stack = self.make(
            "turns", group("old/kid.yaml"), files={"old/kid.yaml": _ECHO}
        )

        self.update(
            stack, group("new/kid.yaml"), files={"new/kid.yaml": _ECHO}
        )

        members = self.client.get(
            f"{stack.path}/resources?nested_depth=1", "resources"
        )
        assert isinstance(members, list)
        self.assertEqual(
            ["new/kid.yaml"] * 3,
            [
                each["resource_type"]
                for each in members
                if each.get("parent_resource") == "group"
            ],
        )


class ReadingTests(PublishedCaseTestCase):
    def test_an_output_without_value_tells_which_resource_has_none(
        self,
    ) -> None:
        wanted = template(kid=_KID)
        wanted["outputs"] = {"o": {"value": {"get_attr": ["kid", "said"]}}}
        broken = _ECHO.replace(
            "{get_attr: [echo, output]}", "{get_param: foo}"
        )

        stack = self.make("told", wanted, files={"kid.yaml": broken})

        (output,) = self.client.show(stack)["outputs"]
        self.assertIsNone(output["output_value"])
        self.assertEqual(
            "Error in kid output said: The Parameter (foo) was not provided.",
            output["output_error"],
        )

    def test_metadata_show_what_others_are_now(self) -> None:
        group = {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {
                "min_size": 1,
                "max_size": 3,
                "resource": {"type": "OS::Heat::RandomString"},
            },
        }
        policy = {
            "type": "OS::Heat::ScalingPolicy",
            "properties": {
                "adjustment_type": "change_in_capacity",
                "auto_scaling_group_id": {"get_resource": "group"},
                "scaling_adjustment": 1,
            },
        }
        listener = {
            "type": "OS::Heat::TestResource",
            "metadata": {"size": {"get_attr": ["group", "current_size"]}},
        }
        stack = self.make(
            "live", template(group=group, up=policy, listener=listener)
        )
        path = f"{stack.path}/resources/listener/metadata"
        before = self.client.get(path, "metadata")

        self.client.ask("POST", f"{stack.path}/resources/up/signal")
        waiting.wait_for(
            lambda: self.client.get(path, "metadata") != before,
            "other metadata",
        )

        self.assertEqual({"size": 1}, before)
        self.assertEqual({"size": 2}, self.client.get(path, "metadata"))

    def test_a_signal_to_what_rests_is_told_once(self) -> None:
        stack = self.make(
            "resting",
            template(
                group={
                    "type": "OS::Heat::AutoScalingGroup",
                    "properties": {
                        "min_size": 0,
                        "max_size": 1,
                        "resource": {"type": "OS::Heat::RandomString"},
                    },
                },
                up={
                    "type": "OS::Heat::ScalingPolicy",
                    "properties": {
                        "adjustment_type": "change_in_capacity",
                        "auto_scaling_group_id": {"get_resource": "group"},
                        "scaling_adjustment": 1,
                    },
                },
            ),
        )
        self.client.ask("POST", f"{stack.path}/actions", {"suspend": None})
        self.client.wait(stack, "SUSPEND_COMPLETE")

        for _ in range(2):
            error = self.assertRaises(
                rest.RefusedError,
                self.client.ask,
                "POST",
                f"{stack.path}/resources/up/signal",
            )
            self.assertEqual(400, error.status)
            self.assertIn(
                "Signal resource during SUSPEND is not supported",
                error.message,
            )

        reason = "Cannot signal resource during SUSPEND"
        self.assertEqual(
            [("up", "SUSPEND_COMPLETE")],
            [
                (each["resource_name"], each["resource_status"])
                for each in self.client.events(stack)
                if each["resource_status_reason"] == reason
            ],
        )
