"""What exists of a type stays when rules deny it, and is not made again."""

import typing

import requests

from tests.functional import observing
from tests.functional import type_doors
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]


class ExistingTests(type_doors.DoorsTestCase):
    """What exists already stays, and may be removed, whoever asks."""

    def test_an_address_of_an_administrators_stack_is_theirs(self) -> None:
        stack = self.admins(type_doors.group_of(type_doors.FLAT))

        answer = requests.post(
            str(self.admin.outputs(stack)["url"]), json={}, timeout=30
        )

        self.assertEqual(200, answer.status_code, answer.text)
        waiting.wait_for(
            lambda: len(self.rows(stack, type_doors.FLAT)) == 2, "it grows"
        )

    def test_a_refused_signal_leaves_the_group_as_it_is(self) -> None:
        stack = self.admins(type_doors.group_of(type_doors.FLAT))

        error = self.assertRaises(
            rest.RefusedError,
            self.member.ask,
            "POST",
            f"{stack.path}/resources/policy/signal",
            {},
        )

        self.assertEqual(403, error.status)
        for each in self.rows(
            stack, type_doors.FLAT, "OS::Heat::AutoScalingGroup"
        ):
            self.assertEqual("CREATE_COMPLETE", each["resource_status"])

    def test_others_operate_over_what_exists(self) -> None:
        stack = self.admins(type_doors.group_of(type_doors.FLAT))

        self.touch(stack)
        for action in ("check", "suspend", "resume"):
            self.member.ask("POST", f"{stack.path}/actions", {action: None})
            self.admin.wait(stack, f"{action.upper()}_COMPLETE")
        self.assertEqual(1, len(self.rows(stack, type_doors.FLAT)))
        self.member.delete(stack)
        self.admin.wait(stack, "DELETE_COMPLETE")

    def test_a_deployment_without_a_resource_is_one_as_well(self) -> None:
        made = typing.cast(
            Json, self.member.ask("POST", "/software_configs", {"name": "c"})
        )
        body = {
            "config_id": made["software_config"]["id"],
            "server_id": "server",
        }

        error = self.assertRaises(
            rest.RefusedError,
            self.member.ask,
            "POST",
            "/software_deployments",
            body,
        )
        self.assertEqual(403, error.status)
        self.assertIn(
            str(type_doors.RULES["OS::Heat::SoftwareDeployment"]),
            error.message,
        )
        self.assertEqual(
            [],
            self.admin.get("/software_deployments", "software_deployments"),
        )
        self.admin.ask("POST", "/software_deployments", body)

    def test_what_is_not_listed_is_not_shown_either(self) -> None:
        for kind in (type_doors.FLAT, type_doors.OF_SERVICE):
            for path in ("", "/template"):
                where = f"/resource_types/{kind}{path}"
                self.admin.ask("GET", where)
                error = self.assertRaises(
                    rest.RefusedError, self.member.ask, "GET", where
                )
                unknown = self.assertRaises(
                    rest.RefusedError,
                    self.member.ask,
                    "GET",
                    f"/resource_types/No::Such{path}",
                )
                self.assertEqual(404, error.status)
                self.assertEqual(
                    unknown.message.replace("No::Such", kind), error.message
                )

    def test_no_template_is_written_of_it(self) -> None:
        body = {"resources": [{"type": type_doors.FLAT, "resource_id": "1"}]}

        error = self.assertRaises(
            rest.RefusedError,
            self.member.ask,
            "POST",
            "/stacks/generate",
            body,
        )

        self.assertEqual(403, error.status)


class RepairTests(type_doors.DoorsTestCase):
    """The observer asks for whoever changed the stack last."""

    more: typing.ClassVar[Json] = {"observer": observing.OPTIONS}

    def vanished(self, kind: str, *, by_member: bool) -> rest.Stack:
        """Return a stack whose only thing was taken away."""
        stack = self.admins(type_doors.group_of(kind))
        if by_member:
            self.touch(stack)
        observing.set_policy(self.admin, stack, {"stack": "repair"})
        (made,) = (
            each
            for each in self.world.calls()
            if each.act == "made" and each.stack.startswith(f"{self.name}-")
        )
        self.world.remove(made.stack, made.name)
        return stack

    def test_a_denied_type_is_not_made_again(self) -> None:
        stack = self.vanished("Test::World::Single", by_member=True)

        waiting.wait_for(
            lambda: (
                "resource_types:Test::World::Single"
                in str(self.operations(stack)[0]["reason"])
            ),
            "a repair fails",
        )

        self.assertEqual(1, len(self.rows(stack, "Test::World::Single")))

    def test_it_is_made_again_for_who_may_have_it(self) -> None:
        for kind, by_member in (
            ("Test::World::Single", False),
            ("Test::World::Listed", True),
        ):
            self.take_name()
            stack = self.vanished(kind, by_member=by_member)
            self.admin.wait(stack, "UPDATE_COMPLETE")
