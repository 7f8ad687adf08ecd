"""Templates that Heat has answered get the same answers from us.

The cases and what runs them lie outside of this repository, where
``ORCH_SHARED`` says. Quirks of Heat among them are passed over.
"""

import json
import subprocess
import sys

from tests import base
from tests.support import running
from tests.support import shared

_RUN = shared.CONFORMANCE / "run"
_PROJECT = "conformance-project"
_LIMIT_S = 240


class ConformanceTest(base.TestCase):
    limit_s = _LIMIT_S + 60

    def test_all_cases_are_answered_as_heat_does(self) -> None:
        if not _RUN.exists():
            self.skipTest(shared.missing(_RUN))
        system = self.useFixture(running.Embedded()).system
        endpoint = system.endpoint.rpartition("/")[0]
        failures = self.make_directory() / "failures"

        done = subprocess.run(
            [
                *(sys.executable, str(_RUN)),
                *("--endpoint", f"{endpoint}/{_PROJECT}"),
                *("--failures", str(failures)),
            ],
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )

        self.assertTrue(failures.exists(), done.stderr)
        self.assertIn(" passed, ", done.stdout, done.stderr)
        lines = failures.read_text(encoding="utf-8").splitlines()
        found = {
            failure["id"]: failure["why"] for failure in map(json.loads, lines)
        }
        self.assertEqual({}, found)
