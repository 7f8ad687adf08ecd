"""What lifecycle plug-ins cost that do nothing, beside having none.

Two systems stand side by side and create the same in turn, so that whatever
else the machine does meets both.
"""

import json
import math
import pathlib
import statistics
import tempfile
import time

import yaml

from bench import forms
from tests.support import systems
from tests.support import world

PLUGINS = 10
PAIRS = 9
TURNS = 3
"""Creations of each half of a pair."""
SIZE = 1000
_KIDS = 50
QUIET_S = 1.5
_VERSION = "2021-04-16"
_FREE = {"type": "OS::Heat::None"}

Template = dict[str, object]


def measure(form: str, target: pathlib.Path) -> None:
    """Keep lines for 1,000 resources in one stack, in a tree, and for one.

    What plug-ins cost that look at nothing is the same for a stack of one
    resource, where it can be told from what the rest costs.
    """
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        settings = place / "settings.yaml"
        settings.write_text(
            yaml.safe_dump(
                {f"orch-test-quiet:{number}": {} for number in range(PLUGINS)}
            ),
            encoding="utf-8",
        )
        options = {"lifecycle": {"settings_file": settings}}
        environment = {"PYTHONPATH": str(world.PLUGIN)}
        for name in ("none", "quiet"):
            (place / name).mkdir()
        with (
            forms.running(form, place / "none", {}, environment) as bare,
            forms.running(
                form, place / "quiet", options, environment
            ) as called,
        ):
            _check(bare, called)
            for op, wanted in (
                ("create", flat()),
                ("create a tree", tree()),
            ):
                found = _compare(bare, called, *wanted)
                save_result(target, {"op": op, "resources": SIZE, **found})
            found = _compare(bare, called, flat(1)[0], {}, quiet_s=0.3)
            save_result(target, {"op": "create", "resources": 1, **found})


def _check(bare: systems.System, called: systems.System) -> None:
    """Make sure that the one has the plug-ins, and the other has none.

    :raises AssertionError: it is not so
    """
    for system, count in ((bare, 0), (called, PLUGINS)):
        found = system.client.get("/lifecycle/plugins", "plugins")
        if len(found) != count:
            raise AssertionError(f"{len(found)} plug-ins, not {count}")


def flat(size: int = SIZE) -> tuple[Template, dict[str, str]]:
    """Return a template of so many resources, and no files."""
    kind = {"type": "OS::Heat::TestResource"}
    return _template({f"r{number}": kind for number in range(size)}), {}


def tree() -> tuple[Template, dict[str, str]]:
    """Return a template with :data:`SIZE` resources in 50 stacks."""
    inner = _template({f"r{n}": _FREE for n in range(SIZE // _KIDS)})
    kids = {f"kid{n}": {"type": "kid.yaml"} for n in range(_KIDS)}
    return _template(kids), {"kid.yaml": json.dumps(inner)}


def _template(resources: Template) -> Template:
    return {"heat_template_version": _VERSION, "resources": resources}


def _compare(
    bare: systems.System,
    called: systems.System,
    template: Template,
    files: dict[str, str],
    quiet_s: float = QUIET_S,
) -> dict[str, object]:
    """Return what the pairs have cost; the first one only warms up.

    Of each half of a pair the least of some creations counts, for whatever
    else the machine does can only add to it; the halves take turns at each.
    """
    spent: dict[str, list[float]] = {"without": [], "with": []}
    systems_ = {"without": bare, "with": called}
    for number in range(PAIRS + 1):
        least = dict.fromkeys(systems_, math.inf)
        for turn in range(TURNS if number else 1):
            # Neither of them is always the second one.
            for kind in sorted(systems_, reverse=bool((number + turn) % 2)):
                name = f"s{number}-{turn}"
                cost = create(systems_[kind], name, template, files, quiet_s)
                least[kind] = min(least[kind], cost)
        if number:
            for kind, cost in least.items():
                spent[kind].append(cost)
    ratios = [
        second / first
        for first, second in zip(spent["without"], spent["with"], strict=True)
    ]
    medians = {kind: statistics.median(each) for kind, each in spent.items()}
    least = {kind: min(each) for kind, each in spent.items()}
    return {
        "plugins": PLUGINS,
        "pairs": PAIRS,
        "turns": TURNS,
        "cpu_s": {kind: round(each, 4) for kind, each in medians.items()},
        "least_cpu_s": {kind: round(each, 4) for kind, each in least.items()},
        "least_more_cpu_s": round(least["with"] - least["without"], 4),
        "more_percent": round(100 * (statistics.median(ratios) - 1), 1),
        "each_cpu_s": {
            kind: [round(value, 4) for value in each]
            for kind, each in spent.items()
        },
    }


def create(
    system: systems.System,
    name: str,
    template: Template,
    files: dict[str, str],
    quiet_s: float,
) -> float:
    """Create a stack, and take it away again.

    :returns: CPU seconds that the creation took
    """
    before = read_cpu_s(system)
    stack = system.client.create(name, template, files=files)
    time.sleep(quiet_s)
    system.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
    spent = read_cpu_s(system) - before
    system.client.delete(stack)
    system.client.wait(stack, "DELETE_COMPLETE", timeout_s=60)
    return spent


def read_cpu_s(system: systems.System) -> float:
    """Return what the processes have used, to the nanosecond.

    ``/proc/PID/stat`` counts hundredths: too coarse for what is asked here.
    The number of a process's own clock is ``clock_getcpuclockid(3)``.
    """
    return sum(
        time.clock_gettime((~process.pid << 3) | 2)
        for process in system.members
    )


def save_result(target: pathlib.Path, facts: dict[str, object]) -> None:
    """Print a line, and add it to the results."""
    line = json.dumps(facts)
    print(line, flush=True)
    with target.open("a", encoding="utf-8") as results:
        results.write(line + "\n")
