"""Templates of any length, of every shape that may cost more than it weighs.

Each function takes about how many characters to write, and returns a
template with all that comes with it.
"""

import collections.abc
import json

from orch.template import inputs

HOT = "heat_template_version: 2021-04-16\n"
NONE = "{type: OS::Heat::None}"

Shape = collections.abc.Callable[[int], inputs.Inputs]


def text(*lines: str, **more: object) -> inputs.Inputs:
    """Return a template of these lines."""
    return inputs.Inputs(HOT + "\n".join(lines) + "\n", **more)


def value(written: str, *lines: str, **more: object) -> inputs.Inputs:
    """Return a template with one resource of that value."""
    return text(
        *lines,
        "resources:",
        " b: {type: OS::Heat::None}",
        " a:",
        "  type: OS::Heat::Value",
        "  properties:",
        f"   value: {written}",
        **more,
    )


def many(part: str, count: int) -> str:
    """Return a list of parts, each with its number put in for ``#``."""
    parts = (part.replace("#", str(number)) for number in range(count))
    return f"[{', '.join(parts)}]"


def entries(part: str, count: int) -> str:
    """Return a map of parts, each with its number put in for ``#``."""
    return f"{{{many(part, count)[1:-1]}}}"


def rows(head: str, part: str, count: int) -> inputs.Inputs:
    """Return a template with one section of that many lines."""
    lines = (part.replace("#", str(number)) for number in range(count))
    return text(head, *(f" {line}" for line in lines))


def parameter(kind: str, given: object, written: str) -> inputs.Inputs:
    """Return a value that reads a parameter."""
    return value(
        written,
        f"parameters: {{p: {{type: {kind}}}}}",
        parameters={"p": given},
    )


def _patterns(count: int) -> inputs.Inputs:
    names = {f"Q{number}*": "X" for number in range(count)}
    made = rows("resources:", "r#: {type: T#}", count)
    return inputs.Inputs(made.template, {"resource_registry": names})


def _nested(count: int) -> inputs.Inputs:
    kid = rows("resources:", f"r#: {NONE}", 5).template
    made = rows("resources:", "r#: {type: k.yaml}", count)
    return inputs.Inputs(made.template, files={"k.yaml": str(kid)})


def _environments(count: int) -> inputs.Inputs:
    files = {
        f"e{number}": f"parameters: {{p: {{k{number}: 1}}}}\n"
        "parameter_merge_strategies: {default: merge}\n"
        for number in range(count)
    }
    return text(
        "parameters: {p: {type: json}}",
        files=files,
        environment_files=list(files),
    )


LINEAR: dict[str, Shape] = {
    "resources": lambda n: rows("resources:", f"r#: {NONE}", n // 30),
    "equal keys": lambda n: rows("resources:", f"r: {NONE}", n // 30),
    "a chain of attributes": lambda n: rows(
        "resources:\n r: {type: OS::Heat::Value, properties: {value: x}}",
        "r#: {type: OS::Heat::Value, properties:"
        " {value: {get_attr: [r, value]}}}",
        n // 80,
    ),
    "a long depends_on": lambda n: text(
        "resources:",
        f" a: {NONE}",
        f" b: {{type: OS::Heat::None, depends_on: {many('a', n // 3)}}}",
    ),
    "sections that nobody knows": lambda n: text(
        *(f"s{number}: 1" for number in range(n // 8))
    ),
    "types that nobody knows": lambda n: rows(
        "resources:", "r#: {type: OS::X::Y#}", n // 28
    ),
    "references to nothing": lambda n: value(
        many("{get_resource: x#}", n // 24)
    ),
    "attributes that nobody has": lambda n: value(
        many("{get_attr: [b, x#]}", n // 26)
    ),
    "parameters": lambda n: rows(
        "parameters:",
        "p#: {type: string, default: a, constraints: [length: {min: 1}]}",
        n // 60,
    ),
    "values without parameter": lambda n: text(
        parameters={f"p{number}": "" for number in range(n // 10)}
    ),
    "parameters without value": lambda n: rows(
        "parameters:", "p#: {type: string}", n // 25
    ),
    "wrong definitions": lambda n: rows("parameters:", "p#: 1", n // 8),
    "wrong outputs": lambda n: rows("outputs:", "o#: 1", n // 8),
    "outputs": lambda n: rows(
        "outputs:", "o#: {value: {get_param: 'OS::stack_name'}}", n // 50
    ),
    "allowed values": lambda n: text(
        "parameters: {p: {type: comma_delimited_list, constraints:"
        f" [allowed_values: {many('a#', n // 14)}]}}}}",
        parameters={"p": ",".join(f"a{one}" for one in range(n // 14))},
    ),
    "conditions on conditions": lambda n: text(
        "conditions:",
        " c0: {equals: [1, 1]}",
        *(f" c{one}: {{not: c{one - 1}}}" for one in range(1, n // 40)),
        "resources:",
        *(
            f" r{one}: {{type: OS::Heat::None, condition: c{one}}}"
            for one in range(n // 40)
        ),
    ),
    "conditions in a circle": lambda n: text(
        "conditions:",
        *(
            f" c{one}: {{not: c{(one + 1) % (n // 70)}}}"
            for one in range(n // 70)
        ),
        "resources:",
        *(
            f" r{one}: {{type: OS::Heat::None, condition: c{one}}}"
            for one in range(n // 70)
        ),
    ),
    "resources in a circle": lambda n: text(
        "resources:",
        *(
            f" r{one}: {{type: OS::Heat::None,"
            f" depends_on: r{(one + 1) % (n // 45)}}}"
            for one in range(n // 45)
        ),
    ),
    "functions in one another": lambda n: value(
        many("{list_join: ['', [" * 40 + "x" + "]]}" * 40, n // 900)
    ),
    "choices in one another": lambda n: value(
        many("{if: [true, " * 60 + "x" + ", y]}" * 60, n // 1100)
    ),
    "attributes in one another": lambda n: value(
        many("{get_attr: [b, show, " * 60 + "x" + "]}" * 60, n // 1500)
    ),
    "lists that are unique": lambda n: value(
        f"{{list_concat_unique: [{many('[#, {k: #}]', n // 18)}]}}"
    ),
    "lists that are filtered": lambda n: value(
        f"{{filter: [{many('[#]', n // 14)}, {many('[-#]', n // 14)}]}}"
    ),
    "a text with one parameter": lambda n: value(
        f"{{str_replace: {{template: {'ab' * (n // 2)}, params: {{a: b}}}}}}"
    ),
    "a text that is split": lambda n: value(f"{{str_split: [x, {'x' * n}]}}"),
    "a map that is renamed": lambda n: value(
        f"{{map_replace: [{entries('k#: #', n // 20)},"
        f" {{keys: {entries('k#: l#', n // 20)}}}]}}"
    ),
    "a repeat": lambda n: value(
        "{repeat: {for_each: {'%a%': " + many("x#", n // 8) + "},"
        " template: {'%a%': ['%a%']}}}"
    ),
    "groups": lambda n: text(
        f"parameters: {entries('p#: {type: string, default: x}', n // 50)}",
        f"parameter_groups: [{{parameters: {many('p#', n // 50)}}}]",
    ),
    "patterns of types": lambda n: _patterns(n // 30),
    "templates in a template": lambda n: _nested(n // 40),
    "environments": lambda n: _environments(n // 90),
    "words": lambda n: value(many("y#", n // 6)),
    "dates": lambda n: value(many("2001-01-01", n // 12)),
    "numbers": lambda n: value(many("#", n // 6)),
    "longest numbers": lambda n: value(many("9" * 4000 + "#", n // 4000 + 1)),
    "anchors": lambda n: value(many("&a# x", n // 8)),
    "aliases": lambda n: value(f"{{a: &a {{k: v}}, b: {many('*a', n // 4)}}}"),
    "merge keys": lambda n: value(
        f"{{a: &a {{k: v}}, b: {many('{<<: *a}', n // 10)}}}"
    ),
    "keys that are lists": lambda n: value(entries("[#]: 1", n // 9)),
    "sets": lambda n: value(f"!!set {entries('a#', n // 7)}"),
    "deep lists": lambda n: value(many("[" * 150 + "]" * 150, n // 300)),
    "a long text": lambda n: value("x" * n),
    "a long quoted text": lambda n: value('"' + "\\x41" * (n // 4) + '"'),
    "a long folded text": lambda n: value(">\n" + "    word\n" * (n // 9)),
    "long lines of nothing": lambda n: text("x:" + " " * n + "1"),
    "comments": lambda n: text("#\n" * (n // 2)),
    "groups of 60": lambda n: value("1" + ":10" * (n // 3) + ":x"),
    "digits with lines": lambda n: value("+" + "1_" * (n // 2) + "x"),
    "JSON": lambda n: parameter(
        "json", json.dumps([{"a": [1]}] * (n // 14)), "{get_param: p}"
    ),
    "a list with commas": lambda n: parameter(
        "comma_delimited_list", "a," * (n // 2), "{get_param: p}"
    ),
}
