"""Every address of the API, asked by everyone, with real tokens."""

import datetime
import re
import typing
import uuid

import requests

from orch.api import routes
from tests.functional import guarded
from tests.support import rest
from tests.support import waiting

_LIFE_S = 12
_R = "reader"
_M = "member"
_A = "admin"
_U = "reader or a user of a stack"
_S = "member or a user of a stack"

_ACTION = "POST /stacks/{name}/{stack_id}/actions"
_STACK = "/stacks/{name}/{stack_id}"
_EXPECTED: typing.Final = {
    "GET /stacks": _R,
    "POST /stacks": _M,
    "GET /stacks/detail": _R,
    "POST /stacks/preview": _R,
    f"GET {_STACK}": _R,
    f"PUT {_STACK}": _M,
    f"PATCH {_STACK}": _M,
    f"DELETE {_STACK}": _M,
    f"POST {_STACK}/actions": _M,
    "GET /stacks/{name}": _U,
    "POST /stacks/{name}": _U,
    "PUT /stacks/{name}": _U,
    "PATCH /stacks/{name}": _U,
    "DELETE /stacks/{name}": _U,
    "GET /stacks/{name}/resources": _U,
    "POST /stacks/{name}/resources": _U,
    "GET /stacks/{name}/events": _U,
    "POST /stacks/{name}/events": _U,
    "GET /stacks/{name}/template": _U,
    "POST /stacks/{name}/template": _U,
    "GET /stacks/{name}/actions": _U,
    "POST /stacks/{name}/actions": _U,
    "GET /stacks/{name}/environment": _U,
    "GET /stacks/{name}/files": _U,
    f"GET {_STACK}/template": _R,
    f"GET {_STACK}/environment": _R,
    f"GET {_STACK}/files": _R,
    f"GET {_STACK}/outputs": _R,
    f"GET {_STACK}/outputs/{{key}}": _R,
    f"GET {_STACK}/resources": _R,
    f"GET {_STACK}/resources/{{resource}}": _R,
    f"PATCH {_STACK}/resources/{{resource}}": _M,
    f"GET {_STACK}/resources/{{resource}}/metadata": _U,
    f"POST {_STACK}/resources/{{resource}}/signal": _S,
    f"DELETE {_STACK}/resources/{{resource}}/signal": _M,
    f"GET {_STACK}/events": _R,
    f"GET {_STACK}/resources/{{resource}}/events": _R,
    f"GET {_STACK}/resources/{{resource}}/events/{{event_id}}": _R,
    f"GET {_STACK}/operations": _R,
    f"GET {_STACK}/operations/{{operation_id}}": _R,
    f"PUT {_STACK}/preview": _M,
    f"PATCH {_STACK}/preview": _M,
    f"POST {_STACK}/plans": _M,
    f"GET {_STACK}/plans": _R,
    f"GET {_STACK}/plans/{{plan_id}}": _R,
    f"DELETE {_STACK}/plans/{{plan_id}}": _M,
    f"POST {_STACK}/plans/{{plan_id}}/apply": _R,
    f"GET {_STACK}/drift": _R,
    f"GET {_STACK}/drift/policy": _R,
    f"PUT {_STACK}/drift/policy": _M,
    f"GET {_STACK}/drift/template": _R,
    f"GET {_STACK}/drift/history": _R,
    "GET /drift/pause": _R,
    "PUT /drift/pause": _M,
    "DELETE /drift/pause": _M,
    f"POST {_STACK}/snapshots": _M,
    f"GET {_STACK}/snapshots": _R,
    f"GET {_STACK}/snapshots/{{snapshot_id}}": _R,
    f"DELETE {_STACK}/snapshots/{{snapshot_id}}": _M,
    f"POST {_STACK}/snapshots/{{snapshot_id}}/restore": _M,
    "GET /software_configs": _R,
    "POST /software_configs": _M,
    "GET /software_configs/{config_id}": _R,
    "DELETE /software_configs/{config_id}": _M,
    "GET /software_deployments": _R,
    "POST /software_deployments": _M,
    "GET /software_deployments/{deployment_id}": _R,
    "PUT /software_deployments/{deployment_id}": _M,
    "DELETE /software_deployments/{deployment_id}": _M,
    "GET /software_deployments/metadata/{server_id}": _U,
    "POST /stacks/generate": _M,
    f"GET {_STACK}/export": _M,
    f"DELETE {_STACK}/abandon": _M,
    f"POST {_STACK}/abandon": _M,
    f"GET {_STACK}/abandon": _M,
    "GET /hand_overs": _R,
    "DELETE /hand_overs/{hand_over_id}": _M,
    f"GET {_STACK}/abandon/addresses": _M,
    f"POST {_STACK}/abandon/addresses": _M,
    f"GET {_STACK}/addresses": _M,
    f"POST {_STACK}/move": _M,
    f"POST {_STACK}/move/preview": _M,
    "GET /resource_types": _R,
    "GET /resource_types/{type_name}": _R,
    "GET /resource_types/{type_name}/template": _M,
    "GET /template_versions": _R,
    "GET /template_versions/{version}/functions": _R,
    "POST /validate": _M,
    f"POST {_STACK}/resources/{{resource}}/outcome": _M,
    "GET /leftovers": _R,
    "GET /leftovers/{leftover_id}": _R,
    "POST /leftovers/{leftover_id}/sweep": _M,
    "DELETE /leftovers/{leftover_id}": _M,
    "GET /lifecycle/plugins": _R,
    "GET /lifecycle/holds": _R,
    "GET /search": _R,
    "POST /search": _R,
    "GET /search/diff": _R,
    "GET /search/export": _R,
    "GET /search/facets": _R,
    "GET /search/fields": _R,
    "GET /search/plugins": _R,
    "GET /search/saved": _R,
    "POST /search/saved": _R,
    "GET /search/saved/{search_name}": _R,
    "PUT /search/saved/{search_name}": _R,
    "DELETE /search/saved/{search_name}": _R,
    "GET /search/saved/{search_name}/hits": _R,
    "GET /search/status": _A,
    "GET /services": _A,
    "GET /build_info": _R,
}
"""Who may, at the least, by method and path."""

_MAY: typing.Final = {
    _R: {"reader", "member", "chief"},
    _M: {"member", "chief"},
    _A: {"chief"},
    _U: {"guest", "reader", "member", "chief"},
    _S: {"guest", "member", "chief"},
}
_TEMPLATE = {"heat_template_version": "2021-04-16"}
_BODIES: typing.Final = {
    "POST /stacks": {"template": _TEMPLATE},
    f"PUT {_STACK}": {"template": _TEMPLATE},
    f"PATCH {_STACK}": {"template": _TEMPLATE},
    _ACTION: {"suspend": None},
}
"""What is needed to come as far as the rule, where the body decides."""


_OF_SYSTEM: typing.Final = {
    "GET /resource_types": _R,
    "GET /resource_types/{type_name}": _R,
    "GET /resource_types/{type_name}/template": _M,
    "GET /template_versions": _R,
    "GET /template_versions/{version}/functions": _R,
    "GET /lifecycle/plugins": _R,
    "GET /search/status": _R,
    "GET /services": _R,
    "GET /build_info": _R,
}
"""What is open to who has logged in to the whole system; least as above."""
_OVERSEERS: typing.Final = {
    "heat_stack_user": (),
    "reader": (_R,),
    "member": (_R, _M),
    "admin": (_R, _M, _A),
}
"""Role on the system, and what is no more than it may."""


def _routes() -> list[str]:
    return [
        f"{method} {route.path}"
        for route in routes.TABLE
        for method in route.methods.split()
    ]


class TestMatrix(guarded.GuardedTestCase):
    """No address answers somebody whom it should refuse."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.tokens = {
            user: cls.keystone.token(user)
            for user in ("guest", "reader", "member", "chief", "stranger")
        }

    def _status(self, route: str, token: str | None) -> int:
        method, path = route.split(" ")
        filled = re.sub(r"{\w+}", lambda _: str(uuid.uuid4()), path)
        # The name of nobody's stack; an action wants nothing but itself.
        body = _BODIES.get(route, {})
        if route != _ACTION:
            body = {"stack_name": "x1", **body}
        if route == "POST /stacks":
            # Whoever may gets no further than this: no stack is made.
            body["template"] = {"heat_template_version": "never"}
        answer = requests.request(
            method,
            f"http://127.0.0.1:{self.system.port}/v1/"
            f"{self.keystone.projects['demo']}{filled}",
            json=None if method in ("GET", "DELETE") else body,
            headers={} if token is None else {"X-Auth-Token": token},
            allow_redirects=False,
            timeout=30,
        )
        status: int = answer.status_code
        if status in (401, 403):
            self.assertEqual(status, answer.json()["code"], route)
        return status

    def test_every_address_is_in_the_table(self) -> None:
        self.assertEqual(set(_routes()), set(_EXPECTED))

    def test_who_is_nobody_gets_nowhere(self) -> None:
        found = {
            (route, token): self._status(route, token)
            for route in _EXPECTED
            for token in (None, "wrong")
        }
        self.assertEqual({401}, set(found.values()), found)

    def test_other_projects_get_nowhere(self) -> None:
        found = {
            route: self._status(route, self.tokens["stranger"])
            for route in _EXPECTED
        }
        self.assertEqual({403}, set(found.values()), found)

    def test_each_role_gets_where_it_may(self) -> None:
        wrong = []
        for route, least in _EXPECTED.items():
            for user in ("guest", "reader", "member", "chief"):
                status = self._status(route, self.tokens[user])
                is_refused = status == 403
                if is_refused is (user in _MAY[least]) or status >= 500:
                    wrong.append((route, user, status))
        self.assertEqual([], wrong)

    def test_each_role_on_the_system_gets_where_it_may(self) -> None:
        wrong = []
        for role, includes in _OVERSEERS.items():
            token = self.overseer(role)
            for route in _EXPECTED:
                status = self._status(route, token)
                may = _OF_SYSTEM.get(route) in includes
                if (status == 403) is may or status >= 500:
                    wrong.append((route, role, status))
        self.assertEqual([], wrong)

    def overseer(self, role: str) -> str:
        """Return a token of a new user with one role on the system."""
        name = f"{self.name}-{role}"
        user = guarded.add_overseer(self.keystone, name, role)
        self.addCleanup(self.keystone.admin.identity.delete_user, user)
        return guarded.token_of(guarded.overseeing(self.keystone, name))

    def test_only_admins_answer_for_what_is_held(self) -> None:
        path = re.sub(r"{\w+}", lambda _: str(uuid.uuid4()), _ACTION[5:])
        found = {}
        for action in ("approve", "reject"):
            for user in ("guest", "reader", "member", "chief"):
                client = self.client_of(user)
                error = self.assertRaises(
                    rest.RefusedError,
                    client.ask,
                    "POST",
                    path,
                    {action: {"text": "fine"}},
                )
                found[action, user] = error.status
        self.assertEqual(
            {
                (action, user): 404 if user == "chief" else 403
                for action, user in found
            },
            found,
        )

    def test_members_observe_and_accept(self) -> None:
        path = re.sub(r"{\w+}", lambda _: str(uuid.uuid4()), _ACTION[5:])
        found = {}
        for action in ("observe", "accept_drift", "undo_accept_drift"):
            for user in ("guest", "reader", "member", "chief"):
                error = self.assertRaises(
                    rest.RefusedError,
                    self.client_of(user).ask,
                    "POST",
                    path,
                    {action: None},
                )
                found[action, user] = error.status
        self.assertEqual(
            {
                ("observe", "guest"): 403,
                ("observe", "reader"): 403,
                ("observe", "member"): 404,
                ("observe", "chief"): 404,
                ("accept_drift", "guest"): 403,
                ("accept_drift", "reader"): 403,
                ("accept_drift", "member"): 404,
                ("accept_drift", "chief"): 404,
                ("undo_accept_drift", "guest"): 403,
                ("undo_accept_drift", "reader"): 403,
                ("undo_accept_drift", "member"): 404,
                ("undo_accept_drift", "chief"): 404,
            },
            found,
        )

    def test_what_is_open_stays_open(self) -> None:
        for path, expected in (
            ("/", 300),
            ("/v1/", 300),
            ("/healthcheck", 200),
            ("/readiness", 200),
        ):
            self.assertEqual(expected, self.send("GET", path).status_code)
        arn = "arn:openstack:heat::p:stacks/a/b/resources/c"
        for method, kind in (("POST", "signal"), ("PUT", "waitcondition")):
            answer = self.send(method, f"/v1/{kind}/{arn}")
            self.assertEqual(403, answer.status_code)
            self.assertIn("address", answer.json()["error"]["message"])


class TestRevoked(guarded.GuardedTestCase):
    """Tokens are looked at each time, and nothing is kept of them."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.more = {
            "keystone_authtoken": {
                **guarded.keystone.shared().options()["keystone_authtoken"],
                "token_cache_time": -1,
            }
        }
        super().setUpClass()

    def test_a_token_that_was_revoked_is_no_token(self) -> None:
        token = self.keystone.fresh_token("member")
        client = self.client_of("member", token=token)
        client.get("/stacks", "stacks")
        requests.delete(
            f"{self.keystone.url}/auth/tokens",
            headers={"X-Auth-Token": token, "X-Subject-Token": token},
            timeout=30,
        )
        error = self.assertRaises(
            rest.RefusedError, client.get, "/stacks", "stacks"
        )
        self.assertEqual(401, error.status)


class TestTokens(guarded.GuardedTestCase):
    """What is done with tokens that are not as they should be."""

    def test_the_answer_says_where_to_log_in(self) -> None:
        where = f"/v1/{self.keystone.projects['demo']}/stacks"
        answer = self.send("GET", where)
        self.assertEqual(401, answer.status_code)
        self.assertEqual(
            f'Keystone uri="{self.keystone.url}"',
            answer.headers["WWW-Authenticate"],
        )
        self.assertEqual("HTTPUnauthorized", answer.json()["error"]["type"])

    def test_what_headers_say_is_not_believed(self) -> None:
        where = f"/v1/{self.keystone.projects['demo']}/stacks"
        said = {
            "X-Identity-Status": "Confirmed",
            "X-Project-Id": self.keystone.projects["demo"],
            "X-Roles": "admin",
            "X-User-Id": "root",
        }
        self.assertEqual(
            401, self.send("GET", where, headers=said).status_code
        )
        said["X-Auth-Token"] = self.keystone.token("reader")
        body = {"stack_name": "a", "template": _TEMPLATE}
        answer = self.send("POST", where, headers=said, json=body)
        self.assertEqual(403, answer.status_code)

    def test_a_token_that_has_ended_is_no_token(self) -> None:
        """A token of a trust ends with the trust."""
        now = datetime.datetime.now(datetime.UTC)
        ends = now + datetime.timedelta(seconds=_LIFE_S)
        users, projects = self.keystone.users, self.keystone.projects
        made = (
            self.keystone.login("member")
            .connect()
            .session.post(
                f"{self.keystone.url}/OS-TRUST/trusts",
                json={
                    "trust": {
                        "trustor_user_id": users["member"],
                        "trustee_user_id": users["stranger"],
                        "project_id": projects["demo"],
                        "impersonation": True,
                        "roles": [{"name": "member"}],
                        "expires_at": ends.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                    }
                },
            )
        )
        token = guarded.token_of(
            {
                "auth_url": self.keystone.url,
                "username": "stranger",
                "password": guarded.keystone.PASSWORD,
                "user_domain_id": "default",
                "trust_id": made.json()["trust"]["id"],
            }
        )
        client = self.client_of("member", token=token)
        client.get("/stacks", "stacks")

        waiting.wait_for(
            lambda: self._status_of(client) == 401, "the end of the token"
        )

    def _status_of(self, client: rest.Client) -> int:
        try:
            client.get("/stacks", "stacks")
        except rest.RefusedError as error:
            return error.status
        return 200

    def test_a_token_for_no_project_is_refused(self) -> None:
        login = self.keystone.login("member")
        options = {
            key: value
            for key, value in login.options.items()
            if not key.startswith("project")
        }
        token = guarded.token_of(options)
        client = self.client_of("member", token=token)
        error = self.assertRaises(
            rest.RefusedError, client.get, "/stacks", "stacks"
        )
        self.assertEqual(403, error.status)

    def test_who_runs_the_cloud_is_heard_as_of_the_own_project(self) -> None:
        member = self.client_of("member")
        stack = self.created(member, _with_a_value())
        chief = self.client_of("chief", project="others")
        listed = chief.get("/stacks", "stacks")
        self.assertEqual([stack.id], [each["id"] for each in listed])
        admin = self.client_of("admin")
        self.assertEqual([], admin.get("/stacks", "stacks"))
        self.assertEqual(stack.name, admin.show(stack)["stack_name"])
        stranger = self.client_of("stranger", project="others")
        error = self.assertRaises(rest.RefusedError, stranger.show, stack)
        self.assertEqual(404, error.status)
        self.delete(member, stack)

    def test_the_openstack_command_does_its_work(self) -> None:
        self.keystone.publish(self.system)
        member = self.keystone.login("member").connect()
        made = member.orchestration.create_stack(
            name=self.name, template=_with_a_value()
        )
        member.orchestration.wait_for_status(made, "CREATE_COMPLETE")
        told = guarded.openstack(
            self.keystone.login("reader"), "stack", "show", self.name
        )
        self.assertIn("CREATE_COMPLETE", told.output)
        told = guarded.openstack(
            self.keystone.login("reader"), "stack", "delete", "-y", self.name
        )
        self.assertIn("Forbidden", told.errors + told.output)
        told = guarded.openstack(
            self.keystone.login("member"),
            *("stack", "delete", "-y", "--wait", self.name),
        )
        self.assertEqual(0, told.code, told)


class TestWithoutAnswer(guarded.GuardedTestCase):
    """Keystone is away."""

    @classmethod
    def setUpClass(cls) -> None:
        dead = {"auth_url": "http://127.0.0.1:1/v3"}
        cls.more = {
            "keystone_authtoken": {
                **guarded.keystone.shared().options()["keystone_authtoken"],
                **dead,
                "http_request_max_retries": 0,
            }
        }
        super().setUpClass()

    def test_it_is_said(self) -> None:
        client = self.client_of("member")
        error = self.assertRaises(
            rest.RefusedError, client.get, "/stacks", "stacks"
        )
        self.assertEqual(503, error.status)
        self.assertEqual(200, self.send("GET", "/healthcheck").status_code)


def _with_a_value() -> dict[str, object]:
    value = {"type": "OS::Heat::Value", "properties": {"value": "1"}}
    return {**_TEMPLATE, "resources": {"value": value}}
