import dataclasses
import multiprocessing
import os
import pathlib
import signal
import socket
import sys
import time

import fixtures

from orch import errors
from orch.plugin import resource
from orch.resources.local import kept
from orch.resources.local import proc
from orch.resources.local import process
from orch.resources.local import root
from tests import base
from tests.unit.resources import contexts

SLEEP = ["sleep", "60"]


def make(command: list[str], **more: object) -> resource.Context:
    properties = {"stop_timeout_s": 5, **more}
    return contexts.make(process.Process, command=command, **properties)


def shell(text: str) -> list[str]:
    return ["sh", "-c", text]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def create_and_die(place: str) -> None:
    """Start the process, and be killed before anybody hears of it."""
    conf = contexts.options(pathlib.Path(place))
    process.Process(conf).create(make(SLEEP))
    os.kill(os.getpid(), signal.SIGKILL)


class ProcessTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.make_directory()
        self.conf = contexts.options(self.root)
        self.clock = contexts.FakeClock()
        self.plugin = process.Process(self.conf, self.clock)
        self.store = self.root / ".orch" / "processes"
        self.addCleanup(self._kill_all)

    def _kill_all(self) -> None:
        mark = f"ORCH_TOKEN={contexts.TOKEN}".encode()
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in path.read_bytes():
                    os.kill(int(path.parent.name), signal.SIGKILL)
            except OSError:
                continue

    def create(self, context: resource.Context) -> resource.Context:
        physical_id = self.plugin.create(context)
        assert isinstance(physical_id, str)
        return dataclasses.replace(context, physical_id=physical_id)

    def wait(self, context: resource.Context) -> None:
        """Wait as the engine does until the process is up."""
        while (pending := self.plugin.is_created(context)) is not None:
            assert pending.after_s is not None
            time.sleep(pending.after_s)

    def stop(self, context: resource.Context) -> None:
        """Delete as the engine does."""
        self.plugin.delete(context)
        while (pending := self.plugin.is_deleted(context)) is not None:
            assert pending.after_s is not None
            time.sleep(pending.after_s / 5)

    def is_alive(self, context: resource.Context) -> bool:
        identity = proc.parse(context.physical_id or "")
        assert identity is not None
        return proc.is_alive(identity)

    def wait_until_dead(self, context: resource.Context) -> None:
        while self.is_alive(context):
            time.sleep(0.01)

    def test_it_runs_until_it_is_deleted_and_leaves_nothing(self) -> None:
        context = self.create(make(SLEEP))
        self.wait(context)
        self.assertTrue(self.is_alive(context))

        self.stop(context)

        self.assertFalse(self.is_alive(context))
        self.assertEqual([], contexts.names(self.store))

    def test_it_is_in_a_session_of_its_own(self) -> None:
        context = self.create(make(SLEEP))

        pid = int((context.physical_id or "").split(":")[0])

        self.assertEqual(pid, os.getsid(pid))
        self.assertNotEqual(os.getsid(0), os.getsid(pid))

    def test_it_finds_its_directory_and_variables_and_no_others(self) -> None:
        self.useFixture(fixtures.EnvironmentVariable("OS_PASSWORD", "secret"))
        (self.root / "work").mkdir()
        context = self.create(
            make(
                shell("pwd; env; exec sleep 60"),
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
        context = self.create(make(shell("ls /proc/self/fd; exec sleep 60")))
        self.wait(context)

        log = (self.store / f"{contexts.TOKEN}.log").read_text().split()

        self.assertEqual(["0", "1", "2", "3"], log)  # 3 is the listing's own

    def test_a_second_start_gives_the_same_process(self) -> None:
        first = self.create(make(SLEEP))

        again = process.Process(self.conf).create(make(SLEEP))

        self.assertEqual(first.physical_id, again)

    def test_what_a_lost_attempt_started_is_found(self) -> None:
        self.assertIsNone(self.plugin.find(make(SLEEP)))
        context = self.create(make(SLEEP))

        found = process.Process(self.conf).find(make(SLEEP))

        self.assertEqual(context.physical_id, found)

    def test_a_process_that_ended_is_not_found_and_started_anew(self) -> None:
        first = self.create(make(SLEEP))
        os.kill(int((first.physical_id or "").split(":")[0]), signal.SIGKILL)
        self.wait_until_dead(first)

        self.assertIsNone(self.plugin.find(make(SLEEP)))
        second = self.create(make(SLEEP))

        self.assertNotEqual(first.physical_id, second.physical_id)
        self.assertTrue(self.is_alive(second))

    def test_two_starts_at_once_are_kept_apart(self) -> None:
        self.create(make(SLEEP))
        store = root.Root(self.conf)

        with (
            kept.opened(store, contexts.TOKEN) as files,
            kept.locked(files),
        ):
            error = self.assertRaises(
                errors.Transient, self.plugin.create, make(SLEEP)
            )

        self.assertIn("by another worker", error.message)

    def test_the_lock_ends_when_the_command_begins(self) -> None:
        self.create(make(SLEEP))
        store = root.Root(self.conf)

        with (
            kept.opened(store, contexts.TOKEN) as files,
            kept.locked(files) as lock,
        ):
            self.assertGreater(lock, 2)

    def test_a_command_that_cannot_run_is_explained(self) -> None:
        error = self.assertRaises(
            root.Refused, self.plugin.create, make(["no-such-program"])
        )

        self.assertEqual(
            "the command no-such-program cannot be run: No such file or"
            " directory",
            error.message,
        )
        self.assertIsNone(self.plugin.find(make(["no-such-program"])))

    def test_a_missing_working_directory_is_explained(self) -> None:
        error = self.assertRaises(
            root.Refused,
            self.plugin.create,
            make(SLEEP, working_directory="missing"),
        )

        self.assertIn("working_directory missing is not", error.message)

    def test_a_process_that_ends_early_fails_with_its_last_words(self) -> None:
        context = self.create(
            make(
                shell("echo one; echo two >&2; exit 3"),
                health_check={"port": free_port()},
            )
        )

        error = self.assertRaises(root.Refused, self.wait, context)

        self.assertEqual(
            "it ended with exit code 3 before it served; its last lines:"
            " one | two",
            error.message,
        )
        self.assertEqual([], contexts.names(self.store))

    def test_a_process_that_is_killed_early_says_so(self) -> None:
        context = self.create(
            make(shell("kill -9 $$"), health_check={"port": free_port()})
        )

        error = self.assertRaises(root.Refused, self.wait, context)

        self.assertEqual(
            "it was ended by signal 9 before it served", error.message
        )

    def test_it_is_up_once_it_serves(self) -> None:
        port = free_port()
        url = f"http://127.0.0.1:{port}/"
        server = [sys.executable, "-m", "http.server", "-b", "127.0.0.1"]
        context = self.create(
            make([*server, str(port)], health_check={"url": url})
        )

        self.wait(context)

        with socket.create_connection(("127.0.0.1", port)):
            self.assertTrue(self.is_alive(context))
        self.stop(context)

    def test_it_fails_when_it_does_not_serve_in_time(self) -> None:
        port = free_port()
        context = self.create(
            make(SLEEP, health_check={"port": port, "timeout_s": 0.2})
        )

        error = self.assertRaises(root.Refused, self.wait, context)

        self.assertIn("does not serve 0.2 seconds after", error.message)
        self.assertIn(f"no answer on port {port}", error.message)
        self.stop(context)

    def test_a_port_that_others_use_is_not_mistaken_for_ours(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            error = self.assertRaises(
                root.Refused,
                self.plugin.create,
                make(SLEEP, health_check={"port": port}),
            )

        self.assertIn(f"port {port} is in use", error.message)

    def test_one_that_does_not_end_by_itself_is_killed(self) -> None:
        context = self.create(
            make(
                shell("trap '' TERM; echo set; while :; do sleep 0.05; done"),
                stop_timeout_s=1,
            )
        )
        self.wait(context)

        self.plugin.delete(context)
        self.assertIsNotNone(self.plugin.is_deleted(context))
        self.assertTrue(self.is_alive(context))
        self.clock.time += 1
        while self.plugin.is_deleted(context) is not None:
            time.sleep(0.01)

        self.assertFalse(self.is_alive(context))

    def test_children_that_outlive_it_are_stopped_too(self) -> None:
        context = self.create(make(shell("sleep 61 & sleep 62 & wait")))
        self.wait(context)
        os.kill(int((context.physical_id or "").split(":")[0]), signal.SIGKILL)
        self.wait_until_dead(context)
        identity = proc.parse(context.physical_id or "")
        assert identity is not None
        self.assertEqual(2, len(proc.children_of(identity, contexts.TOKEN)))

        self.stop(context)

        self.assertEqual([], proc.children_of(identity, contexts.TOKEN))

    def test_a_new_health_check_is_tried_on_the_running_process(self) -> None:
        port = free_port()
        server = [sys.executable, "-m", "http.server", "-b", "127.0.0.1"]
        running = self.create(make([*server, str(port)]))
        check = {"url": f"http://127.0.0.1:{port}/"}
        context = make([*server, str(port)], health_check=check)
        context = dataclasses.replace(context, physical_id=running.physical_id)

        self.plugin.update(context, running.properties, {"health_check"})
        while (pending := self.plugin.is_updated(context)) is not None:
            self.assertIn(f"port {port}", pending.note)
            time.sleep(0.05)

        self.assertTrue(self.is_alive(running))
        self.stop(running)

    def test_a_new_health_check_that_it_does_not_pass_fails(self) -> None:
        running = self.create(make(SLEEP))
        check = {"port": free_port(), "timeout_s": 3}
        context = dataclasses.replace(
            make(SLEEP, health_check=check), physical_id=running.physical_id
        )

        self.plugin.update(context, running.properties, {"health_check"})
        self.assertIsInstance(
            self.plugin.is_updated(context), resource.Pending
        )
        self.clock.time += 4

        error = self.assertRaises(
            root.Refused, self.plugin.is_updated, context
        )
        self.assertIn("3 seconds after the update", error.message)
        self.assertTrue(self.is_alive(running))

    def test_what_has_ended_is_not_changed_suspended_or_well(self) -> None:
        context = self.create(make(shell("echo last; exit 3")))
        self.wait_until_dead(context)

        for call in (
            lambda: self.plugin.update(context, {}, {"stop_timeout_s"}),
            lambda: self.plugin.is_updated(context),
            lambda: self.plugin.suspend(context),
            lambda: self.plugin.is_suspended(context),
            lambda: self.plugin.resume(context),
            lambda: self.plugin.is_resumed(context),
            lambda: self.plugin.check(context),
        ):
            error = self.assertRaises(root.Refused, call)
            self.assertEqual(
                "it ended with exit code 3; its last lines: last",
                error.message,
            )

    def suspend(self, context: resource.Context) -> None:
        self.plugin.suspend(context)
        while self.plugin.is_suspended(context) is not None:
            time.sleep(0.01)

    def ticks(self) -> int:
        log = self.store / f"{contexts.TOKEN}.log"
        return log.stat().st_size

    def test_suspended_it_does_nothing_and_resumed_it_goes_on(self) -> None:
        context = self.create(
            make(shell("while :; do echo; sleep 0.01; done & wait"))
        )
        self.wait(context)

        self.suspend(context)
        before = self.ticks()
        time.sleep(0.2)
        self.assertEqual(before, self.ticks())
        self.suspend(context)
        shown = self.plugin.show(context)
        assert isinstance(shown, dict)
        self.assertEqual("stopped", shown["state"])
        self.assertIsNone(self.plugin.check(context))
        self.assertIsNone(self.plugin.is_updated(context))

        self.plugin.resume(context)
        self.plugin.resume(context)
        self.assertIsNone(self.plugin.is_resumed(context))
        last = time.monotonic() + 10
        while self.ticks() == before:
            self.assertLess(time.monotonic(), last)
            time.sleep(0.01)

    def test_what_is_suspended_ends_when_it_is_deleted(self) -> None:
        context = self.create(make(shell("sleep 61 & sleep 62 & wait")))
        self.wait(context)
        self.suspend(context)

        self.stop(context)

        self.assertFalse(self.is_alive(context))
        self.assertEqual([], contexts.names(self.store))

    def test_one_that_runs_is_well(self) -> None:
        context = self.create(make(SLEEP))
        self.wait(context)

        self.assertIsNone(self.plugin.check(context))

    def test_one_that_somebody_else_stopped_is_not_well(self) -> None:
        context = self.create(make(SLEEP))
        identity = proc.parse(context.physical_id or "")
        assert identity is not None
        os.kill(identity.pid, signal.SIGSTOP)
        while not proc.is_stopped(identity):
            time.sleep(0.01)

        error = self.assertRaises(root.Refused, self.plugin.check, context)

        self.assertIn("somebody else stopped it", error.message)

    def test_a_check_waits_a_little_for_one_that_does_not_serve(self) -> None:
        port = free_port()
        context = self.create(make(SLEEP, health_check={"port": port}))

        pending = self.plugin.check(context)
        self.clock.time += 6
        error = self.assertRaises(root.Refused, self.plugin.check, context)

        assert pending is not None
        self.assertIn(f"port {port}", pending.note)
        self.assertIn("5 seconds after it was asked", error.message)

    def test_a_removal_that_never_ends_is_given_up(self) -> None:
        context = self.create(make(SLEEP))
        self.clock.time += 36

        error = self.assertRaises(
            root.Refused, self.plugin.is_deleted, context
        )

        self.assertIn("does not end even when", error.message)

    def test_removing_what_is_gone_is_success(self) -> None:
        context = self.create(make(SLEEP))
        self.stop(context)

        self.stop(context)

        self.assertEqual([], contexts.names(self.store))

    def test_a_number_used_again_is_another_process(self) -> None:
        context = make(SLEEP)
        stranger = dataclasses.replace(context, physical_id=f"{os.getpid()}:1")

        self.stop(stranger)

        self.assertFalse(self.is_alive(stranger))

    def test_no_zombie_stays_behind(self) -> None:
        context = self.create(make(["true"]))
        pid = (context.physical_id or "").split(":")[0]
        last = time.monotonic() + 10
        while pathlib.Path("/proc", pid).exists():
            self.assertLess(time.monotonic(), last)
            time.sleep(0.01)

    def test_pid_log_and_live_facts_are_shown(self) -> None:
        context = self.create(make(shell("echo hello; exec sleep 60")))
        self.wait(context)

        values = self.plugin.read_attributes(context, {"pid", "log"})
        shown = self.plugin.show(context)

        self.assertEqual(f"{values['pid']}", context.physical_id.split(":")[0])
        log = pathlib.Path(str(values["log"]))
        self.assertEqual("hello\n", log.read_text())
        self.assertEqual(
            {
                "pid": values["pid"],
                "state": "running",
                "exit_code": None,
                "last_lines": ["hello"],
            },
            shown,
        )

    def test_properties_that_can_never_be_right_are_refused(self) -> None:
        for name, value in (
            ("working_directory", "../x"),
            ("health_check", {"url": "http://example.org"}),
            ("environment", {"A=B": "x"}),
            ("environment", {"A": ["x"]}),
            ("environment", {"A": "\0"}),
            ("command", [""]),
            ("command", ["a\0b"]),
        ):
            error = self.assertRaises(
                errors.Invalid, self.plugin.validate, {name: value}
            )
            self.assertEqual(name, error.problems[0].path)
        self.plugin.validate({})
        self.plugin.validate({"command": ["true"], "environment": {"A": 1.5}})

    def test_it_survives_the_kill_of_the_worker_that_started_it(self) -> None:
        worker = multiprocessing.get_context("spawn").Process(
            target=create_and_die, args=(str(self.root),)
        )
        worker.start()
        worker.join()

        found = self.plugin.find(make(SLEEP))

        self.assertEqual(-signal.SIGKILL, worker.exitcode)
        assert isinstance(found, str)
        context = dataclasses.replace(make(SLEEP), physical_id=found)
        self.assertTrue(self.is_alive(context))
        self.assertEqual(found, self.plugin.create(make(SLEEP)))
        self.stop(context)
