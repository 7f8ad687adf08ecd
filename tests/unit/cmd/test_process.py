"""Each case in a process of its own: it is about signals and exit codes."""

import signal
import subprocess
import sys

from tests import base

_SERVE = """
import sys
from orch.cmd import process

def command():
    signals = process.Signals()
    print("up", flush=True)
    process.serve_until_signal(
        signals,
        [lambda: print("first"), lambda: print("second")],
        "said",
    )

process.run_command(command)
"""

_HANG = """
import time
from orch.cmd import process

def command():
    signals = process.Signals()
    print("up", flush=True)
    process.serve_until_signal(
        signals,
        [lambda: print("stopping", flush=True), lambda: time.sleep(60)],
        "said",
    )

process.run_command(command)
"""

_ANY_THREAD = """
import signal, threading, time
from orch.cmd import process

def signal_this_thread():
    time.sleep(0.5)  # the main thread waits by then
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    time.sleep(60)

def command():
    signals = process.Signals()
    threading.Thread(target=signal_this_thread, daemon=True).start()
    process.serve_until_signal(signals, [lambda: print("stopped")], "said")

process.run_command(command)
"""

_END = """
import sys, threading
from orch import errors
from orch.cmd import process

def command():
    {body}

process.run_command(command)
"""


class ProcessTest(base.TestCase):
    def test_a_signal_to_any_thread_ends_the_process(self) -> None:
        started = self._start(_ANY_THREAD)
        self.addCleanup(started.kill)

        output, _ = started.communicate(timeout=20)

        self.assertEqual((0, "stopped\n"), (started.returncode, output))

    def _start(self, script: str) -> subprocess.Popen[str]:
        started = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(started.communicate)
        self.addCleanup(started.kill)
        return started

    def _end(self, body: str) -> tuple[int, str]:
        started = self._start(_END.format(body=body))
        _, said = started.communicate(timeout=30)
        return started.returncode, said

    def test_a_signal_stops_the_parts_in_order(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            started = self._start(_SERVE)
            assert started.stdout is not None
            self.assertEqual("up\n", started.stdout.readline())
            started.send_signal(number)
            said, _ = started.communicate(timeout=30)

            self.assertEqual(
                (0, "first\nsecond\n"), (started.returncode, said)
            )

    def test_a_second_signal_ends_at_once(self) -> None:
        started = self._start(_HANG)
        assert started.stdout is not None
        started.stdout.readline()
        started.send_signal(signal.SIGTERM)
        self.assertEqual("stopping\n", started.stdout.readline())
        started.send_signal(signal.SIGTERM)

        self.assertEqual(128 + signal.SIGTERM, started.wait(30))

    def test_a_thread_that_hangs_does_not_keep_the_process(self) -> None:
        code, _ = self._end(
            "threading.Thread(target=threading.Event().wait).start()"
        )

        self.assertEqual(0, code)

    def test_garbage_is_looked_for_less_often_than_python_would(self) -> None:
        _, said = self._end(
            "import gc; sys.stderr.write(str(gc.get_threshold()))"
        )

        self.assertEqual("(10000, 20, 10)", said)

    def test_the_answer_of_a_command_is_the_exit_code(self) -> None:
        self.assertEqual((3, ""), self._end("return 3"))

    def test_a_failure_is_told_in_one_line(self) -> None:
        for kind in ("process.Failure", "errors.Unavailable"):
            code, said = self._end(f"raise {kind}('no broker')")

            self.assertEqual(1, code)
            self.assertEqual("-c: no broker\n", said)

    def test_an_exit_keeps_its_code(self) -> None:
        self.assertEqual(2, self._end("sys.exit(2)")[0])
        self.assertEqual((1, "why\n"), self._end("sys.exit('why')"))
        self.assertEqual(0, self._end("sys.exit()")[0])

    def test_a_crash_shows_where(self) -> None:
        code, said = self._end("raise ValueError('odd')")

        self.assertEqual(1, code)
        self.assertIn("ValueError: odd", said)
