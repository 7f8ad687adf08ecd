"""What logs in stands in nothing that Orch says, writes or stores.

Passwords, tokens, and what stacks are left are looked for in all answers, in
the log with debugging on, and in every file of the server but its options.
"""

import collections.abc
import contextlib
import json
import pathlib
import typing

import requests

from orch.db import engine as db_engine
from orch.db.repositories import credentials as rows
from orch.engine.credentials import cipher
from tests.functional import guarded
from tests.support import keystone
from tests.support import rest
from tests.support import systems
from tests.support import waiting

_PLACES: typing.Final = (
    "",
    "/template",
    "/environment",
    "/files",
    "/resources?nested_depth=3&with_detail=true",
    "/resources/login",
    "/events?nested_depth=3",
    "/operations",
    "/snapshots",
    "/outputs",
    "/export",
)
_PUBLIC: typing.Final = frozenset({"user_id", "name"})
"""Parts of what logs in that are no secret."""


def _with_a_value() -> guarded.Json:
    wanted = guarded.login()
    wanted["resources"]["value"] = {
        "type": "OS::Heat::Value",
        "properties": {"value": "1"},
    }
    return wanted


class TrustSecretsTest(guarded.GuardedTestCase):
    more: typing.ClassVar[systems.Options] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.more = {
            "DEFAULT": {
                "debug": True,
                # By default these keep all of it to themselves.
                "default_log_levels": "keystoneauth=DEBUG,"
                "keystonemiddleware=DEBUG,openstack=DEBUG,sqlalchemy=WARN,"
                "urllib3=WARN",
                "deferred_auth_method": cls.method,
                "enable_stack_abandon": True,
                "enable_stack_adopt": True,
            }
        }
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        self.token = self.keystone.fresh_token("member")
        self.member = self.client_of("member", token=self.token)
        self.said: list[str] = []
        self.member._session.hooks["response"] = [self.record_answer]
        self.secrets = {self.token, keystone.PASSWORD}

    def record_answer(self, answer: requests.Response, **more: object) -> None:
        self.said.append(f"{answer.url} {answer.headers} {answer.text}")

    def learn(self) -> None:
        """Add what the stacks have been left to what is looked for."""
        state = pathlib.Path(self.system.directory) / "state"
        key = (state / "credentials.key").read_text(encoding="utf-8").strip()
        opened = cipher.Cipher([key])
        database = db_engine.Database(f"sqlite:///{state / 'orch.db'}")
        self.addCleanup(database.dispose)
        found = database.query(lambda conn: rows.list_sealed(conn, "", 100))
        self.assertNotEqual([], found)
        for each in found:
            for name, word in opened.open(each.sealed).items():
                if name not in _PUBLIC:
                    self.secrets.add(word)

    def check(self) -> None:
        """Look for all secrets in all that was said and written."""
        self.assertGreater(len(self.secrets), 2)
        found = self.look_in("answer", self.said)
        logs = 0
        for path in sorted(pathlib.Path(self.system.directory).rglob("*")):
            if not path.is_file() or path.suffix in (".conf", ".key"):
                continue
            text = path.read_bytes().decode("utf-8", "replace")
            logs += " DEBUG " in text
            found += self.look_in(path.name, [text])
        self.assertEqual([], found)
        self.assertEqual(1, logs)

    def look_in(
        self, where: str, texts: collections.abc.Iterable[str]
    ) -> list[str]:
        """Return where secrets are, with what stands before them."""
        return [
            f"{where} … {text[max(0, place - 250) : place + 40]}"
            for text in texts
            for secret in self.secrets
            if (place := text.find(secret)) >= 0
        ]

    def look_at_all(self, stack: rest.Stack) -> None:
        for place in _PLACES:
            # A stack that failed has no export.
            with contextlib.suppress(rest.RefusedError):
                self.member.ask("GET", stack.path + place)
        for each in self.member.get(f"{stack.path}/operations", "operations"):
            self.member.ask("GET", f"{stack.path}/operations/{each['id']}")

    def followed(self, stack: rest.Stack) -> None:
        """Keep the first events of a stream."""
        answer = requests.get(
            f"{self.member.endpoint}{stack.path}/events?follow=true",
            headers={"X-Auth-Token": self.token},
            stream=True,
            timeout=30,
        )
        with answer:
            lines = answer.iter_lines(decode_unicode=True)
            for line in lines:
                self.said.append(line)
                if "CREATE_COMPLETE" in line:
                    return
        self.fail("the stream has ended")

    def test_a_life(self) -> None:
        wanted = _with_a_value()
        body = {"stack_name": self.name, "template": wanted}
        self.member.ask("POST", "/stacks/preview", body)
        self.member.ask("POST", "/validate", {"template": wanted})
        stack = self.created(self.member, wanted)
        self.learn()
        self.followed(stack)
        self.look_at_all(stack)
        self.check()

        changed = {**wanted, "description": "changed"}
        self.member.ask("PUT", f"{stack.path}/preview", {"template": changed})
        self.member.ask("PUT", stack.path, {"template": changed})
        self.member.wait(stack, "UPDATE_COMPLETE")
        for action in ("check", "suspend", "resume"):
            place = f"{stack.path}/actions"
            self.member.ask("POST", place, {action: None})
            self.member.wait(stack, f"{action.upper()}_COMPLETE")
        self.look_at_all(stack)
        self.check()

    def test_a_move(self) -> None:
        first = self.created(self.member, _with_a_value())
        self.learn()
        target = self.member.create(f"{self.name}-target", guarded.login())
        self.member.wait(target, "CREATE_COMPLETE")
        self.learn()

        body = {
            "target": target.name,
            "resources": ["value"],
            "source_template": guarded.login(),
            "target_template": _with_a_value(),
        }
        self.member.ask("POST", f"{first.path}/move/preview", body)
        self.member.ask("POST", f"{first.path}/move", body)
        for each in (first, target):
            self.member.wait(each, "UPDATE_COMPLETE")
            self.look_at_all(each)
        self.check()

    def test_leaving_and_coming_back(self) -> None:
        stack = self.created(self.member, _with_a_value())
        self.learn()
        document = self.member.ask("DELETE", f"{stack.path}/abandon")
        name = f"{self.name}-again"
        answer = self.member.ask(
            "POST",
            "/stacks",
            {"stack_name": name, "adopt_stack_data": json.dumps(document)},
        )
        again = rest.Stack(
            name, typing.cast(guarded.Json, answer)["stack"]["id"]
        )
        self.member.wait(again, "ADOPT_COMPLETE")
        self.learn()
        self.look_at_all(again)
        self.check()

    def test_what_does_not_log_in_any_more(self) -> None:
        stack = self.created(self.member, _with_a_value())
        self.learn()
        self.take_away()

        colleague = self.client_of("colleague")
        colleague._session.hooks["response"] = [self.record_answer]
        colleague.ask("POST", f"{stack.path}/actions", {"check": None})
        colleague.wait(stack, "CHECK_FAILED")

        self.look_at_all(stack)
        self.check()

    def take_away(self) -> None:
        """Remove what the stack was left, behind its back."""
        member = self.keystone.login("member").connect()
        for each in self.keystone.trusts():
            place = f"{self.keystone.url}/OS-TRUST/trusts/{each}"
            member.session.delete(place)

    def test_a_wrong_token_and_a_wrong_body(self) -> None:
        stack = self.created(self.member, guarded.login())
        self.learn()
        wrong = f"{self.token}x"
        self.secrets.add(wrong)
        answer = requests.get(
            self.member.endpoint + stack.path,
            headers={"X-Auth-Token": wrong, "X-Service-Token": wrong},
            timeout=30,
        )
        self.assertEqual(401, answer.status_code)
        self.record_answer(answer)
        for body in ({"stack_name": 7}, {"nonsense": True}):
            error = self.assertRaises(
                rest.RefusedError, self.member.ask, "POST", "/stacks", body
            )
            self.assertEqual(400, error.status)
        self.check()


class ApplicationSecretsTest(TrustSecretsTest):
    method = "application_credentials"

    def take_away(self) -> None:
        user = self.keystone.users["member"]
        identity = self.keystone.login("member").connect().identity
        for each in identity.application_credentials(user):
            identity.delete_application_credential(user, each)
        waiting.wait_for(
            lambda: not list(identity.application_credentials(user)),
            "no application credential to be left",
        )
