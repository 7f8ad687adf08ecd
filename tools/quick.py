"""Runs the tests that a change of the working tree touches.

``python -m tools.quick``. What has changed is found by git: against ``HEAD``,
or against the revision that the variable ``BASE`` names, with the files that
git does not know yet. Of the unit tests, and then of the contract tests,
those modules run that have changed, that import what has changed, or that are
its mirror (``orch/flow/run.py``: ``tests/unit/flow/test_run.py``, and
``test_run_*.py``). Where these are few, the modules that import it through one
other module run as well, and where there are none those that are farther.

The functional tests start processes and take longer: those whose names have a
word of what has changed are named only.
"""

import collections.abc
import concurrent.futures
import dataclasses
import importlib.util
import os
import pathlib
import subprocess
import sys
import time

import grimp

from tools import durations
from tools import run_tests

# Packages of contrib, which have their tests below themselves.
OPTIONAL = ("orch_lifecycle_policies", "orch_search_heat")
PACKAGES = ("orch", "orchclient", *OPTIONAL, "tests", "tools", "bench")
# Folders to how many levels of them are above a package.
_ABOVE = {"orchclient": 1, "contrib": 2}
_CACHE = "build/imports"
_SUMMARY = pathlib.Path("build/tests/summary-quick")
_PHASES = ("unit", "contract")
_SLOW = ("functional", "scenarios", "chaos")
_WORKERS = 2
_STALL_S = 300
# Importers of importers run only where all of them are at most so many; a
# module of unit tests takes a fifth of a second.
_MAX_MODULES = 60
# So far from a change are tests looked for where nothing nearer has any.
_MAX_DISTANCE = 5
_MAX_NAMED = 10
# Words that too many modules have in their names.
_COMMON = frozenset(
    {"api", "base", "client", "clients", "db", "engine", "handlers", "init"}
    | {"model", "models", "orch", "repositories", "resources", "rpc", "test"}
    | {"tests", "unit", "errors", "support"}
)


class Imports:
    """Which module imports which.

    :ivar modules: names of all modules
    """

    def __init__(self, graph: grimp.ImportGraph) -> None:
        self.modules = frozenset(graph.modules)
        self._graph = graph

    @classmethod
    def read(cls) -> "Imports":
        """Read the imports of the working tree."""
        found = [each for each in PACKAGES if importlib.util.find_spec(each)]
        return cls(grimp.build_graph(*found, cache_dir=_CACHE))

    def importers(self, names: collections.abc.Iterable[str]) -> set[str]:
        """Return the modules that import one of these."""
        return {
            importer
            for name in names
            if name in self.modules
            for importer in self._graph.find_modules_that_directly_import(name)
        }


@dataclasses.dataclass(frozen=True)
class Choice:
    """What a change touches.

    :ivar chosen: the test modules that run, by phase
    :ivar omitted: how many test modules import it through another one and
        do not run
    :ivar slow: modules of the phases that start processes, worth a run
    """

    chosen: dict[str, list[str]]
    omitted: int
    slow: list[str]


def module_name(path: str) -> str | None:
    """Return the module of a file, ``None`` where it is none of ours."""
    found = pathlib.PurePosixPath(path)
    parts = found.with_suffix("").parts
    parts = parts[_ABOVE.get(parts[0], 0) :]
    if found.suffix != ".py" or not parts or parts[0] not in PACKAGES:
        return None
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def choose(
    changed: collections.abc.Collection[str], imports: Imports
) -> Choice:
    """Choose test modules.

    :param changed: names of modules; some may be gone
    """
    sources = {each for each in changed if not is_test(each)}
    # What only helps tests is as near to them as what they test.
    helpers = {
        each
        for each in imports.importers(sources)
        if each.startswith("tests.support.")
    }
    near = {each for each in changed if each in imports.modules}
    near |= imports.importers({*sources, *helpers})
    near |= {
        each
        for each in imports.modules
        if any(is_mirror(each, source) for source in sources)
    }
    wanted, left_out = of_phases(near, _PHASES), set[str]()
    ring = imports.importers(sources)
    for _ in range(1, _MAX_DISTANCE):
        ring = imports.importers(ring)
        far = of_phases(ring, _PHASES)
        if len(wanted | far) > _MAX_MODULES:
            left_out = far - wanted
            break
        wanted |= far
        if wanted:
            break
    slow = of_phases(near, _SLOW) | {
        each
        for each in of_phases(imports.modules, _SLOW)
        if any(shares_word(each, source) for source in sources)
    }
    return Choice(
        {phase: sorted(of_phases(wanted, (phase,))) for phase in _PHASES},
        len(left_out),
        sorted(slow),
    )


def is_test(name: str) -> bool:
    """Whether a module holds tests."""
    last = name.rpartition(".")[2]
    return ".tests." in f".{name}" and last.startswith("test_")


def is_mirror(test: str, source: str) -> bool:
    """Whether a module of unit tests is the mirror of a module."""
    folder, _, name = source.removeprefix("orch.").rpartition(".")
    place = ".".join(filter(None, ("tests.unit", folder)))
    if folder in OPTIONAL:
        place = f"{folder}.tests.unit"
    mirror = f"{place}.test_{name}"
    return test == mirror or test.startswith(f"{mirror}_")


def of_phases(
    names: collections.abc.Iterable[str], phases: collections.abc.Iterable[str]
) -> set[str]:
    """Return the modules that hold tests of these phases."""
    places = [f".tests.{phase}." for phase in phases]
    return {
        each
        for each in names
        if is_test(each) and any(place in f".{each}" for place in places)
    }


def words(name: str) -> set[str]:
    """Return the words of the last two parts of a name, in the singular."""
    parts = name.split(".")[-2:]
    found = {word for part in parts for word in part.split("_")}
    return {word.removesuffix("s") for word in found - _COMMON}


def shares_word(test: str, source: str) -> bool:
    """Whether the name of a test module has a word of a module's name."""
    return bool(words(test.rpartition(".")[2]) & words(source))


def changed_files(base: str) -> list[str]:
    """Return the paths of the files that differ from a revision.

    :raises SystemExit: git does not know the revision
    """
    found: set[str] = set()
    for command in (
        ("git", "diff", "--name-only", "--no-renames", base, "--"),
        ("git", "ls-files", "--others", "--exclude-standard"),
    ):
        done = subprocess.run(  # noqa: S603 - a revision is all that varies
            command, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
        found.update(done.stdout.splitlines())
    return sorted(found)


def run(name: str, modules: list[str], tally: run_tests.Tally) -> None:
    """Run test modules in some processes; add what came of it."""
    began, cpu_s = time.monotonic(), durations.cpu_s()
    phase = run_tests.Phase(name, _WORKERS, _STALL_S)
    parts = [modules[first::_WORKERS] for first in range(_WORKERS)]
    with concurrent.futures.ThreadPoolExecutor(_WORKERS) as pool:
        done = list(
            pool.map(lambda part: _run_part(phase, part), filter(None, parts))
        )
    for each in done:
        tally.absorb(each)
    passed = sum(each.passed for each in done)
    failed = sum(len(each.failed) for each in done)
    wall_s = time.monotonic() - began
    tally.times.add_phase(name, passed, wall_s, durations.cpu_s() - cpu_s)
    line = f"{name}: {passed} passed, {failed} failed, {wall_s:.0f} s"
    print(line, flush=True)


def _run_part(phase: run_tests.Phase, modules: list[str]) -> run_tests.Tally:
    tally = run_tests.Tally()
    command = (sys.executable, "-m", "subunit.run", *modules)
    code, is_cut = run_tests.play(command, phase, tally)
    if code and not tally.failed and not is_cut:
        tally.broken.append(f"{phase.name}: exit code {code}")
    return tally


def _print(choice: Choice, others: list[str]) -> None:
    for phase, modules in choice.chosen.items():
        print(f"{phase}: {len(modules)} modules")
        for each in modules:
            print(f"  {each}")
    if choice.omitted:
        print(
            f"not run: {choice.omitted} modules that import it through"
            " another one (`make unit`)"
        )
    if others:
        print(f"no Python of ours, see CONTRIBUTING.md: {', '.join(others)}")
    if choice.slow:
        print("worth a run, in processes of their own:")
        for each in choice.slow[:_MAX_NAMED]:
            print(f"  {sys.executable} -m testtools.run {each}")
        if len(choice.slow) > _MAX_NAMED:
            print(f"  ... and {len(choice.slow) - _MAX_NAMED} more")
    print(flush=True)


def main() -> int:
    """Run what the change touches; return the exit code."""
    base = os.environ.get("BASE") or "HEAD"
    files = changed_files(base)
    if not files:
        print(f"nothing differs from {base}")
        return 0
    names = {each: module_name(each) for each in files}
    choice = choose({each for each in names.values() if each}, Imports.read())
    _print(choice, [path for path, name in names.items() if name is None])
    tally = run_tests.Tally()
    run_tests.prepare()
    for phase, modules in choice.chosen.items():
        if modules:
            run(phase, modules, tally)
    if not any(choice.chosen.values()):
        print("no test module imports what has changed")
        return 0
    run_tests.report(tally, _SUMMARY)
    return 0 if tally.is_good() else 1


if __name__ == "__main__":
    sys.exit(main())
