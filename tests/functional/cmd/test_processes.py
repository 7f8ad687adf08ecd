"""The executables as an operator meets them: real processes."""

import contextlib
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import time

import requests

from orch.search.index.sqlite import index as sqlite_index
from tests import base
from tests.support import forks
from tests.support import ports
from tests.support import processes

_MARKER = "ORCH_TEST_EVENTLET"
_TRAP = f"""
import os
open(os.environ["{_MARKER}"], "w").close()
"""
_KIB = 1024
_MOST_MEMORY = 124 * 1024 * _KIB
_IDLE_S = 6


class ProcessTest(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()
        self.state = self.directory / "state"
        self.port = ports.find_free()
        self.marker = self.directory / "eventlet-was-imported"
        package = self.directory / "trap" / "eventlet"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(_TRAP)
        self.environment = {
            "PYTHONPATH": str(package.parent),
            _MARKER: str(self.marker),
            "XDG_DATA_HOME": str(self.directory / "data"),
        }

    def process(
        self,
        program: str,
        *args: str,
        launch: processes.Launch = processes.execute,
    ) -> processes.Process:
        made = processes.Process(
            program,
            *args,
            log=self.directory / f"{program}.log",
            environment=self.environment,
            launch=launch,
        )
        self.addCleanup(made.close)
        return made

    def get(self, path: str, port: int | None = None) -> requests.Response:
        return requests.get(
            f"http://127.0.0.1:{port or self.port}{path}", timeout=10
        )

    def is_serving(self) -> bool:
        try:
            return self.get("/").status_code == 300
        except requests.ConnectionError:
            return False

    def start_all(
        self, launch: processes.Launch = processes.execute
    ) -> processes.Process:
        started = self.process(
            "orch-all",
            "--port",
            str(self.port),
            "--state-dir",
            str(self.state),
            launch=launch,
        )
        started.start()
        started.wait_until(self.is_serving)
        return started

    def _run(self, program: str, *args: str) -> tuple[int, str]:
        """Run a program that does not start; return its code and errors."""
        done = processes.complete(
            (processes.find(program), *args),
            os.environ | self.environment,
            launch=forks.launch,
        )
        return done.code, done.errors


class AllTest(ProcessTest):
    def test_it_says_where_it_listens(self) -> None:
        self.environment["PYTHONUNBUFFERED"] = ""
        started = self.process("orch-all", "--port", "0")
        started.start()
        found: list[str] = []

        def has_said_so() -> bool:
            found[:] = re.findall(
                r"http://127\.0\.0\.1:(\d+)/", started.log.read_text()
            )
            return bool(found)

        started.wait_until(has_said_so)
        answer = self.get("/v1/demo/stacks", int(found[0]))

        self.assertEqual(
            (200, {"stacks": []}), (answer.status_code, answer.json())
        )
        self.assertTrue((self.directory / "data/orch/orch.db").exists())

    def test_it_stops_in_good_order_and_goes_on(self) -> None:
        started = self.start_all()
        template = {
            "heat_template_version": "2018-08-31",
            "resources": {"one": {"type": "OS::Heat::RandomString"}},
        }
        made = requests.post(
            f"http://127.0.0.1:{self.port}/v1/demo/stacks",
            json={"stack_name": "web", "template": template},
            timeout=10,
        )
        self.assertEqual(201, made.status_code, made.text)
        begun = time.monotonic()
        self.assertEqual(0, started.stop(), started.tail())
        self.assertLess(time.monotonic() - begun, 10)

        self.start_all()
        path = "/v1/demo/stacks/web/" + made.json()["stack"]["id"]
        end = time.monotonic() + 30
        while True:
            stack = self.get(path).json()["stack"]
            if stack["stack_status"] == "CREATE_COMPLETE":
                return
            self.assertLess(time.monotonic(), end, stack["stack_status"])
            time.sleep(0.1)

    def test_a_second_one_is_kept_out_of_the_state_directory(self) -> None:
        self.start_all(forks.launch)

        code, said = self._run(
            "orch-all", "--port", "0", "--state-dir", str(self.state)
        )

        self.assertEqual(1, code)
        self.assertIn("another orch-all uses", said)

    def test_a_port_that_is_taken_is_told(self) -> None:
        self.start_all(forks.launch)

        code, said = self._run(
            "orch-all",
            "--port",
            str(self.port),
            "--state-dir",
            str(self.directory / "other"),
        )

        self.assertEqual(1, code)
        self.assertIn(f"cannot listen on 127.0.0.1:{self.port}", said)

    def test_tables_of_a_later_release_are_left_alone(self) -> None:
        self.state.mkdir()
        with contextlib.closing(
            sqlite3.connect(self.state / "orch.db")
        ) as later:
            later.execute("CREATE TABLE alembic_version (version_num)")
            later.execute("INSERT INTO alembic_version VALUES ('9999')")
            later.commit()

        code, said = self._run(
            "orch-all", "--port", "0", "--state-dir", str(self.state)
        )

        self.assertEqual(1, code)
        self.assertIn("the database is at revision 9999", said)

    def test_an_index_of_a_later_release_is_left_alone(self) -> None:
        self.state.mkdir()
        index = sqlite_index.SQLiteIndex(self.state / "search.db")
        index.save("kept", "by a later release")
        index.close()
        with contextlib.closing(
            sqlite3.connect(self.state / "search.db")
        ) as later:
            later.execute("PRAGMA user_version = 9999")

        code, said = self._run(
            "orch-all", "--port", "0", "--state-dir", str(self.state)
        )

        self.assertEqual(1, code)
        self.assertIn("format 9999", said)
        self.assertIn("a newer release has made it", said)
        with contextlib.closing(
            sqlite3.connect(self.state / "search.db")
        ) as later:
            (kept,) = later.execute("SELECT value FROM kept").fetchone()
        self.assertEqual("by a later release", kept)

    def test_a_key_that_is_none_keeps_it_from_starting(self) -> None:
        file = self.directory / "keys.conf"
        file.write_text("[adoption]\nprivate_keys = s3cret\n")

        code, said = self._run(
            "orch-all",
            *("--port", "0", "--config-file", str(file)),
            *("--state-dir", str(self.directory / "keys")),
        )

        self.assertEqual(1, code)
        self.assertIn("Key 1 in [adoption] private_keys", said)
        self.assertNotIn("s3cret", said)

    def test_encryption_without_a_good_key_keeps_it_from_starting(
        self,
    ) -> None:
        file = self.directory / "encryption.conf"
        for key, said_of_it in (("", "there is no key"), ("s3cret", "Key 1")):
            file.write_text(
                "[DEFAULT]\nencrypt_parameters_and_properties = true\n"
                f"[credentials]\nencryption_keys = {key}\n"
            )

            code, said = self._run(
                "orch-all",
                *("--port", "0", "--config-file", str(file)),
                *("--state-dir", str(self.directory / "encryption")),
            )

            self.assertEqual(1, code)
            self.assertIn(said_of_it, said)
            self.assertIn("[credentials] encryption_keys", said)
            self.assertNotIn("s3cret", said)

    def test_at_rest_it_costs_little(self) -> None:
        started = self.start_all()
        # Until then it does what follows its start.
        time.sleep(5)
        before = _processor_s(started.pid)
        time.sleep(_IDLE_S)

        self.assertLess((_processor_s(started.pid) - before) / _IDLE_S, 0.01)
        self.assertLess(_memory(started.pid), _MOST_MEMORY)

    def test_eventlet_is_never_imported(self) -> None:
        subprocess.run(
            [sys.executable, "-c", "import eventlet"],
            env=os.environ | self.environment,
            check=True,
        )
        self.assertTrue(self.marker.exists(), "the trap does not work")
        self.marker.unlink()

        self.start_all().stop()

        self.assertFalse(self.marker.exists())


class DistributedTest(ProcessTest):
    def _file(self) -> str:
        file = self.directory / "orch.conf"
        file.write_text(
            "[DEFAULT]\n"
            f"transport_url = rabbit://a:b@127.0.0.1:{ports.find_free()}/\n"
            "[database]\n"
            f"connection = sqlite:///{self.directory}/orch.db\n"
            f"[api]\nport = {self.port}\nrpc_timeout = 2\n"
        )
        return str(file)

    def test_a_worker_refuses_a_key_that_is_none(self) -> None:
        file = self.directory / "keys.conf"
        file.write_text("[adoption]\nprivate_keys = s3cret\n")

        code, said = self._run(
            "orch-engine",
            *("--config-file", self._file()),
            *("--config-file", str(file)),
        )

        self.assertEqual(1, code)
        self.assertIn("Key 1 in [adoption] private_keys", said)

    def test_a_worker_refuses_tables_of_another_release(self) -> None:
        started = self.process(
            "orch-engine",
            *("--config-file", self._file()),
            launch=forks.launch,
        )
        started.start()
        end = time.monotonic() + 30
        while started.is_running() and time.monotonic() < end:
            time.sleep(0.05)

        self.assertFalse(started.is_running())
        self.assertIn("orch-manage db sync", started.log.read_text())

    def test_both_start_and_stop_without_a_broker(self) -> None:
        file = self._file()
        processes.run(
            "orch-manage",
            *("--config-file", file, "db", "sync"),
            launch=forks.launch,
        )
        api = self.process("orch-api", "--config-file", file)
        worker = self.process("orch-engine", "--config-file", file)
        for each in (api, worker):
            each.start()
        api.wait_until(self.is_serving)
        worker.wait_until(lambda: "works on" in worker.log.read_text())
        self.assertEqual(503, self.get("/v1/demo/stacks").status_code)
        self.assertLess(_memory(api.pid), _MOST_MEMORY)
        self.assertLess(_memory(worker.pid), _MOST_MEMORY)

        for each in (api, worker):
            begun = time.monotonic()
            self.assertEqual(0, each.stop(), each.tail())
            self.assertLess(time.monotonic() - begun, 15)
        self.assertFalse(self.marker.exists(), "eventlet was imported")


def _processor_s(pid: int) -> float:
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> int:
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * _KIB
