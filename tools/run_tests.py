# The commands run here are our own, and found on the PATH on purpose.
# ruff: noqa: S603
"""Runs the tests with stestr, and says plainly what ran and what did not.

``python -m tools.run_tests [PHASE ...]``, of ``unit``, ``contract``,
``functional``, ``scenarios`` and ``chaos``; without one, all that have
tests. A failure is printed when it happens, and named again at the end. The
last line counts; it stands in ``build/tests/summary`` as well.
"""

import collections
import collections.abc
import dataclasses
import pathlib
import subprocess
import sys
import threading
import time
import typing

import subunit
import testtools

from tests.support import services

_TESTS = pathlib.Path("tests")
_LOGS = pathlib.Path("build/tests")
_SUMMARY = _LOGS / "summary"
# So many of the last characters of a log are printed.
_TAIL = 2000


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
    Phase("scenarios", workers=2, limit_s=1800),
    Phase("chaos", workers=1, limit_s=3600),
)


@dataclasses.dataclass
class Tally:
    """What came of the tests so far.

    :ivar failed: what went wrong, by the name of the test
    :ivar skipped: reason to number of tests
    :ivar broken: phases that did not end as they should
    """

    passed: int = 0
    failed: dict[str, str] = dataclasses.field(default_factory=dict)
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
            name, text = str(test["id"]), _text_of(test)
            self.failed[name] = text
            print(f"FAILED {name}\n{text}\n", flush=True)

    def line(self) -> str:
        """Return the line that ends the output."""
        skipped = self.skipped.total()
        failed = len(self.failed) or len(self.broken)
        return f"{self.passed} passed, {failed} failed, {skipped} skipped"

    def is_good(self) -> bool:
        """Answer whether tests ran and none failed."""
        return bool(self.passed) and not self.failed and not self.broken


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
    print(f"\n== {phase.name} ==", flush=True)
    started, before = time.monotonic(), tally.passed
    command = (
        *(sys.executable, "-m", "stestr", "run", "--subunit"),
        *("--concurrency", str(phase.workers)),
        rf"^tests\.{phase.name}\.",
    )
    _LOGS.mkdir(parents=True, exist_ok=True)
    log = _LOGS / f"{phase.name}.log"
    failures = len(tally.failed)
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=stderr
        ) as stestr,
    ):
        limit = threading.Timer(phase.limit_s, stestr.kill)
        limit.start()
        _read(stestr.stdout, tally)
        code = stestr.wait()
        is_over = not limit.is_alive()
        limit.cancel()
    if is_over:
        tally.broken.append(f"{phase.name}: not done in {phase.limit_s} s")
    elif code and len(tally.failed) == failures:
        tally.broken.append(f"{phase.name}: stestr exited with {code}")
        print(log.read_text(errors="replace")[-_TAIL:])
    print(
        f"{phase.name}: {tally.passed - before} passed, "
        f"{len(tally.failed) - failures} failed, "
        f"{time.monotonic() - started:.0f} s",
        flush=True,
    )


def _read(stream: typing.IO[bytes] | None, tally: Tally) -> None:
    assert stream is not None
    sink = testtools.StreamToDict(tally.count)
    sink.startTestRun()
    subunit.ByteStreamToStreamResult(stream, non_subunit_name="stdout").run(
        sink
    )
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
    for name, text in tally.failed.items():
        print(f"!! FAILED, {name}: {text.splitlines()[-1][:_TAIL]}")
    print(tally.line())
    _LOGS.mkdir(parents=True, exist_ok=True)
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
