"""Other users of the machine at an ``orch-all`` without a login."""

import json
import pathlib

import requests

from tests.functional.cmd import test_processes
from tests.support import foreign
from tests.support import forks
from tests.support import ports
from tests.support import processes
from tests.support import systems

_VALUE = {
    "stack_name": "made",
    "template": {
        "heat_template_version": "2021-04-16",
        "resources": {"none": {"type": "OS::Heat::None"}},
    },
}


def _request(
    method: str, path: str, body: bytes = b"", kind: str = "application/json"
) -> bytes:
    return (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Connection: close\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


class LocalUsersTest(test_processes.ProcessTest):
    def start(self, **options: dict[str, object]) -> processes.Process:
        self.cfn_port = ports.find_free()
        config = self.directory / "orch.conf"
        systems.write_config(config, options)
        started = self.process(
            "orch-all",
            *("--port", str(self.port)),
            *("--cfn-port", str(self.cfn_port)),
            *("--state-dir", str(self.state)),
            *("--config-file", str(config)),
            launch=forks.launch,
        )
        started.start()
        started.wait_until(self.is_serving)
        return started

    def stacks(self) -> list[object]:
        found: list[object] = self.get("/v1/demo/stacks").json()["stacks"]
        return found

    def test_another_user_is_refused_everywhere(self) -> None:
        self.start()
        create = _request(
            "POST", "/v1/demo/stacks", json.dumps(_VALUE).encode()
        )
        asked = (
            (self.port, create),
            (self.port, _request("GET", "/v1/demo/stacks")),
            (self.port, _request("GET", "/healthcheck")),
            (self.port, _request("POST", "/v1/signal/arn:x")),
            (self.cfn_port, _request("GET", "/v1/?Action=ListStacks")),
        )

        for port, request in asked:
            answer = foreign.send(port, request)

            self.assertIn(b" 403 ", answer.partition(b"\r\n")[0], request)
            self.assertIn(b"local_users = any", answer)
        self.assertEqual([], self.stacks())

    def test_a_connection_stays_refused(self) -> None:
        self.start()
        first = _request("GET", "/").replace(b"close", b"keep-alive")

        answer = foreign.send(self.port, first + _request("GET", "/"))

        self.assertEqual(2, answer.count(b"HTTP/1.1 403 "))

    def test_the_option_serves_others(self) -> None:
        self.start(api={"local_users": "any"})
        create = _request(
            "POST", "/v1/demo/stacks", json.dumps(_VALUE).encode()
        )

        answer = foreign.send(self.port, create)

        self.assertIn(b" 201 ", answer.partition(b"\r\n")[0])
        self.assertEqual(1, len(self.stacks()))

    def test_all_names_of_the_loopback_address_serve_its_user(self) -> None:
        self.start()
        for host in ("127.0.0.1", "localhost"):
            answer = requests.get(f"http://{host}:{self.port}/", timeout=10)

            self.assertEqual(300, answer.status_code)

    def test_who_starts_it_as_root_is_told(self) -> None:
        foreign.check_root()

        started = self.start()

        said = "orch-all runs as root, and so do all commands of its stacks"
        started.wait_until(lambda: said in started.log.read_text())

    def test_files_of_the_state_are_its_owners_alone(self) -> None:
        self.state.mkdir(mode=0o755)
        self.start().stop()
        for each in self.state.iterdir():
            each.chmod(0o755 if each.is_dir() else 0o644)
        self.state.chmod(0o755)

        self.start()
        self.stacks()

        self.assertEqual(
            [],
            [
                each.name
                for each in (self.state, *self.state.iterdir())
                if each.name != "local" and self.mode(each) & 0o077
            ],
        )
        self.assertEqual(0o600, self.mode(self.state / "orch.db-wal"))

    def mode(self, path: pathlib.Path) -> int:
        """Return who may use a file; nobody one that has gone meanwhile."""
        try:
            return path.stat().st_mode & 0o777
        except FileNotFoundError:
            return 0
