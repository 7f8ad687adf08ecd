import json
import os
import pathlib
import sys
import textwrap

from orch import errors
from orch.lifecycle_plugins import command
from orch.lifecycle_plugins import wire
from orch.plugin import lifecycle
from tests.support import patterns
from tests.support import waiting
from tests.unit.lifecycle_plugins import judged


class CommandTest(judged.PluginTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.make_directory()

    def plugin(self, code: str, **more: object) -> command.Command:
        path = self.place / "judge.py"
        path.write_text(textwrap.dedent(code))
        return command.Command(
            "command",
            {
                "argv": [sys.executable, str(path)],
                "directory": str(self.place),
                **more,
            },
        )

    def ask(self, plugin: command.Command) -> lifecycle.Verdict:
        return self.judge(plugin, patterns.make_operation(patterns.stack()))

    def fail(self, plugin: command.Command) -> str:
        error = self.assertRaises(command.Failed, self.ask, plugin)
        return str(error.message)

    def test_the_verdict_is_what_it_writes(self) -> None:
        plugin = self.plugin(
            """
            import json, sys
            call = json.load(sys.stdin)
            print(json.dumps({
                "ruling": "warn",
                "text": call["phase"] + " " + call["after"]["name"],
            }))
            """
        )

        self.assertEqual(lifecycle.warn("pre app"), self.ask(plugin))

    def test_one_that_says_nothing_allows(self) -> None:
        self.assertEqual(lifecycle.allow(), self.ask(self.plugin("")))

    def test_it_need_not_read_a_large_pattern(self) -> None:
        plugin = self.plugin('print(\'{"ruling": "allow"}\')')
        large = patterns.stack(parameters={"text": "x" * 1_000_000})

        found = self.judge(plugin, patterns.make_operation(large))

        self.assertEqual(lifecycle.allow(), found)

    def test_it_may_write_while_it_reads(self) -> None:
        plugin = self.plugin(
            """
            import sys
            while piece := sys.stdin.read(1000):
                sys.stderr.write(piece)
            """
        )
        large = patterns.stack(parameters={"text": "x" * 400_000})

        self.assertEqual(
            lifecycle.allow(),
            self.judge(plugin, patterns.make_operation(large)),
        )

    def test_the_outcome_is_told(self) -> None:
        plugin = self.plugin(
            """
            import pathlib, sys
            pathlib.Path("told").write_text(sys.stdin.read())
            """
        )

        plugin.post_operation(
            patterns.make_operation(patterns.stack()),
            lifecycle.OperationResult(
                outcome=lifecycle.Outcome.CANCELLED, reason="by ann"
            ),
        )

        told = json.loads((self.place / "told").read_text())
        self.assertEqual("cancelled", told["ended"]["outcome"])

    def test_it_gets_little_of_the_environment(self) -> None:
        os.environ["ORCH_TEST_SECRET"] = "hidden"
        self.addCleanup(os.environ.pop, "ORCH_TEST_SECRET")
        plugin = self.plugin(
            """
            import json, os, pathlib
            pathlib.Path("seen").write_text(json.dumps(dict(os.environ)))
            """,
            environment={"TEAM": "cloud"},
        )

        self.ask(plugin)

        operation = json.loads((self.place / "seen").read_text())
        self.assertNotIn("ORCH_TEST_SECRET", operation)
        self.assertEqual("cloud", operation["TEAM"])
        self.assertEqual(
            "operation-1.1.pre.command", operation["ORCH_CALL_ID"]
        )
        self.assertEqual(os.environ["PATH"], operation["PATH"])

    def test_another_code_than_0_is_an_error_with_what_it_said(self) -> None:
        told = self.fail(self.plugin("import sys; sys.exit('no\\nticket')"))

        self.assertIn("ended with code 1: no ticket", told)

    def test_what_is_no_verdict_is_an_error(self) -> None:
        plugin = self.plugin("print('fine')")

        self.assertRaises(wire.BadAnswer, self.ask, plugin)

    def test_one_that_is_not_there_is_an_error(self) -> None:
        plugin = command.Command("c", {"argv": ["/does/not/exist"]})

        self.assertIn("cannot be run", self.fail(plugin))

    def test_when_its_time_is_over_all_of_it_is_killed(self) -> None:
        plugin = self.plugin(
            """
            import os, pathlib, subprocess, sys, time
            child = subprocess.Popen(
                [sys.executable, "-c", "import time; time.sleep(600)"])
            pathlib.Path("pids").write_text(f"{os.getpid()} {child.pid}")
            time.sleep(600)
            """,
            time_limit=2,
        )

        self.assertIn("was killed after 2 s", self.fail(plugin))
        for pid in (self.place / "pids").read_text().split():
            waiting.wait_for(lambda pid=pid: has_ended(int(pid)), pid)

    def test_what_it_leaves_behind_is_killed_too(self) -> None:
        plugin = self.plugin(
            """
            import pathlib, subprocess, sys
            child = subprocess.Popen(
                [sys.executable, "-c", "import time; time.sleep(600)"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            pathlib.Path("pid").write_text(str(child.pid))
            """
        )

        self.assertEqual(lifecycle.allow(), self.ask(plugin))
        pid = int((self.place / "pid").read_text())
        waiting.wait_for(lambda: has_ended(pid), pid)

    def test_it_may_not_write_without_end(self) -> None:
        plugin = self.plugin("while True: print('x' * 10000)")

        self.assertIn("wrote more than", self.fail(plugin))

    def test_the_program_is_a_whole_path(self) -> None:
        error = self.assertRaises(
            errors.Invalid, command.Command, "c", {"argv": ["judge"]}
        )

        self.assertIn("has to be a whole path", error.message)


def has_ended(pid: int) -> bool:
    """Answer whether a process is gone, or nobody has buried it yet."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return text.rpartition(")")[2].split()[0] == "Z"
