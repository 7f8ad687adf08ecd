import contextlib
import os
import signal
import socket
import sys
import typing

import fixtures

from orch import errors
from orch.resources.local import owned_process
from orch.resources.local import process
from orch.resources.local import records
from orch.resources.local import root
from tests.unit.resources import contexts
from tests.unit.resources.local import processes


class ProcessTest(processes.ProcessTestCase):
    def test_it_runs_until_it_is_deleted_and_leaves_nothing(self) -> None:
        context = self.create(processes.make(processes.SLEEP))
        self.wait(context)
        self.assertTrue(self.is_alive(context))

        self.stop(context)

        self.assertFalse(self.is_alive(context))
        self.assertEqual([], contexts.names(self.store))

    def test_it_is_in_a_session_of_its_own(self) -> None:
        context = self.create(processes.make(processes.SLEEP))

        pid = int((context.physical_id or "").split(":")[0])

        self.assertEqual(pid, os.getsid(pid))
        self.assertNotEqual(os.getsid(0), os.getsid(pid))

    def test_it_finds_its_directory_and_variables_and_no_others(self) -> None:
        self.useFixture(fixtures.EnvironmentVariable("OS_PASSWORD", "secret"))
        (self.root / "work").mkdir()
        context = self.create(
            processes.make(
                processes.shell("pwd; env; exec sleep 60"),
                environment={"NAME": "value", "NUMBER": 5},
                working_directory="work",
            )
        )
        self.wait(context)

        log = (self.store / f"{contexts.TOKEN}.log").read_text().splitlines()

        self.assertEqual(str(self.root / "work"), log[0])
        self.assertIn("NAME=value", log)
        self.assertIn("NUMBER=5", log)
        self.assertIn(f"ORCH_TOKEN={contexts.TOKEN}", log)
        self.assertNotIn("OS_PASSWORD=secret", log)

    def test_it_gets_no_descriptors_of_the_worker(self) -> None:
        context = self.create(
            processes.make(processes.shell("ls /proc/self/fd; exec sleep 60"))
        )
        self.wait(context)

        log = (self.store / f"{contexts.TOKEN}.log").read_text().split()

        self.assertEqual(["0", "1", "2", "3"], log)  # 3 is the listing's own

    def test_a_second_start_gives_the_same_process(self) -> None:
        first = self.create(processes.make(processes.SLEEP))

        again = process.Process(self.conf).create(
            processes.make(processes.SLEEP)
        )

        self.assertEqual(first.physical_id, again)

    def test_what_a_lost_attempt_started_is_found(self) -> None:
        self.assertIsNone(self.plugin.find(processes.make(processes.SLEEP)))
        context = self.create(processes.make(processes.SLEEP))

        found = process.Process(self.conf).find(
            processes.make(processes.SLEEP)
        )

        self.assertEqual(context.physical_id, found)

    def test_a_process_that_ended_is_not_found_and_started_anew(self) -> None:
        first = self.create(processes.make(processes.SLEEP))
        os.kill(int((first.physical_id or "").split(":")[0]), signal.SIGKILL)
        self.wait_until_dead(first)

        self.assertIsNone(self.plugin.find(processes.make(processes.SLEEP)))
        second = self.create(processes.make(processes.SLEEP))

        self.assertNotEqual(first.physical_id, second.physical_id)
        self.assertTrue(self.is_alive(second))

    def test_two_starts_at_once_are_kept_apart(self) -> None:
        self.create(processes.make(processes.SLEEP))

        with (
            self.lock(),
            fixtures.MonkeyPatch(
                "orch.resources.local.records._TIMEOUT_S", 0.1
            ),
        ):
            error = self.assertRaises(
                errors.Transient,
                self.plugin.create,
                processes.make(processes.SLEEP),
            )

        self.assertIn("by another worker", error.message)

    def test_the_lock_ends_when_the_command_begins(self) -> None:
        self.create(processes.make(processes.SLEEP))

        with self.lock() as number:
            self.assertGreater(number, 2)

    @contextlib.contextmanager
    def lock(self) -> typing.Iterator[int]:
        """Hold what a worker holds that starts the process."""
        with (
            root.Root(self.conf).private(owned_process.PROCESSES) as store,
            records.lock_file(store, f"{contexts.TOKEN}.lock", "busy") as lock,
        ):
            yield lock

    def test_it_has_no_umask_of_the_worker(self) -> None:
        self.addCleanup(os.umask, os.umask(0o077))
        context = self.create(
            processes.make(processes.shell("umask; exec sleep 60"))
        )
        self.wait(context)

        log = (self.store / f"{contexts.TOKEN}.log").read_text()

        self.assertEqual("0022", log.strip())

    def test_a_command_that_cannot_run_is_explained(self) -> None:
        error = self.assertRaises(
            root.LocalRefused,
            self.plugin.create,
            processes.make(["no-such-program"]),
        )

        self.assertEqual(
            "the command no-such-program cannot be run: No such file or"
            " directory",
            error.message,
        )
        self.assertIsNone(
            self.plugin.find(processes.make(["no-such-program"]))
        )

    def test_a_missing_working_directory_is_explained(self) -> None:
        error = self.assertRaises(
            root.LocalRefused,
            self.plugin.create,
            processes.make(processes.SLEEP, working_directory="missing"),
        )

        self.assertIn("working_directory missing is not", error.message)

    def test_a_process_that_ends_early_fails_with_its_last_words(self) -> None:
        context = self.create(
            processes.make(
                processes.shell("echo one; echo two >&2; exit 3"),
                health_check={"port": processes.free_port()},
            )
        )

        error = self.assertRaises(root.LocalRefused, self.wait, context)

        self.assertEqual(
            "it ended with exit code 3 before it served; its last lines:"
            " one | two",
            error.message,
        )
        self.assertEqual([], contexts.names(self.store))

    def test_a_process_that_computes_before_it_ends_fails(self) -> None:
        context = self.create(
            processes.make(
                [
                    sys.executable,
                    "-c",
                    "import time\n"
                    "end = time.monotonic() + 1\n"
                    "while time.monotonic() < end: pass\n"
                    "raise SystemExit(1)",
                ]
            )
        )

        self.assertRaises(root.LocalRefused, self.wait, context)

    def test_a_process_that_is_killed_early_says_so(self) -> None:
        context = self.create(
            processes.make(
                processes.shell("kill -9 $$"),
                health_check={"port": processes.free_port()},
            )
        )

        error = self.assertRaises(root.LocalRefused, self.wait, context)

        self.assertEqual(
            "it was ended by signal 9 before it served", error.message
        )

    def test_it_is_up_once_it_serves(self) -> None:
        port = processes.free_port()
        url = f"http://127.0.0.1:{port}/"
        server = [sys.executable, "-m", "http.server", "-b", "127.0.0.1"]
        context = self.create(
            processes.make([*server, str(port)], health_check={"url": url})
        )

        self.wait(context)

        with socket.create_connection(("127.0.0.1", port)):
            self.assertTrue(self.is_alive(context))
        self.stop(context)

    def test_it_fails_when_it_does_not_serve_in_time(self) -> None:
        port = processes.free_port()
        context = self.create(
            processes.make(
                processes.SLEEP, health_check={"port": port, "timeout_s": 0.2}
            )
        )

        error = self.assertRaises(root.LocalRefused, self.wait, context)

        self.assertIn("does not serve 0.2 seconds after", error.message)
        self.assertIn(f"no answer on port {port}", error.message)
        self.stop(context)

    def test_a_port_that_others_use_is_not_mistaken_for_ours(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            error = self.assertRaises(
                root.LocalRefused,
                self.plugin.create,
                processes.make(processes.SLEEP, health_check={"port": port}),
            )

        self.assertIn(f"port {port} is in use", error.message)
