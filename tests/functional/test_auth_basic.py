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

    def test_health_is_for_everyone(self) -> None:
        answer = requests.get(
            f"http://127.0.0.1:{self.system.port}/healthcheck", timeout=30
        )
        self.assertEqual(200, answer.status_code)


class TestGuessing(serving.ServerTestCase):
    """Whoever tries passwords has to wait."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        file = pathlib.Path(directory.name) / "htpasswd"
        users = ("ann", "bob", "cid", "dan")
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
