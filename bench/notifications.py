"""What notifications cost, beside having none.

Two systems stand side by side and create the same in turn, so that whatever
else the machine does meets both. A consumer takes what is published, as it
would in a cloud, in a process of its own that is not counted.
"""

import contextlib
import math
import pathlib
import statistics
import tempfile

from bench import forms
from bench import lifecycle
from tests.support import rabbit
from tests.support import systems

PAIRS = 9
TURNS = 3
"""Creations of each half of a pair."""


def measure(form: str, target: pathlib.Path) -> None:
    """Keep lines for 1,000 resources in one stack, and in a tree.

    Each with the defaults, and the first with a notification more for each
    change of a resource.
    """
    with (
        tempfile.TemporaryDirectory() as directory,
        rabbit.VirtualHost() as broker,
        contextlib.ExitStack() as running,
    ):
        place = pathlib.Path(directory)

        def start(name: str, **told: object) -> systems.System:
            (place / name).mkdir()
            options: systems.Options = {
                "notifications": told,
                "search": {"embedded": "false"},
                "oslo_messaging_notifications": {
                    "transport_url": broker.url()
                },
            }
            return running.enter_context(
                forms.running(form, place / name, options)
            )

        silent = start("none", topics="")
        telling = start("told")
        flat, tree = lifecycle.flat(), lifecycle.tree()
        for op, wanted, size in (
            ("create", flat, lifecycle.SIZE),
            ("create a tree", tree, lifecycle.SIZE),
        ):
            found = compare(silent, telling, *wanted)
            lifecycle.save_result(
                target, {"op": op, "resources": size, **found}
            )
        found = compare(silent, start("all", resources="true"), *flat)
        lifecycle.save_result(
            target,
            {"op": "create, each resource told", "resources": size, **found},
        )


def compare(
    silent: systems.System,
    telling: systems.System,
    template: lifecycle.Template,
    files: dict[str, str],
) -> dict[str, object]:
    """Return what the pairs have cost; the first one only warms up.

    Of each half of a pair the least of some creations counts, for whatever
    else the machine does can only add to it; the halves take turns at each.
    """
    spent: dict[str, list[float]] = {"off": [], "on": []}
    systems_ = {"off": silent, "on": telling}
    for number in range(PAIRS + 1):
        least = dict.fromkeys(systems_, math.inf)
        for turn in range(TURNS if number else 1):
            # Neither of them is always the second one.
            for kind in sorted(systems_, reverse=bool((number + turn) % 2)):
                cost = lifecycle.create(
                    systems_[kind],
                    f"s{number}-{turn}",
                    template,
                    files,
                    lifecycle.QUIET_S,
                )
                least[kind] = min(least[kind], cost)
        if number:
            for kind, cost in least.items():
                spent[kind].append(cost)
    ratios = [
        second / first
        for first, second in zip(spent["off"], spent["on"], strict=True)
    ]
    return {
        "pairs": PAIRS,
        "turns": TURNS,
        "cpu_s": {
            kind: round(statistics.median(each), 4)
            for kind, each in spent.items()
        },
        "more_percent": round(100 * (statistics.median(ratios) - 1), 1),
        "each_cpu_s": {
            kind: [round(value, 4) for value in each]
            for kind, each in spent.items()
        },
    }
