"""Count the functions that one creation walks: ``python -m tools.count_walk``.

One ``orch-all`` runs in this process, on SQLite, without search. Stacks with
one ``Orch::Local::File`` are created over REST, one after the other, each by
a template of its own. Two counts are printed: of the first creation, which
also fills caches, and of the later ones. Of the later ones a function counts
where more than half of them called it, so that the result does not hang on
when a thread happened to wake.

Counted are all calls of functions in ``orch/`` on the threads that the
creation passes: those of the API, of RPC, of the claim, of the loop and of
plug-in calls. Left out are threads that work at intervals (relay, heartbeat,
observer) and the frames of comprehensions and generator expressions.
"""

import argparse
import collections
import collections.abc
import contextlib
import dataclasses
import importlib.metadata
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import types

from tests.support import ports
from tests.support import processes
from tests.support import rest
from tests.support import systems

ROOT = pathlib.Path(__file__).parents[1]

# Part of the way to how the names of its threads begin.
PARTS = (
    ("API thread", ("waitress",)),
    ("worker accepts", ("Thread-",)),
    ("claim", ("orch-claim",)),
    ("loop", ("orch-loop",)),
    ("plug-in call", ("orch-call",)),
)
# No heartbeat and no look for work may fall into a creation.
_OPTIONS: systems.Options = {
    "engine": {"lease_ttl": 600, "scan_interval": 60},
    "search": {"embedded": False},
}
TOO_MUCH = 3
"""Exit code where the first creation walks more than is allowed."""
_START_S = 60
_QUIET_S = 1.0
_NOT_FUNCTIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

Function = tuple[str, str]
Calls = collections.abc.Mapping[Function, int]
Walk = collections.abc.Mapping[str, Calls]
"""Of one creation: part to function to number of calls."""


@dataclasses.dataclass(frozen=True)
class Count:
    """How much code a part of the way calls."""

    calls: int
    functions: int
    files: int


def find_part(thread: str) -> str | None:
    """Return the part of the way that a thread of this name serves."""
    for part, prefixes in PARTS:
        if thread.startswith(prefixes):
            return part
    return None


def merge(walks: collections.abc.Sequence[Walk]) -> Walk:
    """Return what most walks have in common.

    :param walks: of each creation, part to function to number of calls
    :returns: part to function to the median of its calls
    """
    merged: dict[str, dict[Function, int]] = {}
    for part, _ in PARTS:
        of_walks = [walk.get(part, {}) for walk in walks]
        functions = {each for calls in of_walks for each in calls}
        medians = {
            each: statistics.median_low(
                [calls.get(each, 0) for calls in of_walks]
            )
            for each in functions
        }
        merged[part] = {each: n for each, n in medians.items() if n}
    return merged


def summarize(walk: Walk) -> dict[str, Count]:
    """Return the counts of the whole way, then those of each part."""
    totals: collections.Counter[Function] = collections.Counter()
    for calls in walk.values():
        totals.update(calls)
    return {
        "total": _count(totals),
        **{part: _count(calls) for part, calls in walk.items()},
    }


def _count(calls: Calls) -> Count:
    files = {path for path, _ in calls}
    return Count(sum(calls.values()), len(calls), len(files))


def make_template(name: str) -> rest.Json:
    """Return a template with one file, unlike those of other names."""
    properties = {"path": name, "content": name}
    resource = {"type": "Orch::Local::File", "properties": properties}
    return {
        "heat_template_version": "2021-04-16",
        "resources": {"file": resource},
    }


class Recorder:
    """Counts calls by thread, from start to stop.

    :param root: only functions of files below it count
    """

    def __init__(self, root: pathlib.Path) -> None:
        self._root = f"{root}{os.sep}"
        self._counts: dict[str, collections.Counter[types.CodeType]] = {}
        self._is_on = False

    def install(self) -> None:
        """Profile this thread, and all that start from now on."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def start(self) -> None:
        """Count from now on, from zero."""
        self._counts = collections.defaultdict(collections.Counter)
        self._is_on = True

    def stop(self) -> Walk:
        """Count no longer.

        :returns: part to function to number of calls
        """
        self._is_on = False
        walk: dict[str, dict[Function, int]] = {}
        for thread, counts in self._counts.items():
            part = find_part(thread)
            if part is None:
                continue
            calls = walk.setdefault(part, {})
            for code, number in counts.items():
                function = self._name(code)
                calls[function] = calls.get(function, 0) + number
        return walk

    def total(self) -> int:
        """Return how many calls of the way were counted so far."""
        return sum(
            counts.total()
            for thread, counts in list(self._counts.items())
            if find_part(thread)
        )

    def _name(self, code: types.CodeType) -> Function:
        path = code.co_filename.removeprefix(str(ROOT) + os.sep)
        return path, f"{code.co_qualname}:{code.co_firstlineno}"

    def _profile(
        self, frame: types.FrameType, event: str, arg: object
    ) -> None:
        if not self._is_on or event != "call":
            return
        code = frame.f_code
        if (
            code.co_filename.startswith(self._root)
            and code.co_name not in _NOT_FUNCTIONS
        ):
            self._counts[threading.current_thread().name][code] += 1


class Driver:
    """Creates stacks over REST, and records each creation.

    :param port: of the API
    :param later: how many are made after the first one
    """

    def __init__(self, recorder: Recorder, port: int, later: int) -> None:
        self._recorder = recorder
        self._root = f"http://127.0.0.1:{port}"
        self._later = later

    def drive(self) -> dict[str, Walk]:
        """Return the walks of the first creation and of later ones.

        :raises RuntimeError: no server answers, or a creation failed
        """
        until = time.monotonic() + _START_S
        while not processes.answers(f"{self._root}/healthcheck"):
            if time.monotonic() > until:
                raise RuntimeError("orch-all gives no answer")
            time.sleep(0.1)
        client = rest.Client(f"{self._root}/v1/{systems.PROJECT}")
        with contextlib.closing(client):
            walks = [
                self._record(client, number)
                for number in range(self._later + 1)
            ]
        return {"first": walks[0], "later": merge(walks[1:])}

    def _record(self, client: rest.Client, number: int) -> Walk:
        name = f"walk-{number}"
        self._wait_until_quiet()
        self._recorder.start()
        stack = client.create(name, make_template(name))
        self._wait_until_quiet()
        walk = self._recorder.stop()
        status = client.show(stack)["stack_status"]
        if status != "CREATE_COMPLETE":
            raise RuntimeError(f"{name} is {status}")
        client.delete(stack)
        client.wait(stack, "DELETE_COMPLETE")
        return walk

    def _wait_until_quiet(self) -> None:
        """Return once no thread of the way has called anything for a while.

        Asking over REST instead would be counted as well.
        """
        before = -1
        while before != (now := self._recorder.total()):
            before = now
            time.sleep(_QUIET_S)


def main() -> int:
    """Count in a process that may end by itself; return the exit code."""
    parser = argparse.ArgumentParser(
        description="Count the code that one creation walks."
    )
    parser.add_argument(
        "--later", type=int, default=3, help="creations after the first one"
    )
    parser.add_argument(
        "--list", action="store_true", help="print each function, too"
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, with all functions"
    )
    parser.add_argument(
        "--max-functions", type=int, help="fail where the first one has more"
    )
    parser.add_argument(
        "--max-files", type=int, help="fail where the first one has more"
    )
    parser.add_argument(
        "--directory", type=pathlib.Path, help=argparse.SUPPRESS
    )
    asked = parser.parse_args()
    if asked.directory:
        _serve(asked, asked.directory)
    with tempfile.TemporaryDirectory(prefix="orch-walk-") as directory:
        command = [sys.executable, "-m", "tools.count_walk", *sys.argv[1:]]
        log = pathlib.Path(directory, "log")
        with log.open("wb") as file:
            code = subprocess.run(  # noqa: S603 - this module again
                [*command, "--directory", directory], stderr=file
            ).returncode
        if code not in (0, TOO_MUCH):
            print(log.read_text(encoding="utf-8"), file=sys.stderr)
    return code


def _serve(asked: argparse.Namespace, directory: pathlib.Path) -> None:
    """Run ``orch-all`` on this thread, and the driver on another one.

    The driver ends the process: ``orch-all`` has a way out of its own, which
    knows nothing of our exit code.
    """
    port = ports.find_free()
    root = directory / "root"
    root.mkdir()
    systems.write_config(directory / "orch.conf", _OPTIONS)
    recorder = Recorder(ROOT / "orch")
    out = sys.stdout

    def drive() -> None:
        sys.setprofile(None)
        code = 1
        try:
            walks = Driver(recorder, port, asked.later).drive()
            text = format_walks(walks, is_json=asked.json, is_list=asked.list)
            print(text, file=out, flush=True)
            first = walks["first"]
            code = (
                0
                if is_within(first, asked.max_functions, asked.max_files)
                else TOO_MUCH
            )
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    (program,) = importlib.metadata.entry_points(
        group="console_scripts", name="orch-all"
    )
    serve = program.load()
    sys.argv = [
        "orch-all",
        *("--port", str(port)),
        *("--state-dir", str(directory / "state")),
        *("--local-root", str(root)),
        *("--config-file", str(directory / "orch.conf")),
    ]
    threading.Thread(target=drive, name="driver", daemon=True).start()
    recorder.install()
    with contextlib.redirect_stdout(sys.stderr):
        serve()


def format_walks(
    walks: collections.abc.Mapping[str, Walk], *, is_json: bool, is_list: bool
) -> str:
    """Return the counts as text, or as JSON with all functions.

    :param is_list: add the functions to the text
    """
    if is_json:
        return json.dumps(
            {name: _to_json(walk) for name, walk in walks.items()}, indent=1
        )
    lines = []
    for name, walk in walks.items():
        lines.append(f"{name:16}{'calls':>8}{'functions':>11}{'files':>7}")
        lines += [
            f"{part:16}{count.calls:8}{count.functions:11}{count.files:7}"
            for part, count in summarize(walk).items()
        ]
        if is_list:
            lines += _list(walk)
        lines.append("")
    return "\n".join(lines[:-1])


def _to_json(walk: Walk) -> dict[str, object]:
    return {
        "counts": {
            part: dataclasses.asdict(count)
            for part, count in summarize(walk).items()
        },
        "functions": {
            part: [
                {"file": file, "function": function, "calls": number}
                for (file, function), number in sorted(calls.items())
            ]
            for part, calls in walk.items()
        },
    }


def _list(walk: Walk) -> collections.abc.Iterator[str]:
    for part, calls in walk.items():
        yield f"  {part}"
        for (file, function), number in sorted(calls.items()):
            yield f"  {number:6} {file} {function}"


def is_within(
    walk: Walk, max_functions: int | None, max_files: int | None
) -> bool:
    """Whether a walk has no more functions and files than are allowed."""
    total = summarize(walk)["total"]
    return (max_functions is None or total.functions <= max_functions) and (
        max_files is None or total.files <= max_files
    )


if __name__ == "__main__":
    sys.exit(main())
