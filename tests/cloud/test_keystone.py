"""The types of Keystone, on a real one."""

import typing

from openstack import exceptions

from tests.cloud import cases
from tests.cloud import short_set
from tests.support import rest

Json = dict[str, typing.Any]


def project(**properties: object) -> Json:
    return {"type": "OS::Keystone::Project", "properties": properties}


def user(**properties: object) -> Json:
    return {"type": "OS::Keystone::User", "properties": properties}


def role(**properties: object) -> Json:
    return {"type": "OS::Keystone::Role", "properties": properties}


class KeystoneTests(cases.RigTestCase):
    services = ("identity",)
    acts_as_admin = True

    def roles_of(
        self, grantee_id: str, kind: str = "user"
    ) -> set[tuple[str, str]]:
        """Return names of roles and ids of projects of a user or group."""
        answer = self.admin.identity.get(
            "/role_assignments",
            params={f"{kind}.id": grantee_id, "include_names": "true"},
        )
        return {
            (each["role"]["name"], each["scope"]["project"]["id"])
            for each in answer.json()["role_assignments"]
        }

    def test_a_project_is_made_changed_checked_and_removed(self) -> None:
        stack = self.made(
            {"it": project(description="first", tags=["b", "a"])},
            outputs={
                "name": {"value": {"get_attr": ["it", "name"]}},
                "domain": {"value": {"get_attr": ["it", "domain_id"]}},
            },
        )
        identifier = self.physical_id(stack, "it")
        made = self.admin.identity.get_project(identifier)

        self.assertEqual(
            {"name": made.name, "domain": "default"},
            self.here.outputs(stack),
        )
        self.assertTrue(made.description.startswith("first [orch "))
        self.assertEqual({"a", "b"}, set(made.tags))

        self.updated(
            stack,
            {"it": project(name=f"{self.name}-p", enabled=False)},
        )

        changed = self.admin.identity.get_project(identifier)
        self.assertEqual(
            (f"{self.name}-p", False), (changed.name, changed.is_enabled)
        )
        self.assertNotIn("first", changed.description)
        self.assertEqual([], changed.tags)
        self.act(stack, "check")
        self.removed(stack)
        self.assertRaises(
            exceptions.NotFoundException,
            self.admin.identity.get_project,
            identifier,
        )

    def test_a_check_tells_that_a_project_is_gone(self) -> None:
        stack = self.made({"it": project()})
        self.admin.identity.delete_project(self.physical_id(stack, "it"))

        self.act(stack, "check", status="FAILED")

        self.assertEqual(
            "CHECK_FAILED",
            self.here.resources(stack)["it"]["resource_status"],
        )

    @short_set.case_of(
        "OS::Keystone::Group",
        "OS::Keystone::Project",
        "OS::Keystone::Role",
        "OS::Keystone::User",
    )
    def test_a_user_has_roles_and_groups_in_places_made_with_it(self) -> None:
        resources = {
            "place": project(),
            "job": role(),
            "team": {"type": "OS::Keystone::Group"},
            "person": user(
                password="not-a-secret",
                groups=[{"get_resource": "team"}],
                roles=[
                    {
                        "role": {"get_resource": "job"},
                        "project": {"get_resource": "place"},
                    },
                    {
                        "role": "reader",
                        "project": {"get_resource": "place"},
                    },
                ],
            ),
        }
        stack = self.made(resources)
        place = self.physical_id(stack, "place")
        job = self.admin.identity.get_role(self.physical_id(stack, "job"))
        person = self.physical_id(stack, "person")

        self.assertEqual(
            {(job.name, place), ("reader", place)}, self.roles_of(person)
        )
        groups = self.admin.identity.get(f"/users/{person}/groups").json()
        self.assertEqual(
            [self.physical_id(stack, "team")],
            [each["id"] for each in groups["groups"]],
        )

        # What somebody else has granted beside is left alone.
        self.openstack(
            "role", "add", "--user", person, "--project", place, "member"
        )
        resources["person"]["properties"]["roles"].pop()
        resources["person"]["properties"].pop("groups")
        self.updated(stack, resources)

        self.assertEqual(
            {(job.name, place), ("member", place)}, self.roles_of(person)
        )
        groups = self.admin.identity.get(f"/users/{person}/groups").json()
        self.assertEqual([], groups["groups"])

    @short_set.case_of("OS::Keystone::UserRoleAssignment")
    def test_roles_are_granted_to_somebody_who_is_there(self) -> None:
        def assignment(*names: str) -> Json:
            return {
                "place": project(),
                "it": {
                    "type": "OS::Keystone::UserRoleAssignment",
                    "properties": {
                        "user": "demo",
                        "roles": [
                            {
                                "role": name,
                                "project": {"get_resource": "place"},
                            }
                            for name in names
                        ],
                    },
                },
            }

        demo = self.admin.identity.find_user("demo").id
        before = self.roles_of(demo)

        stack = self.made(assignment("reader", "member"))

        place = self.physical_id(stack, "place")
        self.assertEqual(
            {("reader", place), ("member", place)},
            self.roles_of(demo) - before,
        )
        self.updated(stack, assignment("member"))
        self.assertEqual({("member", place)}, self.roles_of(demo) - before)
        self.act(stack, "check")
        self.openstack(
            "role", "remove", "--user", demo, "--project", place, "member"
        )
        self.act(stack, "check", status="FAILED")
        self.removed(stack)
        self.assertEqual(before, self.roles_of(demo))

    @short_set.case_of("OS::Keystone::GroupRoleAssignment")
    def test_roles_are_granted_to_a_group(self) -> None:
        def assignment(*names: str) -> Json:
            return {
                "team": {"type": "OS::Keystone::Group"},
                "place": project(),
                "it": {
                    "type": "OS::Keystone::GroupRoleAssignment",
                    "properties": {
                        "group": {"get_resource": "team"},
                        "roles": [
                            {
                                "role": name,
                                "project": {"get_resource": "place"},
                            }
                            for name in names
                        ],
                    },
                },
            }

        stack = self.made(assignment("reader", "member"))
        team = self.physical_id(stack, "team")
        place = self.physical_id(stack, "place")

        self.assertEqual(
            {("reader", place), ("member", place)},
            self.roles_of(team, "group"),
        )
        self.updated(stack, assignment("member"))
        self.assertEqual({("member", place)}, self.roles_of(team, "group"))
        self.act(stack, "check")
        member = self.admin.identity.find_role("member").id
        self.admin.identity.delete(
            f"/projects/{place}/groups/{team}/roles/{member}"
        )
        self.act(stack, "check", status="FAILED")

    @short_set.case_of("OS::Keystone::Domain")
    def test_a_domain_in_use_is_disabled_and_removed(self) -> None:
        stack = self.made(
            {
                "it": {"type": "OS::Keystone::Domain"},
                "inside": {
                    "type": "OS::Keystone::Group",
                    "properties": {"domain": {"get_resource": "it"}},
                },
            }
        )
        identifier = self.physical_id(stack, "it")
        self.assertTrue(self.admin.identity.get_domain(identifier).is_enabled)

        self.removed(stack)

        self.assertRaises(
            exceptions.NotFoundException,
            self.admin.identity.get_domain,
            identifier,
        )

    @short_set.case_of(
        "OS::Keystone::Endpoint",
        "OS::Keystone::Region",
        "OS::Keystone::Service",
    )
    def test_a_service_is_added_to_the_catalogue(self) -> None:
        stack = self.made(
            {
                "region": {"type": "OS::Keystone::Region"},
                "service": {
                    "type": "OS::Keystone::Service",
                    "properties": {"type": self.name},
                },
                "address": {
                    "type": "OS::Keystone::Endpoint",
                    "properties": {
                        "service": {"get_resource": "service"},
                        "region": {"get_resource": "region"},
                        "interface": "public",
                        "url": "http://127.0.0.1:9/v1",
                    },
                },
            }
        )

        found = self.admin.identity.get_endpoint(
            self.physical_id(stack, "address")
        )

        self.assertEqual(
            (
                "http://127.0.0.1:9/v1",
                self.physical_id(stack, "region"),
                self.physical_id(stack, "service"),
            ),
            (found.url, found.region_id, found.service_id),
        )
        self.act(stack, "check")

    def test_a_role_without_one_place_is_refused(self) -> None:
        refused = self.assertRaises(
            rest.RefusedError,
            self.here.create,
            self.name,
            cases.template({"it": user(roles=[{"role": "member"}])}),
        )

        self.assertIn("needs either a project or a domain", refused.message)

    def test_what_stands_already_is_adopted(self) -> None:
        made = self.admin.identity.create_project(name=f"{self.name}-there")
        self.addCleanup(self.admin.identity.delete_project, made)
        stack = self.made(
            {"it": {**project(), "external_id": made.id}},
            outputs={"name": {"value": {"get_attr": ["it", "name"]}}},
        )

        self.assertEqual({"name": made.name}, self.here.outputs(stack))
        self.removed(stack)
        self.assertEqual(made.id, self.admin.identity.get_project(made.id).id)
