"""Runs the long random tests: ``python -m tools.soak [MODULE ...]``.

These are the test modules that draw how much they play from
``tests.support.soak``; with modules named, only those of them. Their seeds are
those of ``make test``, which plays the first part of each. The last line
counts; it stands in ``build/tests/summary-soak`` as well.
"""

import collections.abc
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


def choose(
    found: set[str], named: collections.abc.Collection[str]
) -> set[str]:
    """Return the modules to run.

    :param named: those alone; all for none
    :raises SystemExit: one of them plays no more in a soak
    """
    unknown = sorted(set(named) - found)
    if unknown:
        raise SystemExit(
            f"no module of a soak: {', '.join(unknown)}; there are:"
            f" {', '.join(sorted(found))}"
        )
    return set(named) or found


def main(arguments: collections.abc.Sequence[str] = ()) -> int:
    """Run them, phase by phase; return the exit code.

    :param arguments: the only modules to run; all without
    """
    os.environ[soak.VARIABLE] = "1"
    found = choose(modules(quick.Imports.read()), arguments)
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
    sys.exit(main(sys.argv[1:]))
