"""What it costs to look at stacks again and again, and to have nothing due.

One system looks at a thousand resources in each period; two others have the
same stacks at rest, one with the observer on and nothing due, one without it.
"""

import contextlib
import json
import pathlib
import tempfile
import time

from bench import forms
from tests.support import systems
from tests.support import world

SIZE = 1000
STACKS = 20
ROUNDS = 5
_PERIOD_S = 5.0
_ON = {"enabled": True, "scan_interval": 0.5}
_REST_S = 20.0
_VERSION = "2021-04-16"


def measure(form: str, target: pathlib.Path) -> None:
    """Keep a line for a look at a thousand resources, and one for rest."""
    facts = {
        "op": "look",
        "resources": SIZE,
        "stacks": STACKS,
        **_measure_looks(form),
    }
    _save_result(target, facts)
    spent = {
        name: _measure_rest(form, is_on=name == "with")
        for name in ("without", "with")
    }
    _save_result(
        target, {"op": "rest", "stacks": STACKS, "cpu_percent": spent}
    )


def _measure_looks(form: str) -> dict[str, object]:
    """Return CPU seconds and calls of a look at all."""
    observer = {"period": _PERIOD_S, "max_period": _PERIOD_S}
    with _running(form, observer) as (system, things):
        _create(system, "Test::World::Listed")
        time.sleep(2 * _PERIOD_S)
        before, cpu_s = len(things.calls()), _all_cpu_s(system)
        time.sleep(ROUNDS * _PERIOD_S)
        spent_s = _all_cpu_s(system) - cpu_s
        made = things.calls()[before:]
    lists = sum(each.act == "list" for each in made)
    return {
        "periods": ROUNDS,
        "list_calls": lists,
        "other_calls": len(made) - lists,
        "cpu_s_a_call": round(spent_s / max(1, lists), 3),
    }


def _measure_rest(form: str, *, is_on: bool) -> float:
    """Return the CPU of all processes while nothing is due, in percent."""
    far = 86400
    observer = {
        "enabled": is_on,
        "period": far,
        "max_period": far,
        "scan_interval": 5,
    }
    with _running(form, observer) as (system, _):
        _create(system, "OS::Heat::None")
        time.sleep(5)
        before = _all_cpu_s(system)
        time.sleep(_REST_S)
        spent_s = _all_cpu_s(system) - before
    return round(100 * spent_s / _REST_S, 3)


@contextlib.contextmanager
def _running(form: str, observer: dict[str, object]):
    """Yield a system that observes, and the world that it looks at."""
    things = world.World()
    things.setUp()
    try:
        with (
            tempfile.TemporaryDirectory() as directory,
            forms.running(
                form,
                pathlib.Path(directory),
                {
                    "observer": {
                        "enabled": True,
                        "scan_interval": 1,
                        **observer,
                    }
                },
                things.environment,
            ) as system,
        ):
            yield system, things
    finally:
        things.cleanUp()


def _create(system: systems.System, kind: str) -> None:
    template = {
        "heat_template_version": _VERSION,
        "resources": {f"r{n}": {"type": kind} for n in range(SIZE // STACKS)},
    }
    stacks = [
        system.client.create(f"s{number}", template)
        for number in range(STACKS)
    ]
    for each in stacks:
        system.client.wait(each, "CREATE_COMPLETE", timeout_s=120)


def _all_cpu_s(system: systems.System) -> float:
    return sum(_cpu_s(process.pid) for process in system.members)


def _cpu_s(pid: int) -> float:
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _save_result(target: pathlib.Path, facts: dict[str, object]) -> None:
    line = json.dumps(facts)
    print(line, flush=True)
    with target.open("a", encoding="utf-8") as results:
        results.write(line + "\n")
