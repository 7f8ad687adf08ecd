"""Lines of the log of a server, which no caller may write."""

import pathlib
import tempfile
import typing

import bcrypt
import requests

from tests.support import serving
from tests.support import waiting

_FORGED = "2026-11-22 00:00:00.000 1 INFO orch.forged admin logged in"
_CANARY = "eve\n" + _FORGED


class LogLinesTests(serving.ServerTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        file = pathlib.Path(directory.name) / "htpasswd"
        hashed = bcrypt.hashpw(b"right", bcrypt.gensalt(4)).decode()
        file.write_text(f"ann:{hashed}\n")
        cls.options = {
            "DEFAULT": {"debug": "true"},
            "api": {
                "auth": "basic",
                "user_file": file,
                "basic_grants": "ann demo reader,member,admin",
            },
        }
        super().setUpClass()

    def ask(
        self, method: str, path: str, user: str = "ann", **given: typing.Any
    ) -> requests.Response:
        return requests.request(
            method,
            f"http://127.0.0.1:{self.system.port}{path}",
            auth=(user, "right"),
            timeout=60,
            **given,
        )

    def lines(self) -> list[str]:
        return self.system.server.log.read_text(errors="replace").splitlines()

    def test_no_line_is_written_by_a_caller(self) -> None:
        encoded = requests.utils.quote(_CANARY, safe="")
        for path in (
            f"/v1/demo/stacks/{encoded}",
            f"/v1/{encoded}/stacks",
            f"/{encoded}",
            f"/v1/demo/stacks?marker={encoded}",
            f"/v1/demo/resource_types/{encoded}",
            f"/v1/signal/arn:{encoded}",
        ):
            self.ask("GET", path)
            self.ask("DELETE", path)
        self.ask("GET", "/v1/demo/stacks", _CANARY)
        self.ask("GET", "/v1/demo/stacks", "ann", headers={"X-Roles": "x"})
        self.ask("PUT", "/v1/demo/search", json={"query": _CANARY})
        answer = self.ask(
            "POST",
            "/v1/demo/stacks",
            json={
                "stack_name": "s",
                "template": {
                    "heat_template_version": "2021-04-16",
                    "description": _CANARY,
                    "resources": {
                        "r": {
                            "type": "OS::Heat::TestResource",
                            "properties": {"value": _CANARY, "fail": True},
                        }
                    },
                },
            },
        )
        self.assertEqual(201, answer.status_code, answer.text)
        stack_id = answer.json()["stack"]["id"]
        waiting.wait_for(
            lambda: (
                self.ask("GET", f"/v1/demo/stacks/s/{stack_id}").json()[
                    "stack"
                ]["stack_status"]
                == "CREATE_FAILED"
            ),
            "the stack to fail",
        )

        lines = self.lines()

        self.assertTrue(any(_FORGED in each for each in lines))
        forged = [each for each in lines if each.startswith(_FORGED)]
        self.assertEqual([], forged)
