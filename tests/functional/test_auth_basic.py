"""Users and passwords in a file, and nobody asked who they are."""

import base64
import pathlib
import tempfile
import typing

import bcrypt
import requests

from tests import base
from tests.functional import guarded
from tests.support import forks
from tests.support import processes
from tests.support import rest
from tests.support import serving
from tests.support import systems
from tests.support import waiting

_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "value": {"type": "OS::Heat::Value", "properties": {"value": "1"}}
    },
}


def _line(user: str, password: str) -> str:
    hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(4)).decode()
    return f"{user}:{hashed}\n"


class TestBasic(serving.ServerTestCase):
    """The small installation, between no users and Keystone."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.file = pathlib.Path(directory.name) / "htpasswd"
        cls.file.write_text(
            _line("ann", "apple") + _line("bob", "bean") + _line("eve", "elk")
        )
        cls.options = {
            "api": {
                "auth": "basic",
                "user_file": cls.file,
                "basic_grants": "ann demo reader,member\n"
                "basic_grants = bob demo reader\n"
                "basic_grants = root * admin\n"
                "basic_grants = root2 * Admin\n"
                "basic_grants = chief side reader,member,admin\n"
                "basic_grants = all * reader",
            }
        }
        super().setUpClass()

    def ask(
        self,
        method: str,
        path: str,
        user: tuple[str, str] | None,
        project: str = "demo",
        **given: typing.Any,
    ) -> requests.Response:
        return requests.request(
            method,
            f"http://127.0.0.1:{self.system.port}/v1/{project}{path}",
            auth=user,
            timeout=30,
            **given,
        )

    def test_nobody_runs_commands_who_has_logged_in(self) -> None:
        template = {
            "heat_template_version": "2021-04-16",
            "resources": {
                "run": {
                    "type": "Orch::Local::Process",
                    "properties": {"command": ["sleep", "9"]},
                }
            },
        }

        answer = self.ask(
            "POST",
            "/stacks",
            ("ann", "apple"),
            json={"stack_name": "run", "template": template},
        )
        types = self.ask("GET", "/resource_types", ("ann", "apple"))

        self.assertEqual(400, answer.status_code, answer.text)
        self.assertIn("(Orch::Local::Process) could not be", answer.text)
        self.assertNotIn("Orch::Local::", types.text)

    def test_who_is_nobody_is_asked_for_a_password(self) -> None:
        for user in (None, ("ann", "wrong"), ("nobody", "x"), ("ann", "")):
            answer = self.ask("GET", "/stacks", user)
            self.assertEqual(401, answer.status_code)
            self.assertIn("Basic", answer.headers["WWW-Authenticate"])
            self.assertEqual(
                "HTTPUnauthorized", answer.json()["error"]["type"]
            )

    def test_what_is_no_password_is_none(self) -> None:
        for given in ("Basic", "Basic ?", "Bearer YWJj", "Basic YWJj"):
            answer = self.ask(
                "GET", "/stacks", None, headers={"Authorization": given}
            )
            self.assertEqual(401, answer.status_code, given)

    def test_a_long_password_is_as_good_as_what_is_hashed_of_it(
        self,
    ) -> None:
        right = "é" * 36
        with self.file.open("a") as users:
            users.write(_line("bob2", right))
        for user, status in (
            (("ann", "x" * 100), 401),
            (("bob2", right), 403),
            (("bob2", right + "more"), 403),
            (("bob2", "x" + right), 401),
        ):
            given = base64.b64encode(":".join(user).encode()).decode()
            answer = self.ask(
                "GET",
                "/stacks",
                None,
                headers={"Authorization": f"Basic {given}"},
            )
            self.assertEqual(status, answer.status_code, user)

    def test_what_is_no_name_of_a_project_is_refused(self) -> None:
        self.file.write_text(self.file.read_text() + _line("all", "a"))
        for project in ("p" * 256, "a%00b", "%07"):
            answer = self.ask("GET", "/stacks", ("all", "a"), project)
            self.assertEqual(400, answer.status_code, answer.text)

    def test_each_may_what_the_options_grant(self) -> None:
        ann, bob, eve = ("ann", "apple"), ("bob", "bean"), ("eve", "elk")
        body = {"stack_name": "basic", "template": _TEMPLATE}
        self.assertEqual(
            403, self.ask("POST", "/stacks", bob, json=body).status_code
        )
        self.assertEqual(
            201, self.ask("POST", "/stacks", ann, json=body).status_code
        )
        self.assertEqual(200, self.ask("GET", "/stacks", bob).status_code)
        self.assertEqual(403, self.ask("GET", "/stacks", eve).status_code)
        elsewhere = self.ask("GET", "/stacks", ann, project="other")
        self.assertEqual(403, elsewhere.status_code)

    def test_a_change_of_the_file_counts_at_once(self) -> None:
        with self.file.open("a") as users:
            users.write(_line("root", "old"))
        self.assertEqual(
            200, self.ask("GET", "/stacks", ("root", "old")).status_code
        )
        before = self.file.read_text()
        self.file.write_text(
            "".join(
                line
                for line in before.splitlines(keepends=True)
                if not line.startswith("root")
            )
            + _line("root", "new")
        )
        self.assertEqual(
            401, self.ask("GET", "/stacks", ("root", "old")).status_code
        )
        self.assertEqual(
            200,
            self.ask(
                "GET", "/services", ("root", "new"), project="any"
            ).status_code,
        )

    def test_the_openstack_command_logs_in_with_a_password(self) -> None:
        told = guarded.run_openstack(
            {
                "OS_AUTH_TYPE": "http_basic",
                "OS_USERNAME": "bob",
                "OS_PASSWORD": "bean",
                "OS_ENDPOINT": f"http://127.0.0.1:{self.system.port}/v1/demo",
            },
            "stack",
            "list",
        )
        self.assertEqual(0, told.code, told)

    def test_an_admin_of_one_project_is_none_of_the_others(self) -> None:
        with self.file.open("a") as users:
            users.write(_line("chief", "c") + _line("root2", "r"))
        body = {"stack_name": "apart", "template": _TEMPLATE}
        made = self.ask("POST", "/stacks", ("ann", "apple"), json=body)
        path = f"/stacks/apart/{made.json()['stack']['id']}"
        found = {}
        for user, project in (
            (("chief", "c"), "side"),
            (("root2", "r"), "side"),
        ):
            for method, rest_ in (
                ("GET", ""),
                ("GET", "/export?secrets=plain"),
                ("POST", "/actions"),
                ("DELETE", ""),
            ):
                answer = self.ask(
                    method,
                    path + rest_,
                    user,
                    project,
                    json={"suspend": None} if method == "POST" else None,
                )
                found[user[0], method, rest_] = answer.status_code
                if answer.status_code == 403:
                    self.assertIn("stacks:change_other_projects", answer.text)
        everywhere = self.ask(
            "GET", "/search?all_projects=true", ("chief", "c"), "side"
        )

        self.assertEqual(403, everywhere.status_code)
        self.assertEqual(
            {
                ("chief", "GET", ""): 404,
                ("chief", "GET", "/export?secrets=plain"): 404,
                ("chief", "POST", "/actions"): 404,
                ("chief", "DELETE", ""): 404,
                ("root2", "GET", ""): 200,
                ("root2", "GET", "/export?secrets=plain"): 403,
                ("root2", "POST", "/actions"): 403,
                ("root2", "DELETE", ""): 403,
            },
            found,
        )

    def test_health_is_for_everyone(self) -> None:
        answer = requests.get(
            f"http://127.0.0.1:{self.system.port}/healthcheck", timeout=30
        )
        self.assertEqual(200, answer.status_code)


class TestRules(serving.ServerTestCase):
    """The operator's rules decide who runs the cloud, and what that means."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        place = pathlib.Path(directory.name)
        users = ("ann", "boss", "root")
        (place / "users").write_text("".join(_line(u, "x") for u in users))
        (place / "policy.yaml").write_text(
            '"context_is_admin": "user_id:boss"\n'
            '"stacks:change_other_projects": "rule:context_is_admin"\n'
        )
        cls.options = {
            "api": {
                "auth": "basic",
                "user_file": place / "users",
                "basic_grants": "ann demo reader,member\n"
                "basic_grants = boss side member\n"
                "basic_grants = root * admin",
            },
            "oslo_policy": {"policy_file": place / "policy.yaml"},
            "DEFAULT": {"enable_stack_abandon": True},
        }
        super().setUpClass()

    def ask(
        self,
        method: str,
        path: str,
        user: str,
        project: str,
        body: object = None,
    ) -> requests.Response:
        return requests.request(
            method,
            f"http://127.0.0.1:{self.system.port}/v1/{project}{path}",
            auth=(user, "x"),
            json=body,
            timeout=30,
        )

    def test_who_may_by_the_rules_changes_another_project(self) -> None:
        child = {"type": "OS::Heat::None"}
        body = {
            "stack_name": "apart",
            "template": {
                "heat_template_version": "2021-04-16",
                "resources": {
                    "group": {
                        "type": "OS::Heat::ResourceGroup",
                        "properties": {"count": 1, "resource_def": child},
                    }
                },
            },
        }
        made = self.ask("POST", "/stacks", "ann", "demo", body)
        path = f"/stacks/apart/{made.json()['stack']['id']}"

        def state(user: str, project: str) -> object:
            answer = self.ask("GET", path, user, project)
            if answer.status_code != 200:
                return answer.status_code
            return answer.json()["stack"]["stack_status"]

        waiting.wait_for(
            lambda: state("ann", "demo") == "CREATE_COMPLETE", "the stack"
        )
        self.assertEqual(404, state("root", "side"))
        answer = self.ask("GET", f"{path}/export", "boss", "side")
        self.assertEqual(200, answer.status_code, answer.text)
        answer = self.ask("DELETE", path, "boss", "side")
        self.assertEqual(204, answer.status_code, answer.text)
        waiting.wait_for(
            lambda: state("ann", "demo") == "DELETE_COMPLETE", "its deletion"
        )


class TestStreams(serving.ServerTestCase):
    """A stream of events lasts no longer than the right to read it."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.file = pathlib.Path(directory.name) / "htpasswd"
        cls.policy = pathlib.Path(directory.name) / "policy.yaml"
        cls.policy.write_text("")
        cls.options = {
            "api": {
                "auth": "basic",
                "user_file": cls.file,
                "basic_grants": "ann demo reader,member\n"
                "basic_grants = bob demo reader",
            },
            "oslo_policy": {"policy_file": cls.policy},
        }
        cls.write("ann", "bob")
        super().setUpClass()

    @classmethod
    def write(cls, *users: str) -> None:
        cls.file.write_text("".join(_line(each, "right") for each in users))

    def follow(self) -> typing.Iterator[str]:
        """Return what bob gets of a stack's events, after the first of it."""
        name = self.id()[-40:]
        answer = requests.post(
            f"http://127.0.0.1:{self.system.port}/v1/demo/stacks",
            json={"stack_name": name, "template": _TEMPLATE},
            auth=("ann", "right"),
            timeout=30,
        )
        stack_id = answer.json()["stack"]["id"]
        stream = requests.get(
            f"http://127.0.0.1:{self.system.port}/v1/demo/stacks/{name}"
            f"/{stack_id}/events?follow=true",
            auth=("bob", "right"),
            stream=True,
            timeout=30,
        )
        self.addCleanup(stream.close)
        self.assertEqual(200, stream.status_code)
        lines = stream.iter_lines(chunk_size=1, decode_unicode=True)
        next(lines)
        return lines

    def await_reader(self, rule: str) -> None:
        """Let readers have events again."""
        self.policy.write_text(rule)
        waiting.wait_for(self.may_read, "the rule to be read again")

    def may_read(self) -> bool:
        answer = requests.get(
            f"http://127.0.0.1:{self.system.port}/v1/demo/stacks/x/y/events",
            auth=("bob", "right"),
            timeout=30,
        )
        return answer.status_code == 404

    def test_it_ends_when_its_user_is_removed(self) -> None:
        self.addCleanup(self.write, "ann", "bob")
        lines = self.follow()

        self.write("ann")

        self.assertIn("may not read", "".join(lines))

    def test_it_ends_when_a_rule_forbids_it(self) -> None:
        rule = '"events:index": "role:{}"\n'
        lines = self.follow()

        self.policy.write_text(rule.format("member"))
        self.addCleanup(self.await_reader, rule.format("reader"))

        self.assertIn("may not read", "".join(lines))


class TestGuessing(serving.ServerTestCase):
    """Whoever tries passwords has to wait."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        file = pathlib.Path(directory.name) / "htpasswd"
        users = ("ann", "bob", "cid", "dan", "eve")
        file.write_text("".join(_line(each, "right") for each in users))
        cls.options = {
            "api": {
                "auth": "basic",
                "user_file": file,
                "basic_grants": "\nbasic_grants = ".join(
                    f"{each} demo reader" for each in users
                ),
                "max_failed_logins": 3,
                "trusted_proxies": "127.0.0.1",
            }
        }
        super().setUpClass()

    def ask(
        self, user: str, password: str = "right", whence: str = ""
    ) -> requests.Response:
        return requests.get(
            f"http://127.0.0.1:{self.system.port}/v1/demo/stacks",
            auth=(user, password),
            headers={"X-Forwarded-For": whence} if whence else None,
            timeout=30,
        )

    def use_up(self, user: str, whence: str = "") -> None:
        for number in range(3):
            answer = self.ask(user, f"wrong{number}", whence)
            self.assertEqual(401, answer.status_code)

    def test_who_guesses_too_often_is_told_when_to_come_again(self) -> None:
        self.use_up("ann")

        for password in ("wrong", "right"):
            answer = self.ask("ann", password)

            self.assertEqual(429, answer.status_code)
            self.assertEqual("1", answer.headers["Retry-After"])
            told = answer.json()["error"]
            self.assertEqual("RequestLimitExceeded", told["type"])
            self.assertIn("Too many wrong passwords", told["message"])
        self.assertEqual(200, self.ask("bob").status_code)
        waiting.wait_for(
            lambda: self.ask("ann").status_code == 200, "the pause to end"
        )
        self.assertEqual(401, self.ask("ann", "wrong").status_code)

    def test_nobody_is_kept_out_from_elsewhere(self) -> None:
        self.use_up("cid", "192.0.2.1")

        self.assertEqual(429, self.ask("cid", whence="192.0.2.1").status_code)
        self.assertEqual(200, self.ask("cid", whence="192.0.2.2").status_code)
        # What the guesser puts in front of it does not count.
        forged = self.ask("cid", whence="192.0.2.3, 192.0.2.1")
        self.assertEqual(429, forged.status_code)

    def test_forwarded_evades_no_pause(self) -> None:
        def ask(number: int) -> int:
            return requests.get(
                f"http://127.0.0.1:{self.system.port}/v1/demo/stacks",
                auth=("eve", f"wrong{number}"),
                headers={
                    "X-Forwarded-For": "192.0.2.7",
                    "Forwarded": f"for=198.51.100.{number}",
                },
                timeout=30,
            ).status_code

        found = [ask(number) for number in range(5)]

        self.assertEqual([401, 401, 401, 429, 429], found)

    def test_one_that_is_right_makes_up_for_the_others(self) -> None:
        for _ in range(2):
            self.assertEqual(401, self.ask("dan", "wrong").status_code)
            self.assertEqual(401, self.ask("dan", "wrong").status_code)
            self.assertEqual(200, self.ask("dan").status_code)


class TestWrongOptions(base.TestCase):
    """Processes that would let the wrong ones in do not start."""

    def _fails(self, options: systems.Options) -> str:
        with tempfile.TemporaryDirectory() as name:
            config = pathlib.Path(name) / "orch.conf"
            systems.write_config(config, options)
            done = processes.complete(
                (
                    processes.find("orch-api"),
                    *("--config-file", str(config)),
                ),
                guarded.plain_environment(),
                launch=forks.launch,
            )
        self.assertEqual(1, done.code, done)
        return done.errors

    def test_nobody_asked_means_this_machine_alone(self) -> None:
        text = self._fails(
            {
                "DEFAULT": {"transport_url": "orch-inproc://"},
                "api": {"host": "0.0.0.0", "port": 0},
            }
        )
        self.assertIn("auth is none", text)

    def test_a_file_that_is_not_there_is_told(self) -> None:
        text = self._fails(
            {
                "DEFAULT": {"transport_url": "orch-inproc://"},
                "api": {"auth": "basic", "user_file": "/no/such", "port": 0},
            }
        )
        self.assertIn("user_file", text)

    def test_a_grant_that_says_nothing_is_told(self) -> None:
        text = self._fails(
            {
                "DEFAULT": {"transport_url": "orch-inproc://"},
                "api": {
                    "auth": "basic",
                    "user_file": "/dev/null",
                    "basic_grants": "ann demo",
                    "port": 0,
                },
            }
        )
        self.assertIn("basic_grants", text)


class TestNoAuthentication(serving.ServerTestCase):
    """The embedded form is as it was."""

    def test_tokens_are_of_no_use(self) -> None:
        client = rest.Client(self.system.endpoint, token="anything")
        self.addCleanup(client.close)
        self.assertEqual([], client.get("/stacks", "stacks"))
