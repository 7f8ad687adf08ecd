"""What it costs that a search finds what operations do, all of it counted.

``python -m bench.indexing [--form embedded|distributed] [--turns N]`` creates
and checks 1,000 resources, and updates 5 of them, beside a system that has no
search. CPU seconds are those of all processes of a system, from the request
until the index has the last state of each resource and some seconds after it.
``distributed`` starts one with a second ``orch-search`` too. Results go to
``results/FORM-indexing.jsonl``.
"""

import argparse
import collections.abc
import contextlib
import itertools
import pathlib
import statistics
import tempfile
import time
import typing

from bench import forms
from bench import lifecycle
from tests.functional.search import finding
from tests.support import rest
from tests.support import systems

RESULTS = pathlib.Path(__file__).with_name("results")
_SIZE: typing.Final = 1000
_UPDATED: typing.Final = 5
_QUIET_S: typing.Final = 3.0
_LIMIT_S: typing.Final = 120.0
_POLL_S: typing.Final = 0.5


def main() -> None:
    """Measure, and write one line for each kind of operation."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing")
    parser.add_argument(
        "--form", choices=("embedded", "distributed"), default="embedded"
    )
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    counts = (0, 1) if asked.form == "embedded" else (0, 1, 2)
    spent: dict[int, list[tuple[float, ...]]] = {count: [] for count in counts}
    with (
        tempfile.TemporaryDirectory() as directory,
        contextlib.ExitStack() as opened,
    ):
        running = {
            count: opened.enter_context(
                _start(asked.form, pathlib.Path(directory), count)
            )
            for count in counts
        }
        # The first turn only warms up.
        for number in range(asked.turns + 1):
            for count, system in running.items():
                cost = _measure(system, f"s{number}", count > 0)
                spent[count] += [cost] if number else []
    target = RESULTS / f"{asked.form}-indexing.jsonl"
    target.unlink(missing_ok=True)
    for place, op in enumerate(("create", "check", "update")):
        each = {
            str(count): [round(cost[place], 3) for cost in costs]
            for count, costs in spent.items()
        }
        lifecycle.save_result(
            target,
            {
                "op": op,
                "resources": _UPDATED if op == "update" else _SIZE,
                "cpu_s": {
                    count: round(statistics.median(costs), 3)
                    for count, costs in each.items()
                },
                "each_cpu_s": each,
            },
        )


@contextlib.contextmanager
def _start(
    form: str, directory: pathlib.Path, searchers: int
) -> collections.abc.Iterator[systems.System]:
    """Yield a system with so many processes that search."""
    place = directory / str(searchers)
    place.mkdir()
    options = {"search": {"embedded": str(searchers > 0)}}
    if form == "embedded":
        with forms.running(form, place, options) as system:
            yield system
    else:
        with forms.running(form, place, searchers=searchers) as system:
            yield system


def _measure(
    system: systems.System, name: str, has_search: bool
) -> tuple[float, ...]:
    """Return the CPU seconds of a creation, of a check and of an update."""
    client = system.client
    template, _ = lifecycle.flat(_SIZE)
    marks = [lifecycle.read_cpu_s(system)]
    stack = client.create(name, template)
    _wait(client, stack, "CREATE_COMPLETE", has_search)
    marks.append(lifecycle.read_cpu_s(system))
    client.ask("POST", f"{stack.path}/actions", {"check": None})
    _wait(client, stack, "CHECK_COMPLETE", has_search)
    marks.append(lifecycle.read_cpu_s(system))
    client.ask("PUT", stack.path, {"template": _changed(template)})
    _wait(client, stack, "UPDATE_COMPLETE", has_search, _UPDATED)
    marks.append(lifecycle.read_cpu_s(system))
    return tuple(end - begin for begin, end in itertools.pairwise(marks))


def _changed(template: lifecycle.Template) -> lifecycle.Template:
    """Return the template with another value for some resources."""
    resources = dict(typing.cast(dict[str, object], template["resources"]))
    for name in list(resources)[:_UPDATED]:
        resources[name] = {
            "type": "OS::Heat::TestResource",
            "properties": {"value": "new"},
        }
    return {**template, "resources": resources}


def _wait(
    client: rest.Client,
    stack: rest.Stack,
    state: str,
    has_search: bool,
    count: int = _SIZE,
) -> None:
    """Return when all is found in its state, and the system is quiet.

    :param count: resources that have that state
    """
    client.wait(stack, state, timeout_s=_LIMIT_S)
    action, status = state.split("_")
    q = f"stack_id:{stack.id} action:{action} status:{status}"
    end = time.monotonic() + _LIMIT_S
    while has_search:
        found = finding.search(client, q, limit=0)["total"]
        if found == count + 1:
            break
        if time.monotonic() > end:
            raise TimeoutError(f"{found} of {count + 1} are found: {q}")
        time.sleep(_POLL_S)
    time.sleep(_QUIET_S)


if __name__ == "__main__":
    main()
