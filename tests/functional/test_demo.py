"""The demo of the README plays to its end."""

import pathlib
import subprocess
import sys

from tests import base

_TOP = pathlib.Path(__file__).parents[2]


class DemoTest(base.TestCase):
    limit_s = 180

    def test_the_demo_shows_drift_and_ends_without_a_stack(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "tools.demo"],
            cwd=_TOP,
            capture_output=True,
            text=True,
            check=False,
        )

        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("drifted, coverage", done.stdout)
        self.assertRegex(done.stdout, r"list the stacks\n +\[\]\n\nplayed in")
