import json
import os
import subprocess
import sys

from orch.resources.local import launcher
from tests import base


class LauncherTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.make_directory()

    def run_launcher(self, order: str) -> subprocess.CompletedProcess[str]:
        numbers = [
            number
            for number in json.loads(order or "{}").values()
            if isinstance(number, int)
        ]
        return subprocess.run(
            [sys.executable, "-I", "-S", launcher.__file__],
            input=order,
            capture_output=True,
            text=True,
            pass_fds=numbers,
        )

    def order(self, *command: str) -> str:
        store = os.open(self.place, os.O_RDONLY | os.O_DIRECTORY)
        lock = os.open(self.place / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        for number in (store, lock):
            self.addCleanup(os.close, number)
        return json.dumps(
            {
                "store": store,
                "lock": lock,
                "record": "record",
                "boot": "boot",
                "command": command,
                "environment": {"PATH": os.environ["PATH"]},
            }
        )

    def test_it_becomes_the_command_that_it_recorded(self) -> None:
        done = self.run_launcher(self.order("sh", "-c", "echo $$"))

        record = json.loads((self.place / "record").read_text())
        self.assertEqual((0, ""), (done.returncode, done.stdout))
        self.assertEqual(done.stderr.strip(), str(record["pid"]))
        self.assertEqual("boot", record["boot"])

    def test_without_an_order_it_starts_nothing(self) -> None:
        done = self.run_launcher("")

        self.assertEqual((1, ""), (done.returncode, done.stdout))
        self.assertEqual([], list(self.place.iterdir()))

    def test_a_command_that_cannot_run_leaves_no_record(self) -> None:
        done = self.run_launcher(self.order("/no/such/thing"))

        self.assertEqual(127, done.returncode)
        self.assertIn("/no/such/thing cannot be run", done.stdout)
        self.assertFalse((self.place / "record").exists())
