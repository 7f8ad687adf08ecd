"""Runs the load against both forms of Orch and keeps what it printed.

``python -m bench [--forms embedded,distributed] [--large] [--parts ...]``

The load itself is not part of this repository: ``ORCH_SHARED`` (default
``../shared``) names the directory with ``bench/bench.py``, which drives any
Heat-compatible endpoint the same way. Results go to ``bench/results``: one
JSON line an operation, and ``machine.json`` with what it ran on. CPU seconds
are the figure to compare; wall time depends on who else is on the machine.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

from bench import adoption
from bench import forms
from bench import freshness
from bench import lifecycle
from bench import machine
from bench import metrics
from bench import notifications
from bench import observer
from bench import parts

RESULTS = pathlib.Path(__file__).with_name("results")
_OWN = {
    "adoption": adoption.measure,
    "freshness": freshness.measure,
    "lifecycle": lifecycle.measure,
    "metrics": metrics.measure,
    "notifications": notifications.measure,
    "observer": observer.measure,
}
"""The parts that start their own systems: several of them."""


def main() -> None:
    """Measure what was asked for."""
    asked = _parse()
    load = pathlib.Path(os.environ.get("ORCH_SHARED", "../shared"))
    load = load.resolve() / "bench" / "bench.py"
    if not load.exists():
        sys.exit(f"no load at {load}: set ORCH_SHARED")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "machine.json").write_text(
        json.dumps(machine.describe(), indent=2) + "\n", encoding="utf-8"
    )
    for form in asked.forms.split(","):
        for name in asked.parts.split(","):
            if (name == "statements") == (form == "mariadb"):
                _measure(form, name, load, asked.large)


def _measure(form: str, name: str, load: pathlib.Path, is_large: bool) -> None:
    print(f"== {form}: {name}", flush=True)
    target = RESULTS / f"{form}-{name}.jsonl"
    target.unlink(missing_ok=True)
    if name in _OWN:
        _OWN[name](form, target)
        return
    with (
        tempfile.TemporaryDirectory() as directory,
        forms.running(form, pathlib.Path(directory)) as system,
    ):
        parts.PARTS[name](system, load, target, is_large)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--forms", default="embedded,distributed,mariadb")
    parser.add_argument("--parts", default=",".join((*parts.PARTS, *_OWN)))
    parser.add_argument(
        "--large", action="store_true", help="with 10,000 resources too"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
