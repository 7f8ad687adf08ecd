"""Templates that are nearly right, and all that may come with them.

Text without a plan seldom gets past the parser. These have the sections,
functions and types that a template has, with arguments of every kind in
them; and good templates of others, with parts moved about.
"""

import collections.abc
import copy
import functools
import json
import random

from hypothesis import strategies

from orch.template import errors
from orch.template import inputs
from orch.template.language import versions
from orch.template.text import yaml_reader
from tests.support import shared

NAMES = ("a", "b", "c", "p", "q", "x", "y", "OS::stack_name")
TYPES = (
    "OS::Heat::Value",
    "OS::Heat::RandomString",
    "OS::Heat::TestResource",
    "OS::Heat::None",
    "OS::Heat::ResourceGroup",
    "OS::Neutron::Port",
    "OS::Nova::Server",
    "AWS::EC2::Instance",
    "kid.yaml",
    "My::Type",
    "OS::Heat::Nothing",
)
PARAMETER_TYPES = (
    *("string", "number", "json", "boolean", "comma_delimited_list"),
    *("String", "Json", "CommaDelimitedList", "strnig"),
)
ODD_TEXTS = (
    *("", " ", "%", "%a%", "$", "$.data", "{}", "[", "null", "1e999", "-1"),
    *("a" * 300, "\u20ac", "\U0001f600", "\ud800", "\x00", "a/b", "..", "*"),
    *("(a|a)+$", "[", "a{1000}", "9" * 400, "2001-01-01", "~", "<<", "true"),
)
ODD_NUMBERS = (
    *(0, -1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 1.5, 1e300, -0.0),
    *(float("inf"), float("-inf"), float("nan")),
)

Strategy = strategies.SearchStrategy[object]
Map = dict[str, object]

names = strategies.sampled_from(NAMES)
scalars: Strategy = (
    names
    | strategies.sampled_from(ODD_TEXTS)
    | strategies.sampled_from(ODD_NUMBERS)
    | strategies.none()
    | strategies.booleans()
    | strategies.integers(-3, 300)
    | strategies.text(max_size=6)
)
keys = names | strategies.sampled_from(ODD_TEXTS)


def _lists(inner: Strategy, least: int = 0, most: int = 3) -> Strategy:
    return strategies.lists(inner, min_size=least, max_size=most)


def _maps(inner: Strategy) -> Strategy:
    return strategies.dictionaries(keys, inner, max_size=3)


def _mostly(usual: Strategy, other: Strategy) -> Strategy:
    """Return one in four of the other kind."""
    return strategies.integers(0, 3).flatmap(
        lambda number: usual if number else other
    )


def _function(name: str, arguments: Strategy) -> Strategy:
    return arguments.map(lambda one: {name: one})


def _functions(inner: Strategy) -> Strategy:
    """Return calls with arguments of the right form, and anything in it."""
    pair = strategies.tuples(inner, inner).map(list)
    few = _lists(inner)
    texts = _lists(names | inner, 1)
    replaced = strategies.fixed_dictionaries(
        {"template": inner, "params": _maps(inner) | inner}
    )
    repeated = strategies.fixed_dictionaries(
        {"template": inner, "for_each": _maps(few | inner) | inner},
        optional={"permutations": inner},
    )
    query = strategies.fixed_dictionaries(
        {
            "expression": strategies.sampled_from(
                (
                    *("$.data", "$.data.sum()", "$.data.len()", "$", "1/0"),
                    *("$.data.select($+1)", "str($.data)", "dict($.data)"),
                    *("$.data.join(',')", "$.data.toSet()", "[$,$]", "$.x("),
                    *("$.data.a.b", "$.data[0]", "now()", "regex('(')"),
                )
            )
            | inner
        },
        optional={"data": inner},
    )
    url = strategies.dictionaries(
        strategies.sampled_from(
            ("scheme", "host", "port", "query", "path", "username", "x")
        ),
        inner,
        max_size=4,
    )
    shaped = {
        "get_param": names | texts,
        "get_attr": texts,
        "get_resource": names,
        "get_file": names,
        "Ref": names,
        "Fn::GetAtt": texts,
        "Fn::Join": pair,
        "Fn::Select": pair,
        "Fn::Split": pair,
        "Fn::FindInMap": texts,
        "Fn::If": texts,
        "Fn::Replace": pair,
        "Fn::MemberListToMap": few,
        "Fn::Equals": pair,
        "Fn::Not": few,
        "list_join": pair | few,
        "str_split": pair | few,
        "str_replace": replaced,
        "str_replace_strict": replaced,
        "str_replace_vstrict": replaced,
        "repeat": repeated,
        "map_merge": few,
        "map_replace": pair,
        "list_concat": few,
        "list_concat_unique": _lists(few),
        "filter": pair,
        "contains": pair,
        "digest": strategies.tuples(
            strategies.sampled_from(("md5", "sha512", "shake_128", "x")), inner
        ).map(list),
        "make_url": url,
        "yaql": query,
        "if": texts | few,
        "equals": pair,
        "not": inner,
        "and": few,
        "or": few,
        "resource_facade": strategies.sampled_from(
            ("metadata", "deletion_policy", "x")
        ),
    }
    return strategies.one_of(
        *(_function(*one) for one in shaped.items()),
        strategies.sampled_from(sorted(shaped)).flatmap(
            lambda name: _function(name, inner)
        ),
    )


values: Strategy = strategies.recursive(
    scalars,
    lambda inner: _functions(inner) | _lists(inner) | _maps(inner),
    max_leaves=12,
)
_constraints = _lists(
    strategies.dictionaries(
        strategies.sampled_from(
            (
                *("length", "range", "modulo", "allowed_values"),
                *("allowed_pattern", "custom_constraint", "description"),
            )
        ),
        strategies.dictionaries(
            strategies.sampled_from(("min", "max", "step", "offset")),
            scalars,
            max_size=2,
        )
        | _lists(scalars)
        | strategies.sampled_from(("net_cidr", "mac_addr", "timezone", "["))
        | scalars,
        min_size=1,
        max_size=2,
    )
)


def _section(
    required: dict[str, Strategy], optional: dict[str, Strategy]
) -> Strategy:
    """Return maps of named maps, now and then of something else."""
    whole = strategies.fixed_dictionaries(required, optional=optional)
    right = strategies.dictionaries(names, whole, min_size=1, max_size=3)
    wrong = strategies.dictionaries(keys, whole | values, max_size=3)
    return _mostly(right, wrong)


def _sections(key: collections.abc.Callable[[str], str]) -> Map:
    """Return strategies of all sections.

    :param key: how the format writes a key of HOT
    """

    def keyed(**parts: Strategy) -> dict[str, Strategy]:
        return {key(name): part for name, part in parts.items()}

    types = strategies.sampled_from(TYPES)
    return keyed(
        parameters=_mostly(
            strategies.just({}),
            _section(
                keyed(
                    type=strategies.sampled_from(PARAMETER_TYPES),
                    default=values,
                ),
                keyed(
                    constraints=_constraints | values,
                    hidden=scalars,
                    immutable=scalars,
                    label=scalars,
                    tags=scalars | _lists(scalars),
                    allowed_values=_lists(scalars),
                ),
            ),
        ),
        conditions=_maps(values),
        resources=_section(
            keyed(type=types | scalars),
            keyed(
                properties=strategies.dictionaries(
                    strategies.sampled_from(
                        ("value", "type", "length", "count", "resource_def")
                    ),
                    values,
                    max_size=3,
                ),
                metadata=values,
                condition=values,
                depends_on=names | _lists(names) | values,
                deletion_policy=values
                | strategies.sampled_from(("Retain", "delete", "Snapshot")),
                update_policy=values,
                external_id=values,
                description=scalars,
            ),
        ),
        outputs=_section(
            keyed(value=values), keyed(condition=values, description=scalars)
        ),
        parameter_groups=_lists(
            strategies.fixed_dictionaries(
                {}, optional={"parameters": _lists(keys), "label": scalars}
            )
        )
        | values,
        mappings=_maps(_maps(_maps(values))),
        description=scalars,
    )


_HOT = [
    version.name
    for version in versions.VERSIONS
    if version.format.kind == "hot"
]
hot: strategies.SearchStrategy[Map] = strategies.fixed_dictionaries(
    {
        "heat_template_version": strategies.sampled_from(
            [*_HOT, *["2021-04-16"] * len(_HOT), "1999-01-01", 7]
        )
    },
    optional=_sections(str),
)
cfn: strategies.SearchStrategy[Map] = strategies.fixed_dictionaries(
    {"AWSTemplateFormatVersion": strategies.just("2010-09-09")},
    optional=_sections(
        lambda name: "".join(map(str.capitalize, name.split("_")))
    ),
)
some_environment: Strategy = (
    strategies.fixed_dictionaries(
        {},
        optional={
            "parameters": _maps(values),
            "parameter_defaults": _maps(values),
            "resource_registry": strategies.dictionaries(
                strategies.sampled_from(TYPES)
                | strategies.sampled_from(("My::*", "*", "base_url")),
                strategies.sampled_from((*TYPES, "My::*", "*")) | values,
                max_size=2,
            )
            | strategies.fixed_dictionaries(
                {
                    "resources": strategies.dictionaries(
                        names | strategies.sampled_from(("*", "[", "a*")),
                        strategies.dictionaries(
                            strategies.sampled_from(
                                ("hooks", "restricted_actions", *TYPES)
                            ),
                            values | strategies.just("pre-create"),
                            max_size=2,
                        )
                        | values,
                        max_size=2,
                    )
                }
            ),
            "event_sinks": values,
            "encrypted_param_names": values,
            "parameter_merge_strategies": _maps(
                strategies.sampled_from(("merge", "deep_merge", "x"))
            ),
            "parametres": values,
        },
    )
    | values
)
environments: Strategy = _mostly(strategies.none(), some_environment)


@functools.cache
def good_templates() -> list[tuple[object, Map]]:
    """Return templates that others wrote, with what comes with them.

    :returns: none where there are no cases on this machine
    """
    found: list[tuple[object, Map]] = []
    for path in sorted(shared.CASES.glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            written = case.get("template")
            if isinstance(written, str):
                try:
                    written = yaml_reader.read_yaml(written, inputs.Limits())
                except (yaml_reader.Unreadable, errors.TooLarge):
                    continue
            if isinstance(written, dict):
                found.append((written, case))
    return found


def mutated(written: object, chance: random.Random) -> object:
    """Return a copy with one to four of its parts changed."""
    changed = copy.deepcopy(written)
    for _ in range(chance.randint(1, 4)):
        places = list(_places(changed))
        if places:
            _change(*chance.choice(places), places, chance)
    return changed


Place = tuple[Map | list[object], str | int]


def _places(value: object) -> collections.abc.Iterator[Place]:
    """Return all parts, by what holds them and their key."""
    pairs: collections.abc.Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    for key, one in pairs:
        assert isinstance(value, dict | list)
        yield value, key
        yield from _places(one)


def _change(
    holder: Map | list[object],
    key: str | int,
    places: list[Place],
    chance: random.Random,
) -> None:
    """Change one part: another value, a part from elsewhere, none."""
    other, other_key = chance.choice(places)
    try:
        part = copy.deepcopy(other[other_key])
    except (KeyError, IndexError):
        part = None  # an earlier change took it away
    odd = chance.choice([*ODD_TEXTS, *ODD_NUMBERS, None, [], {}, True])
    choices = [part, odd, [part], {"get_param": part}, {"a": part, "b": odd}]
    try:
        if chance.random() < 0.2:
            del holder[key]
        elif isinstance(holder, dict) and chance.random() < 0.2:
            holder[str(odd)] = holder.pop(key)
        else:
            holder[key] = chance.choice(choices)
    except (KeyError, IndexError):
        pass
