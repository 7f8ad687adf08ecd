"""What the template language costs, without any service around it.

``python -m bench.language`` reads templates of 1,000 and 10,000 resources as
YAML text, checks them and resolves all their properties and metadata, as one
create does. CPU seconds of one process that has read a small template before;
results go to ``results/language.jsonl``.
"""

import collections.abc
import gc
import json
import pathlib
import time

from oslo_config import cfg

from bench import machine
from orch.conf import opts
from orch.plugin import registry
from orch.template import inputs
from orch.template import template
from orch.template import world
from orch.template.resources import declaration

RESULTS = pathlib.Path(__file__).with_name("results") / "language.jsonl"
SIZES = (1000, 10_000)
ROUNDS = 3

_HEAD = """heat_template_version: 2021-04-16
parameters:
  p: {type: string, default: x}
resources:
"""
_RICH = """  r{0}:
    type: OS::Heat::TestResource
    properties:
      value:
        str_replace:
          template: "web-$n-$p and $x"
          params:
            $n: n{0}
            $p: {{get_param: p}}
            $x: {{list_join: ["-", [a, b, c{0}]]}}
      fail: false
      wait_secs: 0
      update_replace: false
      update_replace_value: "v{0}"
      action_wait_secs: {{create: 0, update: 1, delete: 2}}
      attr_wait_secs: 0
      constraint_prop_secs: 1
"""


class _World(world.EmptyWorld):
    """A world in which every resource was made."""

    def reference_id(self, name: str) -> object:
        return f"id-{name}"

    def attribute(self, name: str, attribute: str) -> object:
        return "v"


def _flat(number: int) -> str:
    return (
        f"  r{number}:\n    type: OS::Heat::RandomString\n"
        f"    properties:\n      length: {8 + number % 20}\n"
    )


def _values(number: int) -> str:
    return (
        f"  r{number}:\n    type: OS::Heat::Value\n"
        f"    properties:\n      value: text {number}\n"
    )


def _chain(number: int) -> str:
    value = f"{{get_attr: [r{number - 1}, value]}}" if number else "1"
    return (
        f"  r{number}:\n    type: OS::Heat::Value\n"
        f"    properties:\n      value: {value}\n"
    )


def _ids(number: int) -> str:
    value = f"{{get_resource: r{number - 1}}}" if number else "1"
    return (
        f"  r{number}:\n    type: OS::Heat::Value\n"
        f"    properties:\n      value: {value}\n"
    )


SHAPES: dict[str, collections.abc.Callable[[int], str]] = {
    "flat, OS::Heat::RandomString": _flat,
    "flat, OS::Heat::Value": _values,
    "chain by get_resource": _ids,
    "chain by get_attr": _chain,
    "8 properties and str_replace": _RICH.format,
}


def main() -> None:
    """Measure all shapes in all sizes."""
    conf = cfg.ConfigOpts()
    for group, options in opts.list_opts():
        conf.register_opts(options, group=group)
    types = registry.ResourceTypes(conf)
    for part in SHAPES.values():
        _measure(_written(part, 3), types)
    lines = [machine.describe()]
    for name, part in SHAPES.items():
        for size in SIZES:
            text = _written(part, size)
            rounds = [_measure(text, types) for _ in range(ROUNDS)]
            best = min(rounds, key=lambda found: found["cpu_s"])
            most = max(found["cpu_s"] for found in rounds)
            lines.append(
                {"shape": name, "n": size, **best, "most_cpu_s": most}
            )
            print(json.dumps(lines[-1]), flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(
        "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )


def _written(part: collections.abc.Callable[[int], str], size: int) -> str:
    return _HEAD + "".join(map(part, range(size)))


def _measure(text: str, types: registry.ResourceTypes) -> dict[str, float]:
    """Return what it takes to read, check and resolve one template."""
    gc.collect()
    marks = [time.process_time()]
    loaded = template.Template.load(
        inputs.Inputs(text),
        types,
        inputs.Identity("id", "name", "project"),
        inputs.Limits(template_size=-1, resources=-1),
    )
    marks.append(time.process_time())
    loaded.validate(declaration.check_with_rows)
    marks.append(time.process_time())
    for name in loaded.resources:
        loaded.resolve_properties(name, _World())
        loaded.resolve_metadata(name, _World())
    marks.append(time.process_time())
    return {
        "read_s": round(marks[1] - marks[0], 3),
        "check_s": round(marks[2] - marks[1], 3),
        "resolve_s": round(marks[3] - marks[2], 3),
        "cpu_s": round(marks[3] - marks[0], 3),
    }


if __name__ == "__main__":
    main()
