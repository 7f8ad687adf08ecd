"""A fork is a process like any other, and the loss of its server is told."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import typing

import fixtures

from tests import base
from tests.support import forks
from tests.support import processes
from tests.support import waiting

_TELL = """
import json, os, sys
print(json.dumps({
    "name": __name__,
    "arguments": sys.argv[1:],
    "path": sys.path,
    "variables": dict(os.environ),
    "directory": os.getcwd(),
    "leads": os.getsid(0) == os.getpid() != os.getppid(),
    "input": sys.stdin.read(),
    "loaded": "wave" in sys.modules,
    "open": len(os.listdir("/proc/self/fd")),
}))
"""
# As it is below /tmp.
_NOT_KEPT = """
from stevedore import _cache
_cache._c._disable_caching = True
"""
_IS_KEPT = """
from stevedore import _cache
print(not _cache._c._disable_caching)
"""
_HANG = """
import time
print("hangs", flush=True)
time.sleep(600)
"""


class ForkTests(base.TestCase):
    server: typing.ClassVar[forks.Server]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.server = forks.Server(["wave", "no_module_has_this_name"])
        cls.addClassCleanup(cls.server.close)

    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()
        self.log = self.directory / "log"

    def script(self, text: str) -> str:
        path = self.directory / "script"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def complete(
        self, text: str, *arguments: str, **more: str
    ) -> processes.Done:
        return processes.complete(
            (self.script(text), *arguments),
            os.environ | more,
            launch=self.server.launch,
        )

    def hang(self, server: forks.Server) -> forks.Child:
        """Return a child that runs, and would for long."""
        with self.log.open("ab") as output:
            child = server.launch((self.script(_HANG),), os.environ, output)
        self.addCleanup(self.end, child)
        waiting.wait_for(lambda: "hangs" in self.log.read_text(), "output")
        return child

    def end(self, child: forks.Child) -> None:
        if pathlib.Path(f"/proc/{child.pid}").exists():
            os.kill(child.pid, signal.SIGKILL)

    def test_a_child_has_what_it_was_given_and_nothing_else(self) -> None:
        plugins = str(self.directory / "plugins")
        before = os.environ.get("PYTHONPATH", "")

        done = self.complete(
            _TELL, "one", "two", ONE="1", PYTHONPATH=f"{plugins}:{before}"
        )

        self.assertEqual((0, ""), (done.code, done.errors))
        told = json.loads(done.output)
        self.assertEqual("__main__", told["name"])
        self.assertEqual(["one", "two"], told["arguments"])
        self.assertEqual([str(self.directory), plugins], told["path"][:2])
        self.assertEqual("1", told["variables"]["ONE"])
        self.assertEqual(str(pathlib.Path.cwd()), told["directory"])
        self.assertTrue(told["leads"])
        self.assertEqual("", told["input"])
        self.assertTrue(told["loaded"])
        # Its three streams, and the one that lists them.
        self.assertEqual(4, told["open"])

    def test_variables_and_path_are_those_of_a_new_process(self) -> None:
        script = self.script(_TELL)
        own = {k: v for k, v in os.environ.items() if k.startswith("PYTHON")}
        own["PYTHONPATH"] = str(self.directory / "plugins")
        told, expected = (
            json.loads(
                processes.complete(
                    (*prefix, script), own, launch=launch
                ).output
            )
            for prefix, launch in (
                ((), self.server.launch),
                ((sys.executable,), processes.execute),
            )
        )

        expected["variables"].pop("LC_CTYPE", None)
        for each in ("path", "variables", "arguments", "leads", "open"):
            self.assertEqual(expected[each], told[each], each)

    def test_a_child_may_have_a_directory(self) -> None:
        with self.log.open("ab") as output:
            child = self.server.launch(
                (self.script(_TELL),),
                os.environ,
                output,
                directory=self.directory,
            )

        self.assertEqual(0, child.wait(20))
        told = json.loads(self.log.read_text())
        self.assertEqual(str(self.directory), told["directory"])

    def test_the_path_of_one_child_is_not_that_of_the_next(self) -> None:
        package = self.directory / "plugins"
        package.mkdir()
        module = package / "orch_test_found.py"
        text = "import orch_test_found; print(orch_test_found.WORD)"

        missing = self.complete(text, PYTHONPATH=str(package))
        module.write_text("WORD = 'here'")
        found = self.complete(text, PYTHONPATH=str(package))
        gone = self.complete(text)

        self.assertIn("ModuleNotFoundError", missing.errors)
        self.assertEqual((0, "here\n"), (found.code, found.output))
        self.assertIn("ModuleNotFoundError", gone.errors)

    def test_each_way_to_end_has_its_code(self) -> None:
        codes = [
            self.complete(text).code
            for text in (
                "pass",
                "raise SystemExit(3)",
                "raise ValueError('wrong')",
                "import os; os._exit(4)",
                "import os; os.kill(os.getpid(), 15)",
            )
        ]

        self.assertEqual([0, 3, 1, 4, -signal.SIGTERM], codes)

    def test_output_and_errors_go_where_they_were_sent(self) -> None:
        text = "import sys; print('out'); sys.exit('wrong')"

        done = self.complete(text)
        with self.log.open("ab") as output:
            command = (self.script(text),)
            self.server.launch(command, os.environ, output).wait(20)

        self.assertEqual((1, "out\n", "wrong\n"), done)
        self.assertEqual(
            ["out", "wrong"], sorted(self.log.read_text().split())
        )

    def test_a_child_can_be_frozen_and_killed(self) -> None:
        child = self.hang(self.server)

        os.kill(child.pid, signal.SIGSTOP)
        waiting.wait_for(lambda: self.state(child) == "T", "the stop")
        self.assertIsNone(child.poll())
        self.assertRaises(subprocess.TimeoutExpired, child.wait, 0.01)
        os.kill(child.pid, signal.SIGKILL)

        self.assertEqual(-signal.SIGKILL, child.wait(20))
        self.assertEqual(-signal.SIGKILL, child.poll())
        self.assertFalse(pathlib.Path(f"/proc/{child.pid}").exists())

    def state(self, child: forks.Child) -> str:
        text = pathlib.Path(f"/proc/{child.pid}/stat").read_text()
        return text.rsplit(")", 1)[1].split()[0]

    def test_a_process_id_is_its_own_until_the_end_is_known(self) -> None:
        child = self.hang(self.server)

        os.kill(child.pid, signal.SIGKILL)
        waiting.wait_for(lambda: self.state(child) == "Z", "the end")
        os.kill(child.pid, signal.SIGCONT)

        self.assertEqual(-signal.SIGKILL, child.wait(20))
        self.assertFalse(pathlib.Path(f"/proc/{child.pid}").exists())

    def test_an_answer_that_nobody_waited_for_is_left_out(self) -> None:
        child = self.hang(self.server)
        hear = self.server._hear
        self.patch(self.server, "_hear", self.interrupt)

        self.assertRaises(KeyboardInterrupt, self.complete, "pass")

        self.patch(self.server, "_hear", hear)
        os.kill(child.pid, signal.SIGKILL)
        self.assertEqual(-signal.SIGKILL, child.wait(20))
        self.assertEqual(7, self.complete("raise SystemExit(7)").code)

    def interrupt(self, timeout_s: float) -> bytes:
        raise KeyboardInterrupt

    def test_one_that_is_late_is_killed(self) -> None:
        self.assertRaises(
            subprocess.TimeoutExpired,
            processes.complete,
            (self.script(_HANG),),
            os.environ,
            timeout_s=0.1,
            launch=self.server.launch,
        )

    def test_a_variable_that_no_fork_heeds_is_refused(self) -> None:
        error = self.assertRaises(
            ValueError, self.complete, "pass", PYTHONHASHSEED="7"
        )

        self.assertIn("PYTHONHASHSEED", str(error))

    def test_the_loss_of_the_server_is_told(self) -> None:
        server = forks.Server(["wave"])
        self.addCleanup(server.close)
        child = self.hang(server)

        os.kill(server.pid, signal.SIGKILL)

        self.assertRaises(forks.LostError, child.wait, 20)
        self.assertRaises(forks.LostError, self.hang, server)

    def test_entry_points_are_kept_below_tmp_too(self) -> None:
        (self.directory / "orch_test_not_kept.py").write_text(_NOT_KEPT)
        self.useFixture(
            fixtures.EnvironmentVariable("PYTHONPATH", str(self.directory))
        )
        server = forks.Server(["orch_test_not_kept"])
        self.addCleanup(server.close)

        done = processes.complete(
            (self.script(_IS_KEPT),), os.environ, launch=server.launch
        )

        self.assertEqual((0, "True\n", ""), done)

    def test_a_server_that_would_fork_threads_does_not_begin(self) -> None:
        (self.directory / "orch_test_thread.py").write_text(
            "import threading\n"
            "wait = threading.Event().wait\n"
            "threading.Thread(target=wait, daemon=True).start()\n"
        )
        self.useFixture(
            fixtures.EnvironmentVariable("PYTHONPATH", str(self.directory))
        )

        self.assertRaises(forks.LostError, forks.Server, ["orch_test_thread"])
