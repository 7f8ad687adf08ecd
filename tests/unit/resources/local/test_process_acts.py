import dataclasses
import multiprocessing
import os
import pathlib
import signal
import sys

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.local import proc
from orch.resources.local import root
from tests.support import waiting
from tests.unit.resources import contexts
from tests.unit.resources.local import processes


class ProcessActsTest(processes.ProcessTestCase):
    def test_one_that_does_not_end_by_itself_is_killed(self) -> None:
        context = self.create(
            processes.make(
                processes.shell(
                    "trap '' TERM; echo set; while :; do sleep 0.05; done"
                ),
                stop_timeout_s=1,
            )
        )
        self.wait(context)

        self.plugin.delete(context)
        self.assertEqual(
            call_context.Pending(after_s=0.1, note="is being stopped"),
            self.plugin.is_deleted(context),
        )
        self.assertTrue(self.is_alive(context))
        self.clock.time += 1
        waiting.wait_for(
            lambda: self.plugin.is_deleted(context) is None, "it is killed"
        )

        self.assertFalse(self.is_alive(context))

    def test_children_that_outlive_it_are_stopped_too(self) -> None:
        context = self.create(
            processes.make(processes.shell("sleep 61 & sleep 62 & wait"))
        )
        self.wait(context)
        os.kill(int((context.physical_id or "").split(":")[0]), signal.SIGKILL)
        self.wait_until_dead(context)
        identity = proc.parse_identity(context.physical_id or "")
        assert identity is not None
        self.assertEqual(2, len(proc.list_children(identity, contexts.TOKEN)))

        self.stop(context)

        self.assertEqual([], proc.list_children(identity, contexts.TOKEN))

    def test_d2_what_it_was_started_with_is_told_while_it_runs(self) -> None:
        command = processes.shell("exec sleep 60")
        context = self.create(processes.make(command))
        self.wait(context)

        self.assertEqual(
            {"command": command}, self.plugin.get_reality(context)
        )

        os.kill(int((context.physical_id or "").split(":")[0]), signal.SIGKILL)
        self.wait_until_dead(context)
        error = self.assertRaises(
            reality.Vanished, self.plugin.get_reality, context
        )
        self.assertIn("signal 9", error.message)

    def test_a_new_health_check_is_tried_on_the_running_process(self) -> None:
        port = processes.free_port()
        server = [sys.executable, "-m", "http.server", "-b", "127.0.0.1"]
        running = self.create(processes.make([*server, str(port)]))
        check = {"url": f"http://127.0.0.1:{port}/"}
        context = processes.make([*server, str(port)], health_check=check)
        context = dataclasses.replace(context, physical_id=running.physical_id)

        self.plugin.update(context, running.properties, {"health_check"})

        def is_updated() -> bool:
            pending = self.plugin.is_updated(context)
            if pending is not None:
                self.assertIn(f"port {port}", pending.note)
            return pending is None

        waiting.wait_for(is_updated, "the check is passed")
        self.assertTrue(self.is_alive(running))
        self.stop(running)

    def test_a_new_health_check_that_it_does_not_pass_fails(self) -> None:
        running = self.create(processes.make(processes.SLEEP))
        check = {"port": processes.free_port(), "timeout_s": 3}
        context = dataclasses.replace(
            processes.make(processes.SLEEP, health_check=check),
            physical_id=running.physical_id,
        )

        self.plugin.update(context, running.properties, {"health_check"})
        self.assertIsInstance(
            self.plugin.is_updated(context), call_context.Pending
        )
        self.clock.time += 4

        error = self.assertRaises(
            root.LocalRefused, self.plugin.is_updated, context
        )
        self.assertIn("3 seconds after the update", error.message)
        self.assertTrue(self.is_alive(running))

    def test_what_has_ended_is_not_changed_suspended_or_well(self) -> None:
        context = self.create(
            processes.make(processes.shell("echo last; exit 3"))
        )
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
            error = self.assertRaises(root.LocalRefused, call)
            self.assertEqual(
                "it ended with exit code 3; its last lines: last",
                error.message,
            )

    def suspend(self, context: call_context.Context) -> None:
        self.plugin.suspend(context)
        waiting.wait_for(
            lambda: self.plugin.is_suspended(context) is None, "it is stopped"
        )

    def states(self, context: call_context.Context) -> set[str]:
        """Return the states of the process and of its children."""
        identity = proc.parse_identity(context.physical_id or "")
        assert identity is not None
        pids = [
            identity.pid,
            *proc.list_children(identity, contexts.TOKEN),
        ]
        return {
            pathlib.Path("/proc", str(pid), "stat")
            .read_text()
            .rpartition(")")[2]
            .split()[0]
            for pid in pids
        }

    def ticks(self) -> int:
        log = self.store / f"{contexts.TOKEN}.log"
        return log.stat().st_size

    def test_suspended_it_does_nothing_and_resumed_it_goes_on(self) -> None:
        context = self.create(
            processes.make(
                processes.shell("while :; do echo; sleep 0.01; done & wait")
            )
        )
        self.wait(context)

        self.suspend(context)
        waiting.wait_for(
            # A shell whose new child was stopped first waits for it (vfork).
            lambda: {"T"} <= self.states(context) <= {"T", "D"},
            "all of it stands still",
        )
        before = self.ticks()
        self.suspend(context)
        shown = self.plugin.show(context)
        assert isinstance(shown, dict)
        self.assertEqual("stopped", shown["state"])
        self.assertIsNone(self.plugin.check(context))
        self.assertIsNone(self.plugin.is_updated(context))

        self.plugin.resume(context)
        self.plugin.resume(context)
        self.assertIsNone(self.plugin.is_resumed(context))
        waiting.wait_for(lambda: self.ticks() > before, "it goes on")

    def test_what_is_suspended_ends_when_it_is_deleted(self) -> None:
        context = self.create(
            processes.make(processes.shell("sleep 61 & sleep 62 & wait"))
        )
        self.wait(context)
        self.suspend(context)

        self.stop(context)

        self.assertFalse(self.is_alive(context))
        self.assertEqual([], contexts.names(self.store))

    def test_one_that_runs_is_well(self) -> None:
        context = self.create(processes.make(processes.SLEEP))
        self.wait(context)

        self.assertIsNone(self.plugin.check(context))

    def test_one_that_somebody_else_stopped_is_not_well(self) -> None:
        context = self.create(processes.make(processes.SLEEP))
        identity = proc.parse_identity(context.physical_id or "")
        assert identity is not None
        os.kill(identity.pid, signal.SIGSTOP)
        waiting.wait_for(lambda: proc.is_stopped(identity), "it is stopped")

        error = self.assertRaises(
            root.LocalRefused, self.plugin.check, context
        )

        self.assertIn("it was stopped from outside", error.message)

    def test_a_check_waits_a_little_for_one_that_does_not_serve(self) -> None:
        port = processes.free_port()
        context = self.create(
            processes.make(processes.SLEEP, health_check={"port": port})
        )

        pending = self.plugin.check(context)
        self.clock.time += 6
        error = self.assertRaises(
            root.LocalRefused, self.plugin.check, context
        )

        assert pending is not None
        self.assertIn(f"port {port}", pending.note)
        self.assertIn("5 seconds after it was asked", error.message)

    def test_a_removal_that_never_ends_is_given_up(self) -> None:
        context = self.create(processes.make(processes.SLEEP))
        self.clock.time += 36

        error = self.assertRaises(
            root.LocalRefused, self.plugin.is_deleted, context
        )

        self.assertIn("does not end even when", error.message)

    def test_removing_what_is_gone_is_success(self) -> None:
        context = self.create(processes.make(processes.SLEEP))
        self.stop(context)

        self.stop(context)

        self.assertEqual([], contexts.names(self.store))

    def test_a_number_used_again_is_another_process(self) -> None:
        context = processes.make(processes.SLEEP)
        stranger = dataclasses.replace(context, physical_id=f"{os.getpid()}:1")

        self.stop(stranger)

        self.assertFalse(self.is_alive(stranger))

    def test_no_zombie_stays_behind(self) -> None:
        context = self.create(processes.make(["true"]))
        pid = (context.physical_id or "").split(":")[0]
        place = pathlib.Path("/proc", pid)
        waiting.wait_for(lambda: not place.exists(), "its entry is gone")

    def test_pid_log_and_live_facts_are_shown(self) -> None:
        context = self.create(
            processes.make(processes.shell("echo hello; exec sleep 60"))
        )
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
            target=processes.create_and_die, args=(str(self.root),)
        )
        worker.start()
        worker.join()

        found = self.plugin.find(processes.make(processes.SLEEP))

        self.assertEqual(-signal.SIGKILL, worker.exitcode)
        assert isinstance(found, str)
        context = dataclasses.replace(
            processes.make(processes.SLEEP), physical_id=found
        )
        self.assertTrue(self.is_alive(context))
        self.assertEqual(
            found, self.plugin.create(processes.make(processes.SLEEP))
        )
        self.stop(context)
