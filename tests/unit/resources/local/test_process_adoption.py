"""Whose a process is, and what happens to those of others."""

import dataclasses
import json
import os
import signal
import subprocess
import sys

from orch.plugin import call_context
from orch.resources.local import proc
from orch.resources.local import root
from tests.support import foreign
from tests.support import waiting
from tests.unit.resources import contexts
from tests.unit.resources.local import processes

_OTHER = "0f1f64d4-6c7f-4d3a-9e3c-2f2f9a9b1c02"


def _identity(pid: int) -> str:
    started = proc._facts(pid)
    assert started is not None
    return f"{pid}:{started[19]}"


class AdoptionTest(processes.ProcessTestCase):
    def start_foreign(
        self, environment: dict[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Return a process that leads a session, and that we did not start."""
        started = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"],
            stdin=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        return started

    def adopt(
        self, physical_id: str, token: str = _OTHER
    ) -> call_context.Context:
        """Return the context of a resource that has adopted a process."""
        made = processes.make(processes.SLEEP)
        context = dataclasses.replace(made, token=token, attempt=1)
        taken = self.plugin.handle_adopt(
            context,
            call_context.AdoptedResource(
                physical_id=physical_id, data={}, metadata={}
            ),
        )
        return dataclasses.replace(context, physical_id=taken.physical_id)

    def owned(self, process: subprocess.Popen[bytes]) -> call_context.Context:
        """Return the context of what an older release has adopted."""
        return dataclasses.replace(
            processes.make(processes.SLEEP), physical_id=_identity(process.pid)
        )

    def test_a_foreign_process_is_not_adopted(self) -> None:
        for environment in ({}, {proc.TOKEN: _OTHER}):
            started = self.start_foreign(environment)

            error = self.assertRaises(
                root.LocalRefused, self.adopt, _identity(started.pid)
            )

            self.assertIn("was not started by a resource", error.message)
            self.assertIsNone(started.poll())

    def test_what_names_no_process_is_not_adopted(self) -> None:
        for wrong in ("1", "", "x:y", "1:1", "999999999:1", "-1:1"):
            self.assertRaises(root.LocalRefused, self.adopt, wrong)

    def test_no_other_spelling_names_a_process(self) -> None:
        """Whose it is, is known by the text."""
        found = _identity(os.getpid())
        pid, _, started = found.partition(":")
        self.assertEqual(found, str(proc.parse_identity(found)))

        for wrong in (
            f"0{found}",
            f" {found}",
            f"+{found}",
            f"{found} ",
            f"{pid}:0{started}",
            f"{pid[:-1]}_{pid[-1]}:{started}",
            found.translate({ord("1"): "\N{FULLWIDTH DIGIT ONE}"}) + "\n",
        ):
            self.assertIsNone(proc.parse_identity(wrong), wrong)

    def test_a_foreign_process_is_not_read(self) -> None:
        """As with external_id."""
        context = self.owned(self.start_foreign())
        for ask in (self.plugin.is_created, self.plugin.check):
            error = self.assertRaises(root.LocalRefused, ask, context)
            self.assertIn("was not started by a resource", error.message)

    def test_a_foreign_process_gets_no_signal(self) -> None:
        started = self.start_foreign()
        context = self.owned(started)

        for act in (self.plugin.suspend, self.plugin.resume):
            self.assertRaises(root.LocalRefused, act, context)
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        with self.plugin._open(context) as process:
            process.send(signal.SIGKILL)

        self.assertIsNone(started.poll())
        self.assertFalse(proc.is_stopped(proc.Identity(started.pid, 0)))

    def test_so_it_is_with_one_of_another_user(self) -> None:
        started = foreign.start_process()
        self.addCleanup(started.communicate)
        physical_id = _identity(started.pid)
        context = dataclasses.replace(
            processes.make(processes.SLEEP), physical_id=physical_id
        )

        self.assertRaises(root.LocalRefused, self.adopt, physical_id)
        self.plugin.delete(context)

        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertIsNone(started.poll())

    def test_one_of_another_resource_is_adopted_whole(self) -> None:
        first = self.create(
            processes.make(
                processes.shell("echo said; sleep 61 & sleep 62 & wait")
            )
        )
        self.wait(first)

        for _ in range(2):
            # A worker may have been killed meanwhile.
            second = self.adopt(first.physical_id or "")

        self.assertIsNone(self.plugin.check(second))
        log = str(self.plugin.read_attributes(second, ["log"])["log"])
        self.assertIn(_OTHER, log)
        self.assertEqual(["said"], self.shown_lines(second))
        self.assertEqual(
            self.plugin.get_reality(second)["command"],
            first.properties["command"],
        )
        self.stop(first)
        self.assertTrue(self.is_alive(second))
        self.assertEqual(2, len(self.children(second)))

        third = self.adopt(first.physical_id or "", contexts.TOKEN)
        self.assertEqual(2, len(self.children(third)))
        self.stop(third)

        self.assertFalse(self.is_alive(third))
        self.assertEqual([], self.children(third))
        self.assertEqual([], contexts.names(self.store))

    def test_what_an_earlier_release_started_is_known(self) -> None:
        started = self.start_foreign({proc.TOKEN: contexts.TOKEN})
        pid, _, began = _identity(started.pid).partition(":")
        record = {
            "pid": int(pid),
            "started": int(began),
            "boot": proc.boot_id(),
            "command": ["python3"],
        }
        self.store.mkdir(parents=True)
        path = self.store / f"{contexts.TOKEN}.json"
        path.write_text(json.dumps(record))
        context = self.owned(started)

        self.assertEqual(context.physical_id, self.plugin.find(context))
        self.assertEqual(
            {"command": ["python3"]}, self.plugin.get_reality(context)
        )
        waiting.wait_for(
            lambda: self.plugin.check(context) is None, "it is well"
        )
        self.stop(context)

        self.assertEqual(-signal.SIGTERM, started.wait())
        self.assertEqual([], contexts.names(self.store))

    def test_an_adoption_goes_on_where_it_was_interrupted(self) -> None:
        first = self.create(processes.make(processes.shell("echo a; sleep 9")))
        self.wait(first)
        copied = (self.store / f"{contexts.TOKEN}.json").read_text()
        self.adopt(first.physical_id or "")
        (self.store / f"{contexts.TOKEN}.json").write_text(copied)

        second = self.adopt(first.physical_id or "")

        self.assertEqual(["a"], self.shown_lines(second))
        self.assertFalse((self.store / f"{contexts.TOKEN}.json").exists())
        self.stop(second)

    def test_children_of_a_lost_record_are_stopped(self) -> None:
        context = self.create(
            processes.make(processes.shell("sleep 61 & sleep 62 & wait"))
        )
        self.wait(context)
        os.kill(int((context.physical_id or "").split(":")[0]), signal.SIGKILL)
        self.wait_until_dead(context)
        for path in self.store.iterdir():
            path.unlink()
        self.assertEqual(2, len(self.children(context)))

        self.stop(context)

        self.assertEqual([], self.children(context))

    def children(self, context: call_context.Context) -> list[int]:
        identity = proc.parse_identity(context.physical_id or "")
        assert identity is not None
        return proc.list_children(identity, contexts.TOKEN)

    def shown_lines(self, context: call_context.Context) -> object:
        shown = self.plugin.show(context)
        assert isinstance(shown, dict)
        waiting.wait_for(lambda: shown["last_lines"], "its output")
        return shown["last_lines"]
