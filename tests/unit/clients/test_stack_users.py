"""Users of stacks: what Keystone is asked, and what its answers mean."""

import typing

from orch import errors
from orch.clients import rest
from orch.clients import stack_users
from orch.context import request
from orch.plugin import stack_users as port
from tests import base
from tests.unit.resources.heat import installations

_SETTINGS = stack_users.Settings(
    domain_id="d1", role="heat_stack_user", region_name="north"
)
_ID = stack_users._id_of("key")


class SettingsTest(base.TestCase):
    def test_the_id_of_the_domain_counts_before_its_name(self) -> None:
        caller = request.RequestContext(
            user_domain_id="d1", user_domain_name="stacks"
        )
        for domain_id, name, answer in (
            ("d1", "other", True),
            ("d2", "stacks", False),
            ("", "stacks", True),
            ("", "other", False),
            ("", "", False),
        ):
            settings = stack_users.Settings(
                domain_id=domain_id, domain_name=name, role="r"
            )
            self.assertEqual(answer, settings.is_one(caller))

    def test_who_lives_in_no_domain_is_none(self) -> None:
        nobody = request.RequestContext()
        for settings in (_SETTINGS, stack_users.Settings(role="r")):
            self.assertFalse(settings.is_one(nobody))


class StackUsersTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.there = self.useFixture(installations.Installation())
        cloud = self.useFixture(installations.Cloud(self.there.url))
        self.answers = self.there.answers
        self.answers["GET", "/users"] = 200, {"users": [{"id": "u1"}]}
        self.answers["GET", "/projects"] = 200, {"projects": [{"id": "p1"}]}
        self.answers["GET", "/roles"] = 200, {"roles": [{"id": "r1"}]}
        self.users = self.of(cloud, _SETTINGS)

    def of(
        self, cloud: installations.Cloud, settings: stack_users.Settings
    ) -> stack_users.StackUsers:
        made = typing.cast(
            "typing.Any", cloud.connect(None, region_name="north")
        )
        return stack_users.StackUsers(made, settings)

    def test_the_user_of_a_project_is_found_by_its_id(self) -> None:
        for name, domain, expected in (
            ("p1", "d1", "token"),
            ("p2", "default", None),
        ):
            project = {"name": "token", "domain_id": domain}
            path = f"/projects/{name}"
            self.answers["GET", path] = 200, {"project": project}
            self.assertEqual(expected, self.users.find_name(name))

        self.answers["GET", "/projects/p3"] = 404, {}
        self.assertIsNone(self.users.find_name("p3"))
        for name in ("", "..", "../projects/p1"):
            self.assertIsNone(self.users.find_name(name))

    def test_a_key_that_is_there_is_taken_for_made(self) -> None:
        self.answers["POST", "/credentials"] = 409, {}
        known = {"blob": '{"access": "key", "secret": "s"}'}
        self.answers["GET", f"/credentials/{_ID}"] = 200, {"credential": known}

        self.users.make_key("name", "key")

        (asked,) = self.there.find_requests("POST", "/credentials")
        self.assertEqual(
            ("ec2", "u1", "p1"),
            tuple(
                asked.body["credential"][key]
                for key in ("type", "user_id", "project_id")
            ),
        )

    def test_a_key_that_cannot_be_made_is_an_error(self) -> None:
        self.answers["POST", "/credentials"] = 409, {}
        self.assertRaises(errors.Busy, self.users.make_key, "name", "key")

    def test_of_a_user_who_is_gone_no_key_is_made(self) -> None:
        self.answers["GET", "/users"] = 200, {"users": []}
        self.assertRaises(
            rest.CloudNotFound, self.users.make_key, "name", "key"
        )
        self.assertEqual([], self.there.find_requests("POST", "/credentials"))

    def test_who_was_made_meanwhile_is_brought_to_what_is_wanted(self) -> None:
        found = {"users": [{"id": "u2"}]}
        self.there.series["GET", "/users"] = [
            (200, {"users": []}),
            (200, found),
        ]
        for method, path in (
            ("PATCH", "/projects/p1"),
            ("PATCH", "/users/u2"),
            ("PUT", "/projects/p1/users/u2/roles/r1"),
        ):
            self.answers[method, path] = 200, {}
        self.answers["POST", "/users"] = 409, {}

        made = self.users.make("name", "why", "secret")

        self.assertEqual(("u2", "p1", "north"), _known(made))
        (changed,) = self.there.find_requests("PATCH", "/users/u2")
        self.assertEqual("secret", changed.body["user"]["password"])

    def test_a_password_that_is_known_is_not_set_again(self) -> None:
        for method, path in (
            ("PATCH", "/projects/p1"),
            ("PATCH", "/users/u1"),
            ("PUT", "/projects/p1/users/u1/roles/r1"),
        ):
            self.answers[method, path] = 200, {}

        made = self.users.make("name", "why", "secret", is_known=True)

        self.assertEqual(("u1", "p1", "north"), _known(made))
        (changed,) = self.there.find_requests("PATCH", "/users/u1")
        self.assertEqual(
            {"name": "name", "description": "why", "enabled": True},
            changed.body["user"],
        )

    def test_what_is_gone_already_is_removed(self) -> None:
        self.users.remove("name")
        self.users.remove_key("key")
        self.assertEqual(
            [1, 1, 1],
            [
                len(self.there.find_requests("DELETE", path))
                for path in (
                    "/users/u1",
                    "/projects/p1",
                    f"/credentials/{_ID}",
                )
            ],
        )

    def test_what_keystone_cannot_do_now_is_no_removal(self) -> None:
        self.answers["DELETE", "/users/u1"] = 503, {}
        self.assertRaises(errors.Transient, self.users.remove, "name")

    def test_a_domain_or_a_role_that_is_missing_is_told(self) -> None:
        cloud = self.useFixture(installations.Cloud(self.there.url))
        named = stack_users.Settings(domain_name="stacks", role="guest")
        self.answers["GET", "/domains"] = 200, {"domains": []}
        users = self.of(cloud, named)
        error = self.assertRaises(stack_users.NoDomain, users.has, "name")
        self.assertIn("domain 'stacks'", error.message)

        self.answers["GET", "/domains"] = 200, {"domains": [{"id": "d1"}]}
        self.answers["GET", "/roles"] = 200, {"roles": []}
        self.answers["PATCH", "/projects/p1"] = 200, {}
        self.answers["PATCH", "/users/u1"] = 200, {}
        error = self.assertRaises(
            stack_users.NoDomain, users.make, "name", "why", "secret"
        )
        self.assertIn("role 'guest'", error.message)


def _known(made: port.Login) -> tuple[str, str, str]:
    return made.user_id, made.project_id, made.region_name
