"""What lists cost: resources and events of a stack of 1,000, and 200 stacks.

``python -m bench.lists [--beside CHECKOUT]`` starts ``orch-all`` on SQLite,
creates the stacks and reads each list many times over one connection. With
another checkout of Orch, a second server runs from there on a copy of the
same database, both read in turn, and their answers have to be equal. CPU
seconds are those of the server's whole process, for one request: the path
from the socket to the database and back. Results go to
``results/embedded-lists.jsonl``.
"""

import argparse
import collections.abc
import contextlib
import http.client
import json
import math
import pathlib
import shutil
import statistics
import tempfile
import time

from bench import forms
from bench import lifecycle
from bench import machine
from tests.support import rest
from tests.support import systems

RESULTS = pathlib.Path(__file__).with_name("results") / "embedded-lists.jsonl"
STACKS = 200
PAIRS = 15
TURNS = 2
REQUESTS = 5
"""Requests of each half of a pair, in each turn."""

_HOST = "localhost:8004"
"""Links begin with it, so that two servers answer the same."""


class Reader:
    """Reads lists of one server over one connection, and counts its CPU."""

    def __init__(self, system: systems.System) -> None:
        self._system = system
        self._connection = http.client.HTTPConnection(
            "127.0.0.1", system.port, timeout=60
        )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def read(self, path: str) -> bytes:
        """Return the answer to one request.

        :raises AssertionError: its status is not 200
        """
        self._connection.request(
            "GET", f"/v1/{systems.PROJECT}{path}", headers={"Host": _HOST}
        )
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise AssertionError(f"{path}: {answer.status} {content[:200]!r}")
        return content

    def measure(self, path: str) -> float:
        """Return the CPU seconds of one request, of some in a row."""
        before = lifecycle.read_cpu_s(self._system)
        for _ in range(REQUESTS):
            self.read(path)
        return (lifecycle.read_cpu_s(self._system) - before) / REQUESTS


def main() -> None:
    """Measure the lists, and store the results."""
    asked = _parse()
    lines: list[dict[str, object]] = [machine.describe()]
    with (
        tempfile.TemporaryDirectory() as directory,
        contextlib.ExitStack() as running,
    ):
        place = pathlib.Path(directory)
        paths, readers = _start(place, asked.beside, running)
        for name, path in paths.items():
            line = {"list": name, **_compare(path, readers)}
            print(json.dumps(line), flush=True)
            lines.append(line)
    if not asked.dry:
        RESULTS.write_text(
            "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
        )


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.lists")
    parser.add_argument(
        "--beside",
        type=pathlib.Path,
        metavar="CHECKOUT",
        help="another checkout of Orch, measured in turn",
    )
    parser.add_argument("--dry", action="store_true", help="keep no results")
    return parser.parse_args()


def _start(
    place: pathlib.Path,
    beside: pathlib.Path | None,
    running: contextlib.ExitStack,
) -> tuple[dict[str, str], dict[str, Reader]]:
    """Return the lists to read, and a reader of each server."""
    (place / "present").mkdir()
    with forms.running("embedded", place / "present") as filled:
        paths = _fill(filled.client)
    started = {}
    if beside is not None:
        shutil.copytree(place / "present", place / "beside")
        started["beside"] = forms.running(
            "embedded",
            place / "beside",
            environment={"PYTHONPATH": str(beside.resolve())},
        )
    started["present"] = forms.running("embedded", place / "present")
    return paths, {
        name: running.enter_context(
            contextlib.closing(Reader(running.enter_context(system)))
        )
        for name, system in started.items()
    }


def _fill(client: rest.Client) -> dict[str, str]:
    """Create the stacks; return the paths of the lists, by name."""
    template, _ = lifecycle.flat()
    stack = client.create("flat", template)
    client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
    small = {
        "heat_template_version": "2021-04-16",
        "resources": {"a": {"type": "OS::Heat::None"}},
    }
    for number in range(STACKS):
        small_stack = client.create(f"small-{number}", small)
    client.wait(small_stack, "CREATE_COMPLETE", timeout_s=60)
    time.sleep(1)
    return {
        "resources of a stack of 1,000": f"{stack.path}/resources",
        "1,000 events of a stack": f"{stack.path}/events?limit=1000",
        "200 stacks": f"/stacks?limit={STACKS}",
    }


def _compare(
    path: str, readers: collections.abc.Mapping[str, Reader]
) -> dict[str, object]:
    """Return what each server has spent on a list; their answers are equal.

    Of each half of a pair the least of some turns counts, for whatever else
    the machine does can only add to it.

    :raises AssertionError: the answers differ
    """
    answers = {reader.read(path) for reader in readers.values()}
    if len(answers) > 1:
        raise AssertionError(f"{path}: the servers answer differently")
    spent: dict[str, list[float]] = {name: [] for name in readers}
    for number in range(PAIRS):
        least = dict.fromkeys(readers, math.inf)
        for turn in range(TURNS):
            # Neither of them is always the second one.
            for name in sorted(readers, reverse=bool((number + turn) % 2)):
                cost = readers[name].measure(path)
                least[name] = min(least[name], cost)
        for name, cost in least.items():
            spent[name].append(cost)
    found: dict[str, object] = {
        "bytes": len(answers.pop()),
        "pairs": PAIRS,
        "requests": TURNS * REQUESTS,
        "cpu_ms": {
            name: round(1000 * statistics.median(each), 2)
            for name, each in spent.items()
        },
        "each_cpu_ms": {
            name: [round(1000 * value, 2) for value in each]
            for name, each in spent.items()
        },
    }
    if "beside" in spent:
        pairs = zip(spent["present"], spent["beside"], strict=True)
        ratio = statistics.median(one / other for one, other in pairs)
        found["less_percent"] = round(100 * (1 - ratio), 1)
    return found


if __name__ == "__main__":
    main()
