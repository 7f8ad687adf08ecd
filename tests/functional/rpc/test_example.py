"""The example of a program that speaks to the workers over RabbitMQ."""

import ast
import pathlib
import subprocess
import sys
import threading
import typing

from tests import base
from tests.support import running

_ROOT: typing.Final = pathlib.Path(__file__).parents[3]
_EXAMPLE: typing.Final = _ROOT / "doc" / "examples" / "rpc_client.py"
_TEMPLATE: typing.Final = _ROOT / "examples" / "retry.yaml"
_LIMIT_S: typing.Final = 120


class ExampleTests(base.TestCase):
    limit_s = 240

    def test_it_takes_a_stack_through_its_life(self) -> None:
        found = self.useFixture(running.Distributed(workers=1))
        self.process = self.start(found.broker.url())

        before = self.read_until("Mend that")
        (found.system.root / "approved.txt").touch()
        said, _ = self.process.communicate("\n", timeout=_LIMIT_S)

        self.assertIn("event gate CREATE_FAILED", before)
        self.assertIn("CREATE is FAILED", before)
        (why,) = [each for each in before if each.startswith("failed ")]
        self.assertIn("failed gate: ", why)
        self.assertIn("approved.txt is missing", why)
        after = said.splitlines()
        self.assertIn("event announcement CREATE_COMPLETE", after)
        self.assertNotIn("event key CREATE_COMPLETE", after)
        self.assertEqual(
            ["CREATE is COMPLETE", "DELETE is COMPLETE"],
            [each for each in after if " is " in each],
        )
        self.assertRegex(said, "output announcement: .*announcement.txt")
        self.assertEqual(0, self.process.returncode)
        self.assertEqual(
            ["approved.txt"],
            [path.name for path in found.system.root.glob("*.txt")],
        )
        left = found.system.client.get("/stacks", "stacks")
        self.assertEqual([], left)

    def test_it_needs_nothing_of_orch_but_the_library(self) -> None:
        tree = ast.parse(_EXAMPLE.read_text())
        modules = {
            node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
        }
        plain = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        }

        self.assertEqual({"orch.rpc"}, modules)
        self.assertEqual(set(), plain - sys.stdlib_module_names)

    def start(self, url: str) -> subprocess.Popen[str]:
        started = subprocess.Popen(
            [sys.executable, _EXAMPLE, url, _TEMPLATE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        return started

    def read_until(self, mark: str) -> list[str]:
        """Return the lines before the one that begins so."""
        assert self.process.stdout is not None
        watchdog = threading.Timer(_LIMIT_S, self.process.kill)
        watchdog.start()
        self.addCleanup(watchdog.cancel)
        lines: list[str] = []
        for line in self.process.stdout:
            if line.startswith(mark):
                watchdog.cancel()
                return lines
            lines.append(line.rstrip("\n"))
        raise AssertionError(f"no {mark!r} in {lines}")
