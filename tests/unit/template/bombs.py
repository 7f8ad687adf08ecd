"""Short templates that ask for more work or memory than anybody has.

``python -m tests.unit.template.bombs`` plays them all in a process that may
not grow, and prints for each of them what came of it, as JSON.
"""

import itertools
import json
import pathlib
import re
import resource
import sys
import time

from orch import errors
from orch.plugin import registry
from orch.template import inputs
from tests.unit.template import exercise
from tests.unit.template import shapes

SIZE = 100_000
MEMORY = 400 << 20
"""What the process may have beside what it has at the start."""
WORK = 2_000_000
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Inputs = inputs.Inputs


def yaql(query: str) -> Inputs:
    return shapes.value(
        f"{{yaql: {{expression: {json.dumps(query)}, data: [1, 2]}}}}"
    )


def nested_repeat(depth: int) -> Inputs:
    made = "'%a0%'"
    for level in range(depth):
        made = (
            f"{{repeat: {{for_each: {{'%a{level}%':"
            f" {shapes.many('x', 4000)}}}, template: {made}}}}}"
        )
    return shapes.value(made)


def repeat(lists: str, template: str, more: str = "") -> Inputs:
    return shapes.value(
        f"{{repeat: {{for_each: {lists}, template: {template}{more}}}}}"
    )


def of_parameter(
    kind: str, given: object, call: str, count: int = 3000
) -> Inputs:
    """Return a value that reads a large parameter many times."""
    return shapes.parameter(kind, given, shapes.many(call, count))


def pattern(expression: str, default: str = "a") -> Inputs:
    return shapes.text(
        f"parameters: {{p: {{type: string, default: {default},"
        f" constraints: [allowed_pattern: {json.dumps(expression)}]}}}}"
    )


def sections(**specials: object) -> Inputs:
    """Return many resources, and what a registry says of them by name."""
    made = shapes.rows("resources:", f"{'a' * 200}#: {shapes.NONE}", 400)
    return Inputs(
        made.template, {"resource_registry": {"resources": specials}}
    )


def doubling(levels: int, part: str) -> str:
    lines = [f"x0: &x0 {part.replace('*', 'a')}"]
    lines += [
        f"x{level}: &x{level} {part.replace('*', f'*x{level - 1}')}"
        for level in range(1, levels)
    ]
    return "\n".join(lines)


_LIST = [[]] * 20_000
_MAP = {f"k{number}": 1 for number in range(5000)}
_FEED = ", ".join(
    f"{letter}: [{after * 9}]"
    for letter, after in itertools.pairwise(_LETTERS)
)
_GROW = "x" * (SIZE // 2)

BOMBS: dict[str, Inputs] = {
    "aliases": shapes.text(doubling(100, "[*, *, *]")),
    "merge keys": shapes.text(doubling(100, "{<<: [*, *]}")),
    "an alias of a long text": shapes.value(
        f"{{a: &a {_GROW}, b: {shapes.many('*a', SIZE // 5)}}}"
    ),
    "deep lists": shapes.text("x: " + "[" * SIZE),
    "deep keys": shapes.text("? " * SIZE),
    "deep JSON": Inputs(
        '{"heat_template_version": "2021-04-16", "x": ' + "[" * SIZE
    ),
    "a long number": shapes.value("1" * SIZE),
    "a long number of 16": shapes.value("0x" + "f" * SIZE),
    "a long number of 60": shapes.value("1" + ":10" * SIZE),
    "a long fraction of 60": shapes.value("1" + ":10" * SIZE + ".5"),
    "a tagged number": shapes.value("!!int '0x" + "f" * SIZE + "'"),
    "a large exponent": shapes.value("1.0e+" + "9" * SIZE),
    "a repeat of repeats": nested_repeat(8),
    "combinations": repeat(
        shapes.entries("'%#%': [x, x, x, x, x]", 1000), "x"
    ),
    "combinations of one": repeat(
        shapes.entries("'%#%': [x]", 5000)[:-1]
        + ", "
        + shapes.entries("'a#': [x, x]", 12)[1:],
        "1",
    ),
    "a repeat of maps": repeat(
        shapes.entries(f"'%#%': {shapes.many('x', 9000)}", 2),
        "[{}, {}, [], []]",
    ),
    "a repeat that grows": repeat(
        f"{{'%a%': [{_GROW}]}}", "'" + "%a%" * (SIZE // 6) + "'"
    ),
    "a repeat that feeds itself": repeat(
        f"{{{_FEED}}}", "a" * 1000, ", permutations: false"
    ),
    "a text in a text": shapes.value(
        f"{{str_replace: {{template: {_GROW}, params: {{x: {_GROW}}}}}}}"
    ),
    "many placeholders": shapes.value(
        f"{{str_replace: {{template: {'ab' * SIZE}, params:"
        f" {shapes.entries('k#: 1', SIZE // 10)}}}}}"
    ),
    "a long delimiter": shapes.value(
        f"{{list_join: [{_GROW}, {shapes.many('y', SIZE // 4)}]}}"
    ),
    "texts of a parameter": of_parameter(
        "string", _GROW, "{list_join: ['', [{get_param: p}]]}"
    ),
    "parts of a parameter": of_parameter(
        "string", _GROW, "{str_split: [x, {get_param: p}]}"
    ),
    "digests of a parameter": of_parameter(
        "string", _GROW, "{digest: [sha512, {get_param: p}]}"
    ),
    "copies of a parameter": of_parameter("json", _MAP, "{get_param: p}"),
    "copies of a list": of_parameter(
        "json", _LIST, "{list_concat: [{get_param: p}]}"
    ),
    "copies of a map": of_parameter(
        "json", _MAP, "{map_merge: [{get_param: p}]}"
    ),
    "renamed maps": of_parameter(
        "json", _MAP, "{map_replace: [{get_param: p}, {}]}"
    ),
    "JSON of a list": of_parameter(
        "json", _LIST, "{list_join: ['', [{get_param: p}]]}"
    ),
    "a list that is searched": of_parameter(
        "json", _LIST, "{contains: [x, {get_param: p}]}"
    ),
    "copies of a file": shapes.value(
        shapes.many("{get_file: f}", 5000), files={"f": _GROW}
    ),
    "deep JSON in a parameter": of_parameter(
        "json", "[" * 900 + "]" * 900, "{get_param: p}", 1
    ),
    "bottomless JSON in a parameter": of_parameter(
        "json", "[" * SIZE, "{get_param: p}", 1
    ),
    "a pattern without end": pattern("(a|a)+$", "a" * 60 + "b"),
    "a pattern that repeats": pattern("((((a{100}){100}){100}){100}){100}"),
    "a long pattern": pattern("(?i)" + "[^a-z]" * (SIZE // 6)),
    "a deep pattern": pattern("(" * SIZE + ")" * SIZE),
    "patterns of resources": sections(
        **{f"{'*a' * 90}{number}": {} for number in range(200)}
    ),
    "too many patterns": sections(
        **{f"*{number}": {} for number in range(9000)}
    ),
    "a pattern of stars": sections(**{"*a" * SIZE: {}}),
    "a type that grows": Inputs(
        shapes.text(f"resources: {{r: {{type: {'T' * 200}}}}}").template,
        {"resource_registry": {"T*": "T" * SIZE + "*"}},
    ),
    "a template in itself": shapes.text(
        "resources: {a: {type: k.yaml}}",
        files={
            "k.yaml": shapes.HOT
            + "resources: {a: {type: k.yaml}, b: {type: k.yaml}}\n"
        },
    ),
    "a power": yaql("pow(9, 99999999)"),
    "a power of a power": yaql("pow(pow(9, 999), 99999)"),
    "a shifted number": yaql("shiftBitsLeft(1, 99999999999)"),
    "a rounded number": yaql("round(1, -99999999)"),
    "a text times a number": yaql("'x' * 1000000000"),
    "a range": yaql("range(1000000000).len()"),
    "numbers without end": yaql("sequence().len()"),
    "values without end": yaql("generate(1, true, $ + 1).len()"),
    "lists in lists": yaql("range(99).aggregate([$1, $1], 1)"),
    "the text of that": yaql("str(range(99).aggregate([$1, $1], 1))"),
    "the set of that": yaql("set(range(99).aggregate([$1, $1], 1)).len()"),
    "the set of less": yaql("set(range(16).aggregate([$1, $1], 1)).len()"),
    "two of that": yaql(
        "range(99).aggregate([$1, $1], 1) = range(99).aggregate([$1, $1], 1)"
    ),
    "maps in maps": yaql("range(99).aggregate({a => $1, b => $1}, 1)"),
    "loops in loops": yaql(
        "range(199).select(range(199).select(range(199).len()).len()).len()"
    ),
    "a text that is replaced": yaql(
        "('x' * 9000).replace('x', 'y' * 9000).len()"
    ),
    "texts that are replaced": yaql(
        "('x' * 90).replace({x => 'y' * 9000, y => 'x' * 9000}).len()"
    ),
    "itself": yaql("def(f, f($)) -> f(1)"),
    "a long query": yaql("1" + "+1" * SIZE),
    "a query with many arguments": yaql("[" + "1," * SIZE + "1]"),
}

HARMLESS = {"patterns of resources", "a rounded number"}
"""Those that have a value, and come to it soon."""


def play(given: Inputs, types: registry.ResourceTypes) -> dict[str, object]:
    """Return what came of one template."""
    begun = time.process_time()
    most = inputs.Limits(work=WORK, resource_work=WORK, template_size=-1)
    outcome = ""
    try:
        exercise.use(given, types, most)
    except errors.OrchError as error:
        outcome = f"{error.code} {error.message[:300]}"
    except Exception as error:
        outcome = f"orch.internal {error!r:.300}"
    if re.search("Memory ?Error", outcome):
        outcome = f"orch.internal {outcome}"
    return {"outcome": outcome, "cpu_s": time.process_time() - begun}


def main() -> None:
    """Play all, in no more memory than is allowed."""
    types = exercise.installed_types()
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    json.dump(
        {name: play(given, types) for name, given in BOMBS.items()}, sys.stdout
    )


if __name__ == "__main__":
    main()
