"""Runs the long random tests: ``python -m tools.soak``.

These are the test modules that draw how much they play from
``tests.support.soak``. Their seeds are those of ``make test``, which plays the
first part of each. The last line counts; it stands in
``build/tests/summary-soak`` as well.
"""

import dataclasses
import os
import pathlib
import re
import signal
import sys

from tests.support import soak
from tools import quick
from tools import run_tests

_SUMMARY = pathlib.Path("build/tests/summary-soak")
_MODULE = "tests.support.soak"
# Longer than the limit of any of its tests.
_STALL_S = 10_000


def modules(imports: quick.Imports) -> set[str]:
    """Return the test modules that play more in a soak.

    A module that takes its cases from one of them counts as well.
    """
    direct = {x for x in imports.importers({_MODULE}) if quick.is_test(x)}
    found = direct | imports.importers(direct)
    mirror = "tests.unit.support.test_soak"
    return {each for each in found if quick.is_test(each)} - {mirror}


def main() -> int:
    """Run them, phase by phase; return the exit code."""
    os.environ[soak.VARIABLE] = "1"
    found = modules(quick.Imports.read())
    run_tests.prepare()
    tally = run_tests.Tally()
    for phase in run_tests.PHASES:
        chosen = sorted(quick.of_phases(found, (phase.name,)))
        if chosen:
            names = "|".join(re.escape(each) for each in chosen)
            run_tests.run(
                dataclasses.replace(phase, stall_s=_STALL_S),
                tally,
                rf"^({names})\.",
            )
    run_tests.report(tally, _SUMMARY)
    return 0 if tally.is_good() else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, run_tests.end)
    sys.exit(main())
