"""Who may adopt what a stack owns already: not what other projects own."""

import pathlib
import tempfile
import typing

import bcrypt

from tests.functional import lifecycle
from tests.support import rest
from tests.support import serving
from tests.support import world_templates

Json = dict[str, typing.Any]

_LISTED: typing.Final = "Test::World::Linked"
_NAMED: typing.Final = "Test::World::Named"
template = world_templates.template


def linked(**properties: object) -> Json:
    return {"type": _LISTED, "properties": properties}


class OwnersTestCase(serving.WorldTestCase):
    """A member of a project, and a stack of the same and of another one."""

    options: typing.ClassVar = {
        "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True}
    }

    def setUp(self) -> None:
        super().setUp()
        self.other = self.client_of("other")
        self.member = self.client_of("demo", roles="member")

    def client_of(self, project: str, **more: str) -> rest.Client:
        base = self.client.endpoint.rpartition("/")[0]
        client = rest.Client(f"{base}/{project}", **more)
        self.addCleanup(client.close)
        return client

    def owned(self, client: rest.Client, label: str = "") -> str:
        """Return the id of a thing that a stack of the client owns."""
        stack = client.create(self.name, template(a=linked(label=label)))
        client.wait(stack, "CREATE_COMPLETE")
        found = client.resources(stack)["a"]["physical_resource_id"]
        self.addCleanup(self.delete, client, stack)
        return str(found)

    def delete(self, client: rest.Client, stack: rest.Stack) -> None:
        client.delete(stack)
        client.wait(stack, "DELETE_COMPLETE")

    def adopt(
        self, client: rest.Client, physical_id: str, **body: object
    ) -> rest.Stack:
        """Ask for the adoption of a thing."""
        name = f"{self.name}-again"
        document = {
            "template": template(a=linked()),
            "resources": {"a": {"type": _LISTED, "resource_id": physical_id}},
        }
        answer = client.ask(
            "POST",
            "/stacks",
            {"stack_name": name, "adopt_stack_data": document, **body},
        )
        return rest.Stack(name, typing.cast(Json, answer)["stack"]["id"])

    def refusal(self, *given: typing.Any, **more: object) -> str:
        error = self.assertRaises(
            rest.RefusedError, self.adopt, *given, **more
        )
        self.assertEqual(409, error.status)
        return error.message


class OwnerTests(OwnersTestCase):
    def refused_in_run(
        self, client: rest.Client, physical_id: str, **body: object
    ) -> str:
        """Return why an adoption fails; the thing stays where it is."""
        stack = self.adopt(client, physical_id, **body)
        client.wait(stack, "ADOPT_FAILED")
        row = client.resources(stack)["a"]
        self.delete(client, stack)
        return str(row["resource_status_reason"])

    def test_what_another_project_owns_is_not_for_members(self) -> None:
        physical_id = self.owned(self.other)

        plain = self.refused_in_run(self.member, physical_id)
        forced = self.refused_in_run(
            self.member, physical_id, adopt_owned=True
        )

        self.assertEqual(plain, forced)
        self.assertIn("belongs to another stack", plain)
        self.assertNotIn(self.name, plain)
        self.assertNotIn("other", plain.replace("another", ""))

    def test_nor_for_those_who_do_not_look(self) -> None:
        physical_id = self.owned(self.other)

        reason = self.refused_in_run(
            self.member, physical_id, adopt_verify="take"
        )

        self.assertIn("belongs to another stack", reason)

    def test_what_the_own_project_owns_is_named(self) -> None:
        physical_id = self.owned(self.client)

        told = self.refusal(self.member, physical_id)

        self.assertIn(f"resource a of stack {self.name}", told)
        self.assertIn("adopt_owned", told)

    def test_what_the_own_project_owns_is_taken(self) -> None:
        physical_id = self.owned(self.client)

        stack = self.adopt(self.member, physical_id, adopt_owned=True)

        self.client.wait(stack, "ADOPT_COMPLETE")
        self.delete(self.client, stack)

    def test_two_projects_have_the_same_names(self) -> None:
        body: Json = {
            "stack_name": f"{self.name}-named",
            "adopt_stack_data": {
                "template": template(a={"type": _NAMED}),
                "resources": {"a": self.owned(self.other)},
            },
        }
        for client in (self.client, self.other):
            answer = typing.cast(Json, client.ask("POST", "/stacks", body))
            stack = rest.Stack(body["stack_name"], answer["stack"]["id"])
            client.wait(stack, "ADOPT_COMPLETE")

        again = {**body, "stack_name": f"{self.name}-again"}
        error = self.assertRaises(
            rest.RefusedError, self.member.ask, "POST", "/stacks", again
        )

        self.assertEqual(409, error.status)
        self.assertIn(body["stack_name"], error.message)

    def test_what_nobody_can_see_keeps_nobody_from_it(self) -> None:
        """A claim of what does not exist is no claim for other projects."""
        for verify in ("take", "warn"):
            with self.subTest(verify=verify):
                self.take_name()
                text = f"thing-{self.name}-not-there"
                theirs = self.adopt(self.other, text, adopt_verify=verify)
                self.other.wait(theirs, "ADOPT_COMPLETE")
                self.addCleanup(self.delete, self.other, theirs)

                mine = self.adopt(self.member, text)

                self.member.wait(mine, "ADOPT_COMPLETE")
                self.delete(self.member, mine)

    def test_within_a_project_it_does(self) -> None:
        text = f"thing-{self.name}-not-there"
        first = self.adopt(self.client, text, adopt_verify="take")
        self.client.wait(first, "ADOPT_COMPLETE")
        self.addCleanup(self.delete, self.client, first)
        self.take_name()

        self.refusal(self.member, text)

    def test_an_administrator_of_the_cloud_takes_no_more(self) -> None:
        physical_id = self.owned(self.other)

        plain = self.refused_in_run(self.client, physical_id)
        forced = self.refused_in_run(
            self.client, physical_id, adopt_owned=True
        )

        self.assertEqual(plain, forced)

    def test_what_both_own_is_not_taken(self) -> None:
        physical_id = self.owned(self.client)
        stack = self.adopt(self.client, physical_id, adopt_owned=True)
        self.client.wait(stack, "ADOPT_COMPLETE")
        # As an earlier release allowed an administrator.
        lifecycle.change(
            self.system,
            f"UPDATE stacks SET project_id = 'other' WHERE id = '{stack.id}'",
        )
        self.take_name()

        reason = self.refused_in_run(
            self.member, physical_id, adopt_owned=True
        )

        self.assertIn("belongs to another stack", reason)

    def test_neither_takes_an_update_or_a_child_stack_more(self) -> None:
        physical_id = self.owned(self.other)
        for caller in (self.member, self.client):
            with self.subTest(is_member=caller is self.member):
                self.take_name()
                self.check_doors(caller, physical_id)

    def check_doors(self, caller: rest.Client, physical_id: str) -> None:
        """Check that neither an update nor a child stack takes a thing."""
        stack = caller.create(f"{self.name}-mine", template())
        caller.wait(stack, "CREATE_COMPLETE")
        caller.ask(
            "PUT",
            stack.path,
            {
                "template": template(a=linked()),
                "external_ids": {"a": physical_id},
                "adopt_owned": True,
            },
        )
        shown = caller.wait(stack, "UPDATE_FAILED")
        self.assertIn(
            "belongs to another stack", str(shown["stack_status_reason"])
        )
        self.delete(caller, stack)

        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": linked()},
        }
        entry = {"type": _LISTED, "resource_id": physical_id}
        inner = {"template": template(), "resources": {"0": entry}}
        answer = caller.ask(
            "POST",
            "/stacks",
            {
                "stack_name": f"{self.name}-group",
                "adopt_owned": True,
                "adopt_stack_data": {
                    "template": template(group=group),
                    "resources": {"group": inner},
                },
            },
        )
        adopted = rest.Stack(
            f"{self.name}-group", typing.cast(Json, answer)["stack"]["id"]
        )
        shown = caller.wait(adopted, "ADOPT_FAILED")
        self.assertIn(
            "belongs to another stack", str(shown["stack_status_reason"])
        )
        self.delete(caller, adopted)

    def test_a_listing_does_not_name_what_others_own(self) -> None:
        label = f"label-{self.name}"
        theirs = self.owned(self.other, label)
        self.take_name()
        mine = self.owned(self.client, label)
        wanted: Json = {"listings": [{"type": _LISTED, "tag": label}]}

        shown = {
            roles: typing.cast(
                Json,
                self.client_of("demo", roles=roles).ask(
                    "POST", "/stacks/generate", wanted
                ),
            )
            for roles in ("member", "member,admin")
        }

        for roles, expected in (
            ("member", {mine}),
            ("member,admin", {mine, theirs}),
        ):
            listed = {each["resource_id"] for each in shown[roles]["omitted"]}
            self.assertEqual(expected, listed)
            self.assertEqual({}, shown[roles]["template"]["resources"])


class OtherProjectTests(OwnersTestCase):
    """An administrator of the cloud may change the stacks of all projects."""

    @classmethod
    def setUpClass(cls) -> None:
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        rules = pathlib.Path(place.name) / "policy.yaml"
        rules.write_text(
            '"stacks:change_other_projects": "rule:context_is_admin"\n'
        )
        cls.options = {
            **OwnersTestCase.options,
            "oslo_policy": {"policy_file": rules},
        }
        super().setUpClass()

    def test_the_project_of_the_stack_decides(self) -> None:
        """Not that of the caller, who takes from neither for the other."""
        mine = self.owned(self.client)
        self.take_name()
        theirs = self.owned(self.other)
        stack = self.other.create(f"{self.name}-target", template())
        self.other.wait(stack, "CREATE_COMPLETE")
        self.addCleanup(self.delete, self.other, stack)

        def update(physical_id: str) -> None:
            body = {
                "template": template(a=linked()),
                "external_ids": {"a": physical_id},
                "adopt_owned": True,
            }
            self.client.ask("PUT", stack.path, body)

        update(mine)
        shown = self.other.wait(stack, "UPDATE_FAILED")
        self.assertIn(
            "belongs to another stack", str(shown["stack_status_reason"])
        )
        self.take_name()
        stack = self.other.create(f"{self.name}-target", template())
        self.other.wait(stack, "CREATE_COMPLETE")
        self.addCleanup(self.delete, self.other, stack)
        update(theirs)
        self.other.wait(stack, "UPDATE_COMPLETE")

    def test_so_it_does_for_a_child_stack(self) -> None:
        mine = self.owned(self.client)
        stack = self.other.create(f"{self.name}-target", template())
        self.other.wait(stack, "CREATE_COMPLETE")
        self.addCleanup(self.delete, self.other, stack)
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": linked()},
        }
        entry = {"type": _LISTED, "resource_id": mine}
        inner = {"template": template(), "resources": {"0": entry}}
        body = {
            "template": template(group=group),
            "external_ids": {"group": inner},
            "adopt_owned": True,
        }

        self.client.ask("PUT", stack.path, body)

        shown = self.other.wait(stack, "UPDATE_FAILED")
        self.assertIn(
            "belongs to another stack", str(shown["stack_status_reason"])
        )


class BasicTests(OwnersTestCase):
    """It is the same where users log in by a password."""

    @classmethod
    def setUpClass(cls) -> None:
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        users = pathlib.Path(place.name) / "users"
        hashed = bcrypt.hashpw(b"x", bcrypt.gensalt(4)).decode()
        users.write_text("".join(f"{each}:{hashed}\n" for each in "abr"))
        cls.options = {
            **OwnersTestCase.options,
            "api": {
                "auth": "basic",
                "user_file": users,
                "basic_grants": "a demo reader,member\n"
                "basic_grants = b other reader,member\n"
                "basic_grants = r demo reader",
            },
        }
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        self.mine = self.logged_in("a", "demo")
        self.theirs = self.logged_in("b", "other")

    def logged_in(self, user: str, project: str) -> rest.Client:
        base = self.client.endpoint.rpartition("/")[0]
        client = rest.Client(f"{base}/{project}", login=(user, "x"))
        self.addCleanup(client.close)
        return client

    def test_a_member_of_another_project_takes_nothing(self) -> None:
        physical_id = self.owned(self.mine)

        stack = self.adopt(self.theirs, physical_id, adopt_owned=True)
        self.theirs.wait(stack, "ADOPT_FAILED")
        self.delete(self.theirs, stack)

        self.assertEqual(1, len(self.names()))

    def test_a_member_of_the_same_project_takes_it(self) -> None:
        physical_id = self.owned(self.mine)

        stack = self.adopt(self.mine, physical_id, adopt_owned=True)

        self.mine.wait(stack, "ADOPT_COMPLETE")
        self.delete(self.mine, stack)

    def test_a_reader_takes_nothing(self) -> None:
        physical_id = self.owned(self.mine)
        reader = self.logged_in("r", "demo")

        error = self.assertRaises(
            rest.RefusedError,
            self.adopt,
            reader,
            physical_id,
            adopt_owned=True,
        )

        self.assertEqual(403, error.status)
