"""Tokens of every kind that a real Keystone gives, and what each is told."""

import pathlib
import typing

import fixtures
import requests
from keystoneauth1 import session
from keystoneauth1.identity import v3

import orchclient
from tests.functional import guarded
from tests.support import forks
from tests.support import keystone
from tests.support import processes
from tests.support import waiting

_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "value": {"type": "OS::Heat::Value", "properties": {"value": "1"}}
    },
}
_OVERSEER = "overseer"
_ROLES = ("admin", "reader")

Call = tuple[str, str, guarded.Json | None]


def _calls(name: str) -> tuple[Call, ...]:
    """Return what readers, members and administrators ask for."""
    return (
        ("GET", "/stacks", None),
        ("GET", "/stacks?global_tenant=true", None),
        ("GET", "/services", None),
        ("GET", f"/stacks/{name}", None),
        ("POST", "/stacks", {"stack_name": name, "template": _TEMPLATE}),
        ("DELETE", f"/stacks/{name}", None),
    )


class TokenTestCase(guarded.GuardedTestCase):
    """Asks with tokens, and with nothing else."""

    def ask(
        self, call: Call, token: str, *, project: str = "", **headers: str
    ) -> requests.Response:
        method, path, body = call
        where = project or self.keystone.projects["demo"]
        answer: requests.Response = self.send(
            method,
            f"/v1/{where}{path}",
            json=body,
            headers={"X-Auth-Token": token, **headers},
            allow_redirects=False,
        )
        return answer

    def message(self, answer: requests.Response) -> str:
        """Return what a refusal says, beside its status."""
        told = answer.json()
        self.assertEqual(answer.status_code, told["code"])
        return str(told["error"]["message"])


class TestScopes(TokenTestCase):
    """A token for something else than a project."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        identity = cls.keystone.admin.identity
        cls.user = guarded.add_overseer(cls.keystone, _OVERSEER, *_ROLES)
        cls.addClassCleanup(identity.delete_user, cls.user)
        roles = {each.name: each.id for each in identity.roles()}
        for name in _ROLES:
            cls.keystone.admin.session.put(
                f"{cls.keystone.url}/domains/default/users/{cls.user.id}"
                f"/roles/{roles[name]}"
            )

    def token(self, **scope: str) -> str:
        return guarded.token_of(
            {
                "auth_url": self.keystone.url,
                "username": _OVERSEER,
                "password": keystone.PASSWORD,
                "user_domain_id": "default",
                **scope,
            }
        )

    def test_each_is_told_what_it_is_for(self) -> None:
        for scope, words in (
            ({"system_scope": "all"}, "for the whole system"),
            ({"domain_id": "default"}, "for the domain default"),
            ({"unscoped": "true"}, "for no project"),
        ):
            token = self.token(**scope)
            calls = _calls(self.name)
            if "system_scope" in scope:
                calls = self.of_projects()
            for call in calls:
                answer = self.ask(call, token)

                self.assertEqual(403, answer.status_code, (scope, call))
                self.assertIn(words, self.message(answer))
                self.assertIn("log in to a project", self.message(answer))

    def test_no_name_of_a_project_helps(self) -> None:
        token = self.token(system_scope="all")
        for project in ("None", "system", "default", "all", "*"):
            for call in self.of_projects():
                answer = self.ask(call, token, project=project)
                self.assertEqual(403, answer.status_code, (project, call))

    def test_an_address_without_a_project_wants_one_all_the_same(self) -> None:
        for path in ("/v1/search?q=a", "/v1/search/facets"):
            answer = self.send(
                "GET",
                path,
                headers={"X-Auth-Token": self.token(system_scope="all")},
            )
            self.assertEqual(403, answer.status_code)
            self.assertIn("log in to a project", self.message(answer))

    def of_projects(self) -> list[Call]:
        """Return what nobody gets without a project, and searches too."""
        open_ = ("/stacks?global_tenant=true", "/services")
        named = f"/stacks/{self.name}/{self.name}"
        return [
            *(each for each in _calls(self.name) if each[1] not in open_),
            ("GET", "/stacks/detail", None),
            ("GET", "/software_configs", None),
            ("GET", "/search?q=a&all_projects=true", None),
            ("PUT", named, {"template": _TEMPLATE}),
            ("POST", f"{named}/actions", {"check": None}),
            ("POST", f"{named}/snapshots", None),
        ]


class TestGlobalLists(TokenTestCase):
    """Lists of what all projects have."""

    def test_by_default_nobody_of_a_project_does(self) -> None:
        call = ("GET", "/stacks?global_tenant=true", None)
        for user in ("reader", "member", "chief"):
            answer = self.ask(call, self.keystone.token(user))
            self.assertEqual(403, answer.status_code, user)
            self.assertIn("stacks:global_index", self.message(answer))
            answer = self.ask(
                ("GET", "/software_configs?global_tenant=true", None),
                self.keystone.token(user),
            )
            self.assertEqual(403, answer.status_code, user)


class OverseerTestCase(TokenTestCase):
    """Asks as who has logged in to the whole system.

    :cvar names: of the users, by their role
    """

    names: typing.ClassVar[dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.names = {
            role: f"{cls.__name__}-{role}" for role in ("reader", "admin")
        }
        for role, name in cls.names.items():
            user = guarded.add_overseer(cls.keystone, name, role)
            cls.addClassCleanup(cls.keystone.admin.identity.delete_user, user)

    def looked(
        self, path: str, role: str = "reader", project: str = "any"
    ) -> requests.Response:
        """Return the answer to who has a role on the system."""
        login = guarded.overseeing(self.keystone, self.names[role])
        return self.ask(
            ("GET", path, None), guarded.token_of(login), project=project
        )

    def read_answer(self, path: str, role: str = "reader") -> typing.Any:
        answer = self.looked(path, role)
        self.assertEqual(200, answer.status_code, answer.text)
        return answer.json()


class TestOverseers(OverseerTestCase):
    """Who has logged in to the whole system looks at what is of it."""

    def test_lists_of_all_projects_are_closed(self) -> None:
        for path, rule in (
            ("/stacks", "stacks:global_index"),
            ("/stacks/detail", "stacks:global_index"),
            ("/software_configs", "software_configs:global_index"),
        ):
            for role in self.names:
                answer = self.looked(f"{path}?global_tenant=true", role)
                self.assertEqual(403, answer.status_code, (path, role))
                self.assertIn(rule, self.message(answer))

    def test_the_installation_is_shown(self) -> None:
        (worker,) = self.read_answer("/services")["services"]
        self.assertEqual("up", worker["status"])
        self.assertIn("revision", self.read_answer("/build_info")["engine"])
        self.assertEqual([], self.read_answer("/lifecycle/plugins")["plugins"])
        versions = self.read_answer("/template_versions")["template_versions"]
        functions = self.read_answer(
            f"/template_versions/{versions[0]['version']}/functions"
        )
        self.assertTrue(functions["template_functions"])
        shown = self.read_answer("/resource_types/OS::Heat::Value")
        self.assertIn("value", shown["properties"])

    def test_types_of_administrators_are_theirs(self) -> None:
        kind = "OS::Nova::Flavor"
        names = self.read_answer("/resource_types")["resource_types"]
        self.assertNotIn(kind, names)
        names = self.read_answer("/resource_types", "admin")["resource_types"]
        self.assertIn(kind, names)

    def test_nothing_is_theirs_by_a_name_of_a_project(self) -> None:
        """Who has no project is not of the project that has no name."""
        for project in ("None", "null", "all"):
            for role in self.names:
                answer = self.looked("/stacks", role, project)
                self.assertEqual(403, answer.status_code)

    def test_the_library_logs_in_so(self) -> None:
        endpoint = f"http://127.0.0.1:{self.system.port}/v1/system"
        orch = orchclient.connect(
            endpoint=endpoint,
            auth_type="password",
            load_envvars=False,
            **guarded.overseeing(self.keystone, self.names["reader"]),
        )
        self.addCleanup(orch.close)

        (worker,) = orch.services.list()
        self.assertTrue(worker.is_up)

    def test_the_command_logs_in_so(self) -> None:
        login = guarded.overseeing(self.keystone, self.names["reader"])
        endpoint = f"http://127.0.0.1:{self.system.port}/v1/system"

        done = processes.complete(
            (
                processes.find("orch"),
                *("--os-orchestration-endpoint-override", endpoint),
                *("service", "list", "-f", "value"),
            ),
            guarded.plain_environment()
            | {f"OS_{key.upper()}": each for key, each in login.items()},
            launch=forks.launch,
        )

        self.assertEqual(0, done.code, done)
        self.assertIn("orch-engine", done.output)


class TestOpenedLists(OverseerTestCase):
    """An operator lets the lists of all projects be looked at."""

    @classmethod
    def setUpClass(cls) -> None:
        rules = pathlib.Path(cls.use(fixtures.TempDir()).path, "policy.yaml")
        rules.write_text(
            '"stacks:global_index": "rule:system_reader"\n'
            '"software_configs:global_index": "rule:system_reader"\n'
        )
        cls.more = {"oslo_policy": {"policy_file": rules}}
        super().setUpClass()

    def test_stacks_of_all_projects_are_listed(self) -> None:
        mine, theirs = (
            self.client_of("member"),
            self.client_of("stranger", project=keystone.OTHERS),
        )
        stacks = [self.created(each, _TEMPLATE) for each in (mine, theirs)]
        for client, stack in zip((mine, theirs), stacks, strict=True):
            self.addCleanup(self.delete, client, stack)
        projects = self.keystone.projects
        expected = [
            (stacks[0].id, projects["demo"]),
            (stacks[1].id, projects[keystone.OTHERS]),
        ]

        for path in ("/stacks", "/stacks/detail"):
            query = f"?global_tenant=true&name={self.name}&with_count=true"
            found = self.read_answer(path + query)
            self.assertEqual(2, found["count"])
            self.assertEqual(
                sorted(expected),
                sorted((one["id"], one["project"]) for one in found["stacks"]),
            )
            for one in found["stacks"]:
                (link,) = one["links"]
                self.assertIn(f"/v1/{one['project']}/", link["href"])
        # To look at one, somebody has to log in to its project.
        for role in self.names:
            answer = self.looked(
                f"/stacks/{self.name}/{stacks[0].id}", role, projects["demo"]
            )
            self.assertEqual(403, answer.status_code)
            self.assertIn("log in to a project", self.message(answer))

    def test_configs_of_all_projects_are_listed(self) -> None:
        member = self.client_of("member")
        made = typing.cast(
            guarded.Json,
            member.ask(
                "POST", "/software_configs", {"name": self.name, "config": "x"}
            ),
        )["software_config"]["id"]
        self.addCleanup(member.ask, "DELETE", f"/software_configs/{made}")

        found = self.read_answer("/software_configs?global_tenant=true")

        listed = {
            one["id"]: one["project"] for one in found["software_configs"]
        }
        self.assertEqual(self.keystone.projects["demo"], listed[made])


class TestDelegatedTokens(TokenTestCase):
    """Application credentials that are good for a part of the API."""

    def setUp(self) -> None:
        super().setUp()
        # Keystone lets no service be named that its catalogue has not.
        self.keystone.publish(self.system)
        self.identity = self.keystone.login("member").connect().identity

    def token(self, *rules: tuple[str, str, str]) -> str:
        made = self.identity.create_application_credential(
            self.keystone.users["member"],
            name=self.id(),
            access_rules=[
                {"method": method, "path": path, "service": service}
                for method, path, service in rules
            ],
        )
        auth = v3.ApplicationCredential(
            self.keystone.url,
            application_credential_id=made.id,
            application_credential_secret=made.secret,
        )
        return str(session.Session(auth=auth).get_token())

    def test_access_rules_count(self) -> None:
        token = self.token(("GET", "/v1/*/stacks", "orchestration"))
        looked, made = _calls(self.name)[0], _calls(self.name)[4]

        self.assertEqual(200, self.ask(looked, token).status_code)
        answer = self.ask(made, token)
        self.assertEqual(401, answer.status_code)
        self.assertIn("requires authentication", self.message(answer))
        listed = self.client_of("member").get("/stacks", "stacks")
        self.assertNotIn(self.name, [each["stack_name"] for each in listed])

    def test_rules_for_another_service_open_nothing(self) -> None:
        token = self.token(("GET", "/v1/**", "identity"))
        for call in _calls(self.name):
            self.assertEqual(401, self.ask(call, token).status_code, call)


class TestServiceTokens(TokenTestCase):
    """A service asks on behalf of a user, and says who it is."""

    def test_a_good_one_changes_nothing(self) -> None:
        service = {"X-Service-Token": self.keystone.token(keystone.SERVICE)}
        reader = self.keystone.token("reader")
        for call, status in zip(
            _calls(self.name), (200, 403, 403, 404, 403, 404), strict=True
        ):
            answer = self.ask(call, reader, **service)
            self.assertEqual(status, answer.status_code, call)

    def test_a_wrong_one_spoils_the_request(self) -> None:
        reader = self.keystone.token("reader")
        call = _calls(self.name)[0]

        for wrong in ("wrong", "x" * 5000):
            answer = self.ask(call, reader, **{"X-Service-Token": wrong})
            self.assertEqual(401, answer.status_code)

    def test_alone_it_is_nobody(self) -> None:
        token = self.keystone.token(keystone.SERVICE)
        answer = self.send(
            "GET",
            f"/v1/{self.keystone.projects['demo']}/stacks",
            headers={"X-Service-Token": token},
        )
        self.assertEqual(401, answer.status_code)

    def test_of_a_user_who_is_no_service_it_is_worth_nothing(self) -> None:
        """Roles of it are no roles of the user."""
        chief = {"X-Service-Token": self.keystone.token("chief")}
        reader = self.keystone.token("reader")
        made = self.ask(_calls(self.name)[4], reader, **chief)
        self.assertEqual(401, made.status_code)


class TestGone(TokenTestCase):
    """What a token was for is not there any more, or not in use."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.more = {
            "keystone_authtoken": {
                **keystone.shared().options()["keystone_authtoken"],
                "token_cache_time": -1,
            }
        }
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        identity = self.keystone.admin.identity
        self.project = identity.create_project(
            name=self.name, domain_id="default"
        )
        self.addCleanup(identity.delete_project, self.project)
        self.user = identity.create_user(
            name=self.name, password=keystone.PASSWORD, domain_id="default"
        )
        self.addCleanup(identity.delete_user, self.user, ignore_missing=True)
        self.identity = identity
        self.role = identity.find_role("member")
        identity.assign_project_role_to_user(
            self.project, self.user, self.role
        )
        self.token = guarded.token_of(
            {
                "auth_url": self.keystone.url,
                "username": self.name,
                "password": keystone.PASSWORD,
                "user_domain_id": "default",
                "project_id": self.project.id,
            }
        )
        self.assertEqual(200, self.looked())

    def looked(self) -> int:
        call = _calls(self.name)[0]
        answer = self.ask(call, self.token, project=self.project.id)
        return answer.status_code

    def test_a_project_that_is_disabled(self) -> None:
        self.identity.update_project(self.project, is_enabled=False)
        self.assertEqual(401, self.looked())

    def test_a_user_who_is_disabled(self) -> None:
        self.identity.update_user(self.user, is_enabled=False)
        self.assertEqual(401, self.looked())

    def test_a_user_who_is_gone(self) -> None:
        self.identity.delete_user(self.user)
        self.assertEqual(401, self.looked())

    def test_a_role_that_was_taken_away(self) -> None:
        self.identity.unassign_project_role_from_user(
            self.project, self.user, self.role
        )
        self.assertEqual(401, self.looked())


class TestAway(TokenTestCase):
    """Keystone is away for a while, and comes back."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.own = keystone.Keystone()
        cls.addClassCleanup(cls.own.close)
        cls.more = {
            "keystone_authtoken": {
                **cls.own.options()["keystone_authtoken"],
                "token_cache_time": -1,
                "http_request_max_retries": 0,
                "http_connect_timeout": 3,
            },
            "trustee": cls.own.options()["trustee"],
        }
        super().setUpClass()

    def looked(self) -> requests.Response:
        call = _calls(self.name)[0]
        token = self.own.token("member")
        return self.ask(call, token, project=self.own.projects["demo"])

    def wait_for_answers(self) -> None:
        """Return once Keystone answers in time, on a busy machine too."""
        waiting.wait_for(
            lambda: self.looked().status_code == 200, "Keystone to answer"
        )

    def check_away(self) -> None:
        answer = self.looked()
        self.assertEqual(503, answer.status_code)
        self.assertEqual(
            "The caller cannot be authenticated now: Keystone gives no"
            " answer.",
            self.message(answer),
        )
        self.assertEqual(200, self.send("GET", "/healthcheck").status_code)

    def test_one_that_hangs(self) -> None:
        self.wait_for_answers()
        with self.own.paused():
            self.check_away()
        self.wait_for_answers()

    def test_one_that_is_not_there(self) -> None:
        self.wait_for_answers()
        with self.own.stopped():
            self.check_away()
        self.wait_for_answers()
