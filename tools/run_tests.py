# The commands run here are our own, and found on the PATH on purpose.
# ruff: noqa: S603
"""Runs the tests with stestr, and says plainly what ran and what did not.

``python -m tools.run_tests [PHASE ...]``, of ``unit``, ``contract``,
``functional``, ``scenarios`` and ``chaos``; without one, all that have
tests. What fails is told at the end, in a line each and then whole; while the
tests run it stands in ``build/tests/failures``. The last line counts; it
stands in ``build/tests/summary`` as well.

A test that failed beside others is run again alone, twice. If it passes both
times it is called unsteady, counted and named at the end; how it failed is in
the same file. That is a defect of the test or of the product, and to be
mended. More than a few of them fail the run.
"""

import collections
import collections.abc
import compileall
import dataclasses
import pathlib
import re
import subprocess
import sys
import threading
import time
import typing

import subunit
import testtools

from tests.support import apart as programs
from tests.support import services
from tools import apart

_TESTS = pathlib.Path("tests")
_SOURCES = ("orch", "orchclient", "tests", "tools")
_LOGS = pathlib.Path("build/tests")
_SUMMARY = _LOGS / "summary"
_FAILURES = _LOGS / "failures"
_LOOKS_EVERYWHERE = "unit"
_NEEDS_MORE = "functional"
# So many of the last characters of a log are printed.
_TAIL = 2000
# So long is a line that tells of a failure.
_LINE = 300
_MOST_UNSTEADY = 16
_TIMES_AGAIN = 2


@dataclasses.dataclass(frozen=True)
class Phase:
    """Tests that run together.

    :ivar workers: how many run at a time on two cores; more than two where
        tests wait more than they compute
    :ivar limit_s: after this many seconds the phase has failed
    """

    name: str
    workers: int
    limit_s: int

    @property
    def path(self) -> pathlib.Path:
        """Return where its tests are looked for.

        Each of its processes imports all modules that are there. Those of
        the unit tests, which everybody runs, look everywhere: a module that
        cannot be imported fails the phase, whether its tests would run or
        not.
        """
        return _TESTS if self.name == _LOOKS_EVERYWHERE else self._own

    @property
    def _own(self) -> pathlib.Path:
        return _TESTS / self.name

    def has_tests(self) -> bool:
        """Answer whether there is any file of tests."""
        return any(self._own.rglob("test_*.py"))


PHASES = (
    Phase("unit", workers=2, limit_s=600),
    Phase("contract", workers=2, limit_s=900),
    Phase("functional", workers=4, limit_s=1800),
    Phase("scenarios", workers=2, limit_s=1800),
    Phase("chaos", workers=3, limit_s=1800),
)


@dataclasses.dataclass
class Tally:
    """What came of the tests so far.

    :ivar failed: what went wrong, by the name of the test
    :ivar unsteady: the same, of tests that passed when they ran alone
    :ivar skipped: reason to number of tests
    :ivar broken: phases that did not end as they should
    :ivar left_out: what was not there to be tested with, and why
    """

    passed: int = 0
    failed: dict[str, str] = dataclasses.field(default_factory=dict)
    unsteady: dict[str, str] = dataclasses.field(default_factory=dict)
    skipped: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter
    )
    broken: list[str] = dataclasses.field(default_factory=list)
    left_out: list[str] = dataclasses.field(default_factory=list)

    def count(self, test: dict[str, object]) -> None:
        """Count one test, as testtools' ``StreamToDict`` describes it."""
        if test["status"] in ("success", "xfail"):
            self.passed += 1
        elif test["status"] == "skip":
            self.skipped[_reason_of(test)] += 1
        elif test["status"] != "exists":
            name, text = str(test["id"]), _text_of(test)
            self.failed[name] = text
            _note(name, text)

    def line(self) -> str:
        """Return the line that ends the output."""
        skipped = self.skipped.total()
        failed = len(self.failed) or len(self.broken)
        line = f"{self.passed} passed, {failed} failed, {skipped} skipped"
        if self.unsteady:
            line += f", {len(self.unsteady)} UNSTEADY"
        return line

    def is_good(self) -> bool:
        """Answer whether tests ran and none failed."""
        return bool(self.passed) and not self.failed and not self.broken

    def forgive(self, names: collections.abc.Collection[str]) -> None:
        """Count failures as unsteady: these passed when they ran alone."""
        for name in names:
            self.unsteady[name] = self.failed.pop(name)
        self.passed += len(names)


def _note(name: str, text: str) -> None:
    """Write a failure down, for who cannot wait until the end."""
    _LOGS.mkdir(parents=True, exist_ok=True)
    with _FAILURES.open("a", encoding="utf-8") as failures:
        failures.write(f"\n-- {name}\n{text}\n")


def _last_line_of(text: str) -> str:
    return text.splitlines()[-1][:_LINE]


def _reason_of(test: dict[str, object]) -> str:
    details = test["details"]
    assert isinstance(details, dict)
    reason = details.get("reason")
    return reason.as_text().strip() if reason else "no reason given"


def _text_of(test: dict[str, object]) -> str:
    """Return what a test left: its traceback last, the rest cut short."""
    details = test["details"]
    assert isinstance(details, dict)
    texts = {
        name: detail.as_text().strip()
        for name, detail in details.items()
        if detail.content_type.type == "text"
    }
    traceback = texts.pop("traceback", "")
    others = [f"{name}: {text[-_TAIL:]}" for name, text in texts.items()]
    return "\n".join([*others, traceback or "it left no traceback"])


def run(phase: Phase, tally: Tally) -> None:
    """Run one phase and add what came of it to the tally.

    What the tests print goes to ``build/tests/PHASE.log``.
    """
    started, before = time.monotonic(), tally.passed
    known = set(tally.failed)
    code, is_over = _stestr(
        phase, tally, phase.workers, rf"^tests\.{phase.name}\."
    )
    failed = [name for name in tally.failed if name not in known]
    if is_over:
        tally.broken.append(f"{phase.name}: not done in {phase.limit_s} s")
    elif code and not failed:
        log = _log(phase).read_text(errors="replace")[-_TAIL:]
        tally.broken.append(f"{phase.name}: stestr exited with {code}\n{log}")
    elif failed and len(failed) + len(tally.unsteady) <= _MOST_UNSTEADY:
        tally.forgive(_passing_alone(phase, failed))
    line = f"{phase.name}: {tally.passed - before} passed"
    if len(tally.failed) > len(known):
        line += f", {len(tally.failed) - len(known)} failed"
    print(f"{line}, {time.monotonic() - started:.0f} s", flush=True)


def _passing_alone(
    phase: Phase, names: collections.abc.Sequence[str]
) -> list[str]:
    """Return those of the tests that pass each time they run alone."""
    left = list(names)
    for _ in range(_TIMES_AGAIN):
        if not left:
            break
        print(f"{phase.name}: {len(left)} again, alone ...", flush=True)
        again = Tally()
        wanted = "|".join(re.escape(name) for name in left)
        _, is_over = _stestr(phase, again, 1, f"^({wanted})$")
        if is_over or again.passed + len(again.failed) != len(left):
            return []
        left = [name for name in left if name not in again.failed]
    return left


def _stestr(
    phase: Phase, tally: Tally, workers: int, wanted: str
) -> tuple[int, bool]:
    """Run the tests whose names match; count them.

    :returns: exit code, and whether the phase's time was over
    """
    command = command_of(phase, workers, wanted)
    _LOGS.mkdir(parents=True, exist_ok=True)
    with (
        _log(phase).open("ab") as stderr,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=stderr
        ) as stestr,
    ):
        limit = threading.Timer(phase.limit_s, stestr.kill)
        # Who is interrupted does not wait for it.
        limit.daemon = True
        limit.start()
        _read(stestr.stdout, tally)
        code = stestr.wait()
        is_over = not limit.is_alive()
        limit.cancel()
    return code, is_over


def command_of(phase: Phase, workers: int, wanted: str) -> tuple[str, ...]:
    """Return what runs the tests of a phase whose names match."""
    return (
        *(sys.executable, "-m", "stestr", "--test-path", str(phase.path)),
        *("run", "--subunit", "--concurrency", str(workers)),
        wanted,
    )


def _log(phase: Phase) -> pathlib.Path:
    return _LOGS / f"{phase.name}.log"


def _read(stream: typing.IO[bytes] | None, tally: Tally) -> None:
    assert stream is not None
    sink = testtools.StreamToDict(tally.count)
    sink.startTestRun()
    subunit.ByteStreamToStreamResult(stream, non_subunit_name="stdout").run(
        sink
    )
    sink.stopTestRun()


def report(tally: Tally, summary: pathlib.Path = _SUMMARY) -> None:
    """Print what was left out, what broke, and the counts, last.

    :param summary: the file that the counts are written to as well
    """
    print("\n== summary ==")
    for server in services.SERVERS:
        reason = services.why_missing(server.name)
        if reason:
            print(f"!! LEFT OUT, {reason}")
    for what in tally.left_out:
        print(f"!! LEFT OUT, {what}")
    for reason, number in sorted(tally.skipped.items()):
        print(f"skipped {number}: {reason}")
    for what in tally.broken:
        print(f"!! BROKEN, {what}")
    for name, text in tally.unsteady.items():
        print(f"!! UNSTEADY, {name}: {_last_line_of(text)}")
    for name, text in tally.failed.items():
        print(f"!! FAILED, {name}: {_last_line_of(text)}")
    for name, text in tally.failed.items():
        print(f"\n-- {name}\n{text}")
    print(tally.line())
    _LOGS.mkdir(parents=True, exist_ok=True)
    summary.write_text(tally.line() + "\n", encoding="utf-8")


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
    for old in (*_LOGS.glob("*.log"), _FAILURES):
        old.unlink(missing_ok=True)
    tally = Tally()
    # Hundreds of processes are started; none shall compile all of it again.
    for source in _SOURCES:
        compileall.compile_dir(source, quiet=2, workers=2)
    if not names or _NEEDS_MORE in names:
        for each in programs.ALL:
            fault = apart.provide(each)
            if fault is not None:
                tally.left_out.append(f"{each.title}: {fault}")
    for phase in PHASES:
        if (not names or phase.name in names) and phase.has_tests():
            run(phase, tally)
    report(tally)
    return 0 if tally.is_good() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
