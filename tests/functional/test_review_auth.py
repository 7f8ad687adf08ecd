"""Who asks, what is left of requests, and logins, with a real Keystone."""

import ipaddress

import requests

from orch.clients import egress
from orch.clients import sessions
from tests import base
from tests.functional import guarded
from tests.support import keystone
from tests.support import rest

_WAITING = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
        "wait": {
            "type": "OS::Heat::WaitCondition",
            "properties": {
                "handle": {"get_resource": "handle"},
                "timeout": 600,
            },
        },
    },
}
_CLAIMS = {
    "X-Identity-Status": "Confirmed",
    "X-User-Id": "root",
    "X-User-Name": "root",
    "X-User": "root",
    "X-Roles": "admin,member,reader",
    "X-Role": "admin",
    "X-Is-Admin-Project": "True",
    "X-Service-Roles": "service,admin",
    "X-Service-Identity-Status": "Confirmed",
    "OpenStack-System-Scope": "all",
}


class TestClaims(guarded.GuardedTestCase):
    """Nobody is more than the token says."""

    def _claims(self, project: str) -> dict[str, str]:
        names = ("X-Project-Id", "X-Tenant-Id", "X-Tenant", "X-Domain-Id")
        return {**_CLAIMS, **dict.fromkeys(names, project)}

    def _status(self, method: str, path: str, headers: dict[str, str]) -> int:
        answer: requests.Response = self.send(
            method, path, headers=headers, json={}
        )
        return answer.status_code

    def test_who_bears_no_token_is_nobody(self) -> None:
        demo = self.keystone.projects["demo"]
        claims = self._claims(demo)
        for headers in (claims, {**claims, "X-Service-Token": "x"}):
            for path in (
                f"/v1/{demo}/stacks",
                f"/v1.0/{demo}/stacks",
                f"//v1/{demo}/stacks",
                f"/v1/{demo}//stacks",
                f"/v1/signal/../{demo}/stacks",
                "/v1/signal/stacks",
                "/v1/waitcondition/stacks",
            ):
                status = self._status("GET", path, headers)
                self.assertEqual(401, status, path)

    def test_what_stands_below_an_open_address_is_not_open(self) -> None:
        claims = self._claims("signal")
        for path, status in (
            ("/v1/signal/arn:/stacks", 405),
            ("/v1/signal/arn:x/../../stacks", 401),
            ("/v1/signal/arn:x%2f..%2f..%2fstacks", 405),
            ("/v1/signal/stacks/arn:openstack:heat::signal:stacks/a/b", 401),
            ("/v1/Signal/arn:x", 401),
            ("/V1/signal/arn:x", 404),
        ):
            self.assertEqual(status, self._status("GET", path, claims), path)

    def test_a_reader_stays_one(self) -> None:
        demo = self.keystone.projects["demo"]
        token = {"X-Auth-Token": self.keystone.token("reader")}
        headers = {**self._claims(demo), **token}
        path = f"/v1/{demo}/stacks"
        self.assertEqual(200, self._status("GET", path, headers))
        self.assertEqual(403, self._status("POST", path, headers))
        services = f"/v1/{demo}/services"
        self.assertEqual(403, self._status("GET", services, headers))

    def test_a_project_is_that_of_the_token(self) -> None:
        demo = self.keystone.projects["demo"]
        token = {"X-Auth-Token": self.keystone.token("member")}
        for named in ("other", demo.upper(), f"{demo}%20", f"%20{demo}", "*"):
            headers = {**self._claims(named), **token}
            status = self._status("GET", f"/v1/{named}/stacks", headers)
            self.assertEqual(403, status, named)


class TestRefused(guarded.GuardedTestCase):
    """What is not accepted leaves no credential."""

    def test_a_name_that_is_taken_leaves_none(self) -> None:
        member = self.client_of("member")
        self.wait_for_trusts(0)
        stack = self.created(member, guarded.login())
        before = self.wait_for_trusts(1)
        for _ in range(3):
            error = self.assertRaises(
                rest.RefusedError, member.create, self.name, guarded.login()
            )
            self.assertEqual(409, error.status)
        self.assertEqual(before, self.wait_for_trusts(1))
        self.delete(member, stack)

    def test_a_stack_that_is_busy_takes_none(self) -> None:
        member = self.client_of("member")
        self.wait_for_trusts(0)
        stack = member.create(self.name, _WAITING)
        before = self.wait_for_trusts(1)
        colleague = self.client_of("colleague")
        for _ in range(3):
            error = self.assertRaises(
                rest.RefusedError,
                colleague.ask,
                "POST",
                f"{stack.path}/actions",
                {"suspend": None},
            )
            self.assertEqual(409, error.status)
        self.assertEqual(before, self.wait_for_trusts(1))
        self.delete(member, stack)
        self.wait_for_trusts(0)


class TestGivenLogin(base.TestCase):
    """A login that a user has given, within the bounds of such logins."""

    def test_it_logs_in_at_a_real_keystone(self) -> None:
        found = keystone.shared()
        login = {
            "auth_type": "password",
            "auth": found.login("member").options,
        }
        held = sessions.open_session(
            sessions.build_plugin(login),
            sessions.Settings(),
            within=egress.Egress(
                allowed=(ipaddress.ip_network("127.0.0.0/8"),)
            ),
        )

        self.assertEqual(found.users["member"], held.get_user_id())
        self.assertEqual(
            200, held.get(f"{found.url}/auth/projects").status_code
        )
