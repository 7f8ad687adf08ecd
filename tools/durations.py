"""How long tests took: the phases, and the slowest classes."""

import collections
import dataclasses
import datetime
import resource

_MAX_CLASSES = 10


@dataclasses.dataclass(frozen=True)
class PhaseTime:
    """Durations of one phase.

    :ivar cpu_s: CPU seconds of its processes, as far as they were waited for
    """

    name: str
    tests: int
    wall_s: float
    cpu_s: float


class Durations:
    """Durations of phases and of test classes.

    What a class sets up once counts as well: a test takes from the end of the
    test before it in the same worker.
    """

    def __init__(self) -> None:
        self._phases: list[PhaseTime] = []
        self._classes: collections.Counter[str] = collections.Counter()
        self._tests: collections.Counter[str] = collections.Counter()
        self._last: dict[frozenset[str], datetime.datetime] = {}

    def add_phase(
        self, name: str, tests: int, wall_s: float, cpu_s: float
    ) -> None:
        """Add the durations of a phase; the next one has other workers."""
        self._phases.append(PhaseTime(name, tests, wall_s, cpu_s))
        self._last.clear()

    def add_test(self, test: dict[str, object]) -> None:
        """Add one test, as testtools' ``StreamToDict`` describes it."""
        times, tags = test.get("timestamps"), test.get("tags")
        if not isinstance(times, list) or None in times or len(times) < 2:
            return
        # A worker says at first which tests there are.
        if test.get("status") == "exists":
            return
        worker = frozenset(tags) if isinstance(tags, set) else frozenset()
        begin, end = times[0], times[-1]
        # Two of one worker overlap where none is known.
        begin = min(begin, self._last.get(worker, begin))
        self._last[worker] = end
        name = class_name(str(test["id"]))
        self._classes[name] += (end - begin).total_seconds()
        self._tests[name] += 1

    def absorb(self, other: "Durations") -> None:
        """Add the durations of others' classes."""
        self._classes.update(other._classes)
        self._tests.update(other._tests)

    def table(self) -> str:
        """Return the durations as lines of text."""
        lines = [f"{'phase':12}{'tests':>8}{'wall s':>8}{'CPU s':>8}"]
        lines += [
            f"{each.name:12}{each.tests:>8}{each.wall_s:>8.0f}"
            f"{each.cpu_s:>8.0f}"
            for each in self._phases
        ]
        lines += ["", f"{'wall s':>8}{'tests':>8}  slowest classes"]
        lines += [
            f"{wall_s:>8.1f}{self._tests[name]:>8}  {name}"
            for name, wall_s in self._classes.most_common(_MAX_CLASSES)
        ]
        return "\n".join(lines)


def class_name(test_id: str) -> str:
    """Return the class of a test, without the name of its scenario."""
    return test_id.partition("(")[0].rpartition(".")[0] or test_id


def cpu_s() -> float:
    """Return the CPU seconds of the processes that have ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
