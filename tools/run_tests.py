# The commands run here are our own, and found on the PATH on purpose.
# ruff: noqa: S603
"""Runs the tests with stestr, and says plainly what ran and what did not.

``python -m tools.run_tests [PHASE ...]``, of ``unit``, ``contract``,
``functional``, ``scenarios`` and ``chaos``; without one, all that have
tests: the unit tests, then those of all others together, as the phase
``system``. What fails is printed at the end, in a line each and then whole;
while the tests run it stands in ``build/tests/failures``. The last line
counts; it stands in ``build/tests/summary`` as well.

A test that failed beside others is run again alone, twice, unless many have
failed. If it passes both times it is called unsteady, counted and named at the
end. That is a defect of the test or of the product; more than two of them fail
the run.

A phase may take as long as it needs while its tests end. When no test has
ended for the phase's ``stall_s`` seconds it is cut off. The summary then names
the phase and the tests that were running: they are cut off, not failed.

The durations are printed before the counts: those of the phases, and those of
the ten slowest classes (:mod:`tools.durations`).
"""

import collections
import collections.abc
import compileall
import contextlib
import dataclasses
import os
import pathlib
import re
import signal
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
from tools import class_times
from tools import durations
from tools import scratch

_TESTS = pathlib.Path("tests")
_SOURCES = ("orch", "orchclient", "contrib", "tests", "tools")
_LOGS = pathlib.Path("build/tests")
_SUMMARY = _LOGS / "summary"
_FAILURES = _LOGS / "failures"
_LOOKS_EVERYWHERE = "unit"
_NEEDS_MORE = "functional"
# So many of the last characters of a log are printed.
_TAIL = 2000
# So long is a line that tells of a failure.
_LINE = 300
# Where more have failed, how they fare alone says nothing.
_MAX_AGAIN = 5
_TIMES_AGAIN = 2
# So many tests may fail beside others, of those that pass alone.
_MAX_UNSTEADY = 2
_NOT_ENDED = (None, "exists", "inprogress")


@dataclasses.dataclass(frozen=True)
class Phase:
    """Tests that run together.

    :ivar workers: how many run at a time on two cores; more than two where
        tests wait more than they compute
    :ivar stall_s: it is cut off when no test has ended for so many seconds;
        longer than the time limit of its longest test
    :ivar parts: the directories of its tests; that of its name by default
    """

    name: str
    workers: int
    stall_s: float
    parts: tuple[str, ...] = ()

    @property
    def path(self) -> pathlib.Path:
        """Return where its tests are looked for.

        Each of its processes imports all modules that are there. Those of
        the unit tests, which everybody runs, look everywhere: a module that
        cannot be imported fails the phase, whether its tests would run or
        not. So do those of several directories.
        """
        if self.parts or self.name == _LOOKS_EVERYWHERE:
            return _TESTS
        return _TESTS / self.name

    @property
    def pattern(self) -> str:
        """Return what the names of its tests match, those of contrib too."""
        return rf"^(\w+\.)?tests\.({'|'.join(self._directories)})\."

    @property
    def _directories(self) -> tuple[str, ...]:
        return self.parts or (self.name,)

    def has_tests(self) -> bool:
        """Answer whether there is any file of tests."""
        return any(
            any((_TESTS / each).rglob("test_*.py"))
            for each in self._directories
        )


PHASES = (
    Phase("unit", workers=3, stall_s=300),
    Phase("contract", workers=2, stall_s=300),
    Phase("functional", workers=6, stall_s=900),
    Phase("scenarios", workers=3, stall_s=900),
    Phase("chaos", workers=4, stall_s=900),
)
"""Each can be run alone."""

# A test that waits leaves the processors to others, those of other phases
# too; and workers that have nothing left to do are idle at the end of each.
WHOLE = (
    PHASES[0],
    Phase(
        "system",
        workers=6,
        stall_s=900,
        parts=tuple(each.name for each in PHASES[1:]),
    ),
)
"""What a run of all tests consists of."""


@dataclasses.dataclass
class Tally:
    """What came of the tests so far.

    :ivar failed: what went wrong, by the name of the test
    :ivar unsteady: the same, of tests that passed when they ran alone
    :ivar skipped: reason to number of tests
    :ivar broken: phases that did not end as they should
    :ivar cut_off: phases that made no progress, and the tests that ran then
    :ivar omitted: what was not there to be tested with, and why
    :ivar times: how long all of it took
    """

    passed: int = 0
    failed: dict[str, str] = dataclasses.field(default_factory=dict)
    unsteady: dict[str, str] = dataclasses.field(default_factory=dict)
    skipped: collections.Counter[str] = dataclasses.field(
        default_factory=collections.Counter
    )
    broken: list[str] = dataclasses.field(default_factory=list)
    cut_off: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    omitted: list[str] = dataclasses.field(default_factory=list)
    times: durations.Durations = dataclasses.field(
        default_factory=durations.Durations
    )

    def count(self, test: dict[str, object]) -> None:
        """Count one test, as testtools' ``StreamToDict`` describes it."""
        self.times.add_test(test)
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
        if self.cut_off:
            line += f", CUT OFF: {', '.join(self.cut_off)}"
        return line

    def is_good(self) -> bool:
        """Answer whether tests ran, none failed and few are unsteady."""
        is_whole = not self.broken and not self.cut_off
        is_steady = len(self.unsteady) <= _MAX_UNSTEADY
        return bool(self.passed) and not self.failed and is_whole and is_steady

    def absorb(self, other: "Tally") -> None:
        """Add what came of other tests."""
        self.passed += other.passed
        self.failed.update(other.failed)
        self.skipped.update(other.skipped)
        self.broken.extend(other.broken)
        for phase, running in other.cut_off.items():
            self.cut_off.setdefault(phase, []).extend(running)
        self.times.absorb(other.times)

    def set_apart(self, names: collections.abc.Collection[str]) -> None:
        """Count failures as unsteady: these passed when they ran alone."""
        for name in names:
            self.unsteady[name] = self.failed.pop(name)


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


class Progress(testtools.StreamResult):
    """How long ago a test ended."""

    def __init__(
        self, clock: collections.abc.Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._clock = clock
        self._ended_at = clock()

    def status(
        self,
        test_id: str | None = None,
        test_status: str | None = None,
        *_: object,
        **__: object,
    ) -> None:
        """Store when a test ended."""
        if test_id is not None and test_status not in _NOT_ENDED:
            self._ended_at = self._clock()

    def has_stalled(self, stall_s: float) -> bool:
        """Whether no test has ended for so many seconds."""
        return self._clock() - self._ended_at > stall_s


class Guard:
    """Kills a process group that makes no progress, while this is open.

    :ivar has_cut: whether it was killed for that
    """

    def __init__(self, progress: Progress, stall_s: float, group: int) -> None:
        self.has_cut = False
        self._progress = progress
        self._stall_s = stall_s
        self._group = group
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> typing.Self:
        """Watch from now on."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Watch no longer."""
        self._is_closed.set()
        self._thread.join()

    def _watch(self) -> None:
        pause_s = min(1.0, self._stall_s / 4)
        while not self._is_closed.wait(pause_s):
            if self._progress.has_stalled(self._stall_s):
                self.has_cut = True
                _kill(self._group)
                return


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def run(phase: Phase, tally: Tally, wanted: str | None = None) -> None:
    """Run one phase and add what came of it to the tally.

    What the tests print goes to ``build/tests/PHASE.log``.

    :param wanted: what the names of its tests match; all of it without
    """
    started, before = time.monotonic(), tally.passed
    used_s = durations.cpu_s()
    known = set(tally.failed)
    code, is_cut = _stestr(
        phase, tally, phase.workers, wanted or phase.pattern
    )
    failed = [name for name in tally.failed if name not in known]
    if code and not failed and not is_cut:
        log = _log(phase).read_text(errors="replace")[-_TAIL:]
        tally.broken.append(f"{phase.name}: stestr exited with {code}\n{log}")
    elif 0 < len(failed) <= _MAX_AGAIN:
        tally.set_apart(_passing_alone(phase, failed))
    took_s = time.monotonic() - started
    tally.times.add_phase(
        phase.name,
        tally.passed - before,
        took_s,
        durations.cpu_s() - used_s,
    )
    line = f"{phase.name}: {tally.passed - before} passed"
    if len(tally.failed) > len(known):
        line += f", {len(tally.failed) - len(known)} failed"
    if is_cut:
        line += f", CUT OFF: no test ended for {phase.stall_s:.0f} s"
    print(f"{line}, {took_s:.0f} s", flush=True)


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
        _, is_cut = _stestr(phase, again, 1, f"^({wanted})$")
        if is_cut or again.passed + len(again.failed) != len(left):
            return []
        left = [name for name in left if name not in again.failed]
    return left


def _stestr(
    phase: Phase, tally: Tally, workers: int, wanted: str
) -> tuple[int, bool]:
    """Run the tests whose names match; count them.

    :returns: exit code, and whether it was cut off
    """
    return play(command_of(phase, workers, wanted), phase, tally)


def play(
    command: collections.abc.Sequence[str], phase: Phase, tally: Tally
) -> tuple[int, bool]:
    """Run what writes subunit to its output; count its tests.

    :returns: exit code, and whether it was cut off
    """
    _LOGS.mkdir(parents=True, exist_ok=True)
    with (
        _log(phase).open("ab") as stderr,
        scratch.environment() as environment,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment,
            # Its workers end with it, whatever they wait for.
            process_group=0,
        ) as runner,
    ):
        progress = Progress()
        try:
            with Guard(progress, phase.stall_s, runner.pid) as guard:
                unfinished = _read(runner.stdout, progress, tally)
            code = runner.wait()
        except BaseException:
            _kill(runner.pid)
            raise
    if guard.has_cut:
        tally.cut_off.setdefault(phase.name, []).extend(
            sorted(str(test["id"]) for test in unfinished)
        )
    else:
        for test in unfinished:
            tally.count(test)
    return code, guard.has_cut


def command_of(phase: Phase, workers: int, wanted: str) -> tuple[str, ...]:
    """Return what runs the tests of a phase whose names match."""
    return (
        *(sys.executable, "-m", "stestr", "--test-path", str(phase.path)),
        *("run", "--subunit", "--concurrency", str(workers)),
        wanted,
    )


def _log(phase: Phase) -> pathlib.Path:
    return _LOGS / f"{phase.name}.log"


def _read(
    stream: typing.IO[bytes] | None, progress: Progress, tally: Tally
) -> list[dict[str, object]]:
    """Count the tests of a stream that have ended; return the others."""
    assert stream is not None
    unfinished = []

    def count(test: dict[str, object]) -> None:
        if test["status"] == "inprogress":
            unfinished.append(test)
        else:
            tally.count(test)

    sink = testtools.CopyStreamResult(
        [testtools.StreamToDict(count), progress]
    )
    sink.startTestRun()
    subunit.ByteStreamToStreamResult(stream, non_subunit_name="stdout").run(
        sink
    )
    sink.stopTestRun()
    return unfinished


def report(tally: Tally, summary: pathlib.Path = _SUMMARY) -> None:
    """Print what was left out, what broke, and the counts, last.

    :param summary: the file that the counts are written to as well
    """
    print("\n== summary ==")
    for server in services.SERVERS:
        reason = services.why_missing(server.name)
        if reason:
            print(f"!! LEFT OUT, {reason}")
    for what in tally.omitted:
        print(f"!! LEFT OUT, {what}")
    for reason, number in sorted(tally.skipped.items()):
        print(f"skipped {number}: {reason}")
    for what in tally.broken:
        print(f"!! BROKEN, {what}")
    for phase, running in tally.cut_off.items():
        print(f"!! CUT OFF, {phase}, while these ran:")
        for name in running or ("none that is known",):
            print(f"!!     {name}")
    for name, text in tally.unsteady.items():
        print(f"!! UNSTEADY, {name}: {_last_line_of(text)}")
    for name, text in tally.failed.items():
        print(f"!! FAILED, {name}: {_last_line_of(text)}")
    for name, text in {**tally.unsteady, **tally.failed}.items():
        print(f"\n-- {name}\n{text}")
    print(f"\n{tally.times.table()}\n")
    print(tally.line())
    _LOGS.mkdir(parents=True, exist_ok=True)
    summary.write_text(tally.line() + "\n", encoding="utf-8")


def prepare() -> None:
    """Remove what an earlier run left, and compile the sources.

    Where stestr has run nothing yet, it gets the times of the slow classes.
    """
    class_times.seed()
    _SUMMARY.unlink(missing_ok=True)
    for old in (*_LOGS.glob("*.log"), _FAILURES):
        old.unlink(missing_ok=True)
    # Hundreds of processes are started; none shall compile all of it again.
    for source in _SOURCES:
        compileall.compile_dir(source, quiet=2, workers=2)


def provide(
    wanted: collections.abc.Iterable[programs.Program], tally: Tally
) -> None:
    """Install programs that tests run; count those that are not there."""
    for each in wanted:
        fault = apart.provide(each)
        if fault is not None:
            tally.omitted.append(f"{each.title}: {fault}")


def main(names: collections.abc.Sequence[str]) -> int:
    """Run these phases; return the exit code.

    :param names: empty for all
    """
    known = {phase.name for phase in PHASES}
    unknown = set(names) - known
    if unknown:
        print(f"no such phase: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    prepare()
    tally = Tally()
    if not names or _NEEDS_MORE in names:
        provide(programs.FUNCTIONAL, tally)
    chosen = [each for each in PHASES if each.name in names] or WHOLE
    for phase in chosen:
        if phase.has_tests():
            run(phase, tally)
    report(tally)
    return 0 if tally.is_good() else 1


def end(number: int, _: object) -> None:
    """End the process on a signal as an exception does: all is stopped."""
    sys.exit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end)
    sys.exit(main(sys.argv[1:]))
