"""Roles are granted and revoked exactly, and again where that is needed."""

import dataclasses

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

WHO = "5d4b3a1e00004000800000000000000a"
PLACE = "5d4b3a1e00004000800000000000000b"
JOB = "5d4b3a1e00004000800000000000000c"
OTHER = "5d4b3a1e00004000800000000000000d"
GROUP = "5d4b3a1e00004000800000000000000e"

ROLES = [{"role": JOB, "project": PLACE}]


def _granted(*roles: str) -> dict[str, object]:
    return {
        "role_assignments": [
            {"role": {"id": each}, "scope": {"project": {"id": PLACE}}}
            for each in roles
        ]
    }


class UserRoleAssignmentTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Keystone::UserRoleAssignment")
    noun = "user"

    def setUp(self) -> None:
        super().setUp()
        kept = clouds.Collection(self.noun, f"{self.noun}s")
        self.use(clouds.Cloud(**{f"{self.noun}s": kept}))
        self.cloud.add(f"/{self.noun}s", id=WHO)
        for role in (JOB, OTHER):
            for method in ("PUT", "DELETE"):
                self.cloud.answers[method, self.path(role)] = 204, None
        self.answer_roles(JOB)

    def path(self, role: str) -> str:
        return f"/projects/{PLACE}/{self.noun}s/{WHO}/roles/{role}"

    def granted(self) -> call_context.Context:
        """Return the context of roles that are granted."""
        return self.made(**{self.noun: WHO}, roles=ROLES)

    def answer_roles(self, *roles: str) -> None:
        """Let these roles be granted."""
        self.cloud.answers["GET", "/role_assignments"] = 200, _granted(*roles)

    def test_the_id_is_that_of_who_has_the_roles(self) -> None:
        self.assertEqual(WHO, self.granted().physical_id)

    def test_only_what_differs_is_granted_and_revoked(self) -> None:
        context = self.granted()

        self.changed(context, roles=[{"role": OTHER, "project": PLACE}])

        self.assertEqual(
            [f"PUT {self.path(OTHER)}", f"DELETE {self.path(JOB)}"],
            self.cloud.find_requests("PUT", "DELETE"),
        )

    def test_a_role_that_is_revoked_already_is_fine(self) -> None:
        context = self.granted()
        del self.cloud.answers["DELETE", self.path(JOB)]

        self.plugin.delete(context)

        self.assertIsNone(self.plugin.is_deleted(context))

    def test_what_others_granted_beside_is_no_drift(self) -> None:
        context = self.granted()

        self.answer_roles(OTHER, JOB)

        self.assertEqual([], self.differing(context, {"roles": ROLES}))
        self.assertIn(
            f"/role_assignments?{self.noun}.id={WHO}",
            [each.path for each in self.cloud.requests],
        )

    def test_a_role_that_was_revoked_is_drift_and_fails_the_check(
        self,
    ) -> None:
        context = self.granted()

        self.answer_roles(OTHER)

        self.assertEqual(["roles"], self.differing(context, {"roles": ROLES}))
        self.assertRaises(reality.Vanished, self.plugin.check, context)

    def test_with_who_had_them_they_have_vanished(self) -> None:
        context = self.granted()
        self.cloud.collections[f"/{self.noun}s"].rows.clear()

        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)

    def test_a_role_needs_exactly_one_place(self) -> None:
        for given in ({}, {"project": "a", "domain": "b"}):
            self.assertRaises(
                errors.Invalid,
                self.plugin.validate,
                {self.noun: WHO, "roles": [{"role": JOB, **given}]},
            )
        self.plugin.validate({self.noun: WHO, "roles": ROLES})


class GroupRoleAssignmentTest(UserRoleAssignmentTest):
    kind = type_data.load_type("OS::Keystone::GroupRoleAssignment")
    noun = "group"


class UserTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Keystone::User")

    def setUp(self) -> None:
        super().setUp()
        self.use(
            clouds.Cloud(
                users=clouds.Collection("user", "users"),
                domains=clouds.Collection("domain", "domains"),
            )
        )
        self.cloud.add("/domains", id="default", name="Default")

    def test_a_group_that_has_no_such_member_any_more_is_fine(self) -> None:
        context = self.context(groups=[GROUP])
        identifier = str(self.plugin.create(context))
        path = f"/groups/{GROUP}/users/{identifier}"
        self.cloud.answers["PUT", path] = 204, None
        context = dataclasses.replace(context, physical_id=identifier)
        self.assertIsNone(self.plugin.is_created(context))

        self.changed(context, groups=None)

        self.assertEqual(
            [f"DELETE {path}"], self.cloud.find_requests("DELETE")
        )

    def test_the_password_is_sent_and_never_read(self) -> None:
        context = self.made(password="very secret")

        live = self.plugin.get_reality(context)

        assert live is not None
        self.assertNotIn("password", live)
        sent = self.cloud.collections["/users"].rows[context.physical_id or ""]
        self.assertEqual("very secret", sent["password"])

    def test_a_lost_attempt_is_found_among_those_of_its_name(self) -> None:
        context = self.made(name="ann", description="who")
        self.cloud.add("/users", name="ann", description="another")
        lost = dataclasses.replace(context, physical_id=None)

        self.assertEqual(context.physical_id, self.plugin.find(lost))

        other = dataclasses.replace(lost, token="another")
        self.assertIsNone(self.plugin.find(other))

    def test_where_lists_are_refused_each_is_read(self) -> None:
        context = self.made()
        self.cloud.refuse("GET", "/users", 403)

        self.assertIsNone(self.plugin.observe([context, context]))
