# The commands run here are our own, and found on the PATH on purpose.
# ruff: noqa: S603
"""Runs the tests with stestr, and says plainly what ran and what did not.

``python -m tools.run_tests [PHASE ...]``, of ``unit``, ``contract``,
``functional`` and ``chaos``; without one, all that have tests. The last line
counts; it stands in ``.stestr/summary`` as well.
"""

import collections
import collections.abc
import dataclasses
import io
import pathlib
import subprocess
import sys

import subunit
import testtools

from tests.support import services

_TESTS = pathlib.Path("tests")
_SUMMARY = pathlib.Path(".stestr/summary")


@dataclasses.dataclass(frozen=True)
class Phase:
    """Tests that run together.

    :ivar limit_s: after this many seconds the phase has failed
    """

    name: str
    workers: int
    limit_s: int

    def has_tests(self) -> bool:
        """Answer whether there is any file of tests."""
        return any((_TESTS / self.name).rglob("test_*.py"))


PHASES = (
    Phase("unit", workers=2, limit_s=600),
    Phase("contract", workers=2, limit_s=900),
    Phase("functional", workers=2, limit_s=1800),
    Phase("chaos", workers=1, limit_s=3600),
)


@dataclasses.dataclass
class Tally:
    """What came of the tests so far.

    :ivar skipped: reason to number of tests
    :ivar broken: phases that did not end as they should
    """

    passed: int = 0
    failed: int = 0
    skipped: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter
    )
    broken: list[str] = dataclasses.field(default_factory=list)

    def count(self, test: dict[str, object]) -> None:
        """Count one test, as testtools' ``StreamToDict`` describes it."""
        if test["status"] in ("success", "xfail"):
            self.passed += 1
        elif test["status"] == "skip":
            self.skipped[_reason_of(test)] += 1
        elif test["status"] != "exists":
            self.failed += 1

    def line(self) -> str:
        """Return the line that ends the output."""
        skipped = self.skipped.total()
        failed = self.failed + (0 if self.failed else len(self.broken))
        return f"{self.passed} passed, {failed} failed, {skipped} skipped"

    def is_good(self) -> bool:
        """Answer whether tests ran and none failed."""
        return bool(self.passed) and not self.failed and not self.broken


def _reason_of(test: dict[str, object]) -> str:
    details = test["details"]
    assert isinstance(details, dict)
    reason = details.get("reason")
    return reason.as_text().strip() if reason else "no reason given"


def run(phase: Phase, tally: Tally) -> None:
    """Run one phase and add what came of it to the tally."""
    print(f"\n== {phase.name} ==", flush=True)
    command = (
        *(sys.executable, "-m", "stestr", "run"),
        *("--concurrency", str(phase.workers)),
        rf"^tests\.{phase.name}\.",
    )
    try:
        code = subprocess.run(
            command, timeout=phase.limit_s, check=False
        ).returncode
    except subprocess.TimeoutExpired:
        tally.broken.append(f"{phase.name}: not done in {phase.limit_s} s")
        return
    before = tally.failed
    _read_last(tally)
    if code and tally.failed == before:
        tally.broken.append(f"{phase.name}: stestr exited with {code}")


def _read_last(tally: Tally) -> None:
    last = subprocess.run(
        (sys.executable, "-m", "stestr", "last", "--subunit"),
        capture_output=True,
        check=False,
    ).stdout
    sink = testtools.StreamToDict(tally.count)
    sink.startTestRun()
    subunit.ByteStreamToStreamResult(
        io.BytesIO(last), non_subunit_name="stdout"
    ).run(sink)
    sink.stopTestRun()


def report(tally: Tally) -> None:
    """Print what was left out, what broke, and the counts, last."""
    print("\n== summary ==")
    for server in services.SERVERS:
        reason = services.why_missing(server.name)
        if reason:
            print(f"!! LEFT OUT, {reason}")
    for reason, number in sorted(tally.skipped.items()):
        print(f"skipped {number}: {reason}")
    for what in tally.broken:
        print(f"!! BROKEN, {what}")
    print(tally.line())
    _SUMMARY.parent.mkdir(exist_ok=True)
    _SUMMARY.write_text(tally.line() + "\n", encoding="utf-8")


def main(names: collections.abc.Sequence[str]) -> int:
    """Run these phases; return the exit code.

    :param names: empty for all
    """
    known = {phase.name for phase in PHASES}
    unknown = set(names) - known
    if unknown:
        print(f"no such phase: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    _SUMMARY.unlink(missing_ok=True)
    tally = Tally()
    for phase in PHASES:
        if (not names or phase.name in names) and phase.has_tests():
            run(phase, tally)
    report(tally)
    return 0 if tally.is_good() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
