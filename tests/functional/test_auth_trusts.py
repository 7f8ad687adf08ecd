"""What stacks do in the name of users who have long gone."""

import json
import pathlib
import typing

from keystoneauth1 import session
from keystoneauth1.identity import v3

from tests.functional import guarded
from tests.support import rest
from tests.support import serving
from tests.support import systems
from tests.support import waiting

_BROKEN = {"heat_template_version": "2021-04-16", "resources": {"a": {}}}


class TestTrusts(guarded.GuardedTestCase):
    """The user of [trustee] acts in the name of whoever asked."""

    def setUp(self) -> None:
        super().setUp()
        self.wait_for_trusts(0)
        self.member = self.client_of("member")

    def _outputs(self, client: rest.Client, stack: rest.Stack) -> object:
        found = client.outputs(stack)
        return found["user"], found["project"]

    def _is(self, user: str) -> tuple[str, str]:
        return self.keystone.users[user], self.keystone.projects["demo"]

    def test_a_stack_acts_as_its_user_until_it_is_deleted(self) -> None:
        stack = self.created(self.member, guarded.login())
        self.wait_for_trusts(1)
        self.assertEqual(
            self._is("member"), self._outputs(self.client_of("reader"), stack)
        )
        self.assertIn("member", self.member.outputs(stack)["roles"])
        self.delete(self.member, stack)
        self.wait_for_trusts(0)

    def test_the_same_user_leaves_no_second_one(self) -> None:
        stack = self.created(self.member, guarded.login())
        before = self.wait_for_trusts(1)
        self.member.ask(
            "PUT", stack.path, {"template": guarded.login("other")}
        )
        self.member.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(before, self.keystone.trusts())
        self.delete(self.member, stack)

    def test_whoever_updates_takes_over(self) -> None:
        stack = self.created(self.member, guarded.login())
        (before,) = self.wait_for_trusts(1)
        colleague = self.client_of("colleague")
        colleague.ask("PUT", stack.path, {"template": guarded.login("new")})
        colleague.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(
            self._is("colleague"), self._outputs(self.member, stack)
        )
        (after,) = self.wait_for_trusts(1)
        self.assertNotEqual(before, after)
        self.delete(self.member, stack)
        self.wait_for_trusts(0)

    def test_who_only_looks_leaves_nothing(self) -> None:
        stack = self.created(self.member, guarded.login())
        before = self.wait_for_trusts(1)
        reader = self.client_of("reader")
        colleague = self.client_of("colleague")
        colleague.ask("POST", f"{stack.path}/actions", {"check": None})
        reader.wait(stack, "CHECK_COMPLETE")
        self.assertEqual(before, self.keystone.trusts())
        self.assertEqual(self._is("member"), self._outputs(reader, stack))
        self.delete(self.member, stack)

    def test_what_is_only_looked_at_leaves_nothing(self) -> None:
        stack = self.created(self.member, guarded.login())
        before = self.wait_for_trusts(1)
        colleague = self.client_of("colleague")
        wanted = guarded.login("new")
        document = self.member.ask("GET", f"{stack.path}/export")

        colleague.ask("PUT", f"{stack.path}/preview", {"template": wanted})
        colleague.ask(
            "POST",
            f"{stack.path}/plans",
            {"action": "update", "template": wanted},
        )
        colleague.ask(
            "POST",
            "/stacks/preview",
            {
                "stack_name": f"{self.name}-new",
                "adopt_stack_data": json.dumps(document),
                "adopt_owned": True,
            },
        )
        colleague.ask("POST", f"{stack.path}/abandon", {"prepare": None})

        self.assertEqual(before, self.keystone.trusts())
        self.delete(self.member, stack)

    def test_what_finds_nothing_to_do_leaves_nothing(self) -> None:
        stack = self.created(self.member, guarded.login())
        before = self.wait_for_trusts(1)
        path, body = f"{stack.path}/actions", {"suspend": None}
        self.member.ask("POST", path, body)
        self.member.wait(stack, "SUSPEND_COMPLETE")

        self.client_of("colleague").ask("POST", path, body)

        self.assertEqual(before, self.wait_for_trusts(1))
        self.delete(self.member, stack)

    def test_stacks_in_a_stack_act_with_what_the_outermost_has(self) -> None:
        inner = {
            "heat_template_version": "2021-04-16",
            "resources": {"login": {"type": guarded.LOGIN}},
            "outputs": {"user": {"value": {"get_attr": ["login", "user"]}}},
        }
        outer = {
            "heat_template_version": "2021-04-16",
            "resources": {
                "group": {
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 2,
                        "resource_def": {"type": "inner.yaml"},
                    },
                }
            },
            "outputs": {"users": {"value": {"get_attr": ["group", "user"]}}},
        }
        stack = self.created(
            self.member, outer, files={"inner.yaml": _text(inner)}
        )
        self.wait_for_trusts(1)
        self.assertEqual(
            [self.keystone.users["member"]] * 2,
            self.member.outputs(stack)["users"],
        )
        self.delete(self.member, stack)
        self.wait_for_trusts(0)

    def test_an_abandoned_stack_has_none_any_more(self) -> None:
        stack = self.created(self.member, guarded.login())
        self.wait_for_trusts(1)
        self.member.ask("DELETE", f"{stack.path}/abandon")
        self.wait_for_trusts(0)

    def test_a_request_that_is_refused_leaves_none(self) -> None:
        self.assertRaises(
            rest.RefusedError, self.member.create, self.name, _BROKEN
        )
        self.assertEqual([], self.keystone.trusts())

    def test_nobody_reads_it_anywhere(self) -> None:
        stack = self.created(self.member, guarded.login())
        (trust,) = self.wait_for_trusts(1)
        document = self.member.ask("GET", f"{stack.path}/export")
        self.assertNotIn(trust, str(document))
        self.assertNotIn(trust, str(self.member.events(stack)))
        token = str(self.member._session.headers["X-Auth-Token"])
        for path in sorted(pathlib.Path(self.system.directory).rglob("*")):
            if path.is_file():
                found = path.read_bytes()
                self.assertNotIn(trust.encode(), found, path)
                self.assertNotIn(token.encode(), found, path)
        self.delete(self.member, stack)

    def test_one_that_does_not_log_in_any_more_is_replaced(self) -> None:
        stack = self.created(self.member, guarded.login())
        (trust,) = self.wait_for_trusts(1)
        member = self.keystone.login("member").connect()
        member.session.delete(f"{self.keystone.url}/OS-TRUST/trusts/{trust}")
        self.wait_for_trusts(0)
        colleague = self.client_of("colleague")
        colleague.ask("POST", f"{stack.path}/actions", {"check": None})
        colleague.wait(stack, "CHECK_FAILED")
        self.member.ask("PUT", stack.path, {"template": guarded.login("a")})
        self.member.wait(stack, "UPDATE_COMPLETE")
        self.assertNotIn(trust, self.wait_for_trusts(1))
        self.delete(self.member, stack)
        self.wait_for_trusts(0)


class Delegated(guarded.GuardedTestCase):
    """Users log in by application credentials of their own."""

    def token(self, *, unrestricted: bool) -> str:
        identity = self.keystone.login("member").connect().identity
        made = identity.create_application_credential(
            self.keystone.users["member"],
            name=self.id(),
            unrestricted=unrestricted,
        )
        auth = v3.ApplicationCredential(
            self.keystone.url,
            application_credential_id=made.id,
            application_credential_secret=made.secret,
        )
        return str(session.Session(auth=auth).get_token())


class TestDelegatedLogins(Delegated):
    """A login that was delegated itself cannot leave a trust."""

    def test_whoever_uses_one_is_told_what_to_do(self) -> None:
        client = self.client_of("member", token=self.token(unrestricted=False))
        error = self.assertRaises(
            rest.RefusedError, client.create, self.name, guarded.login()
        )
        self.assertEqual(403, error.status)
        self.assertIn("with a password", error.message)
        self.assertEqual([], client.get("/stacks", "stacks"))

    def test_it_goes_on_with_what_the_stack_has(self) -> None:
        member = self.client_of("member")
        stack = self.created(member, guarded.login())
        client = self.client_of("member", token=self.token(unrestricted=False))
        client.ask("PUT", stack.path, {"template": guarded.login("b")})
        client.wait(stack, "UPDATE_COMPLETE")
        self.delete(client, stack)


class TestApplicationCredentials(Delegated):
    """Stacks get application credentials instead of trusts."""

    method = "application_credentials"
    more: typing.ClassVar[systems.Options] = {
        "credentials": {**guarded.SOON, "unrestricted": True}
    }

    def setUp(self) -> None:
        super().setUp()
        self.member = self.keystone.login("member").connect()

    def _names(self) -> list[str]:
        found = self.member.identity.application_credentials(
            self.keystone.users["member"]
        )
        return [each.name for each in found if each.name.startswith("orch-")]

    def test_a_stack_acts_as_its_user_until_it_is_deleted(self) -> None:
        member = self.client_of("member")
        stack = self.created(member, guarded.login())
        self.assertEqual(1, len(self._names()))
        self.assertEqual(
            self.keystone.users["member"], member.outputs(stack)["user"]
        )
        self.assertEqual([], self.keystone.trusts())
        self.delete(member, stack)
        waiting.wait_for(lambda: not self._names(), f"left: {self._names()}")

    def test_an_unrestricted_login_makes_stacks(self) -> None:
        client = self.client_of("member", token=self.token(unrestricted=True))
        stack = self.created(client, guarded.login())
        self.assertEqual(
            self.keystone.users["member"], client.outputs(stack)["user"]
        )
        self.delete(client, stack)


class TestRoles(guarded.GuardedTestCase):
    """Stacks get only the roles that the operator lets them have."""

    more: typing.ClassVar[systems.Options] = {
        "DEFAULT": {"trusts_delegated_roles": "reader,heat_stack_owner"},
    }

    def test_a_stack_has_only_these(self) -> None:
        member = self.client_of("member")
        stack = self.created(member, guarded.login())
        self.assertEqual(["reader"], member.outputs(stack)["roles"])
        self.delete(member, stack)


class TestWithoutKeystone(serving.ServerTestCase):
    """Nothing logs in where there is no Keystone."""

    @classmethod
    def environment(cls) -> dict[str, str]:
        return guarded.GuardedTestCase.environment()

    def test_it_is_refused_and_says_why(self) -> None:
        error = self.assertRaises(
            rest.RefusedError, self.client.create, "alone", guarded.login()
        )
        self.assertEqual(400, error.status)
        self.assertIn("without Keystone", str(error))


def _text(template: guarded.Json) -> str:
    return json.dumps(template)
