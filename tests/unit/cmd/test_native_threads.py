import importlib.metadata
import subprocess
import sys

from orch.cmd import native_threads
from tests import base

_COMMANDS = ("all", "api", "engine", "manage")

# Runs in a fresh interpreter: this one may have loaded anything before.
_SCRIPT = """
import importlib, sys
importlib.import_module("orch.cmd.{name}")
importlib.import_module("oslo_messaging")
from oslo_service import backend
assert "oslo_messaging._drivers.impl_rabbit" in sys.modules
loaded = [name for name in sys.modules if name.startswith("eventlet")]
print(loaded, backend.get_backend_type().value)
"""


class NativeThreadsTest(base.TestCase):
    def test_no_command_loads_eventlet(self) -> None:
        # Where it is not installed this test shows nothing.
        self.assertTrue(importlib.metadata.version("eventlet"))
        for name in _COMMANDS:
            done = subprocess.run(
                [sys.executable, "-c", _SCRIPT.format(name=name)],
                capture_output=True,
                text=True,
                timeout=60,
            )

            self.assertEqual(
                "[] threading", done.stdout.strip(), f"{name}: {done.stderr}"
            )

    def test_eventlet_is_refused_and_nothing_else(self) -> None:
        find = native_threads._Refusal.find_spec

        for name in ("eventlet", "eventlet.green"):
            self.assertRaises(ModuleNotFoundError, find, name)
        for name in ("eventlets", "os", "oslo_service"):
            self.assertIsNone(find(name))

    def test_a_second_call_changes_nothing(self) -> None:
        native_threads.block_eventlet()
        before = list(sys.meta_path)
        native_threads.block_eventlet()

        self.assertEqual(before, sys.meta_path)
