"""What resources come after although they do not name it.

Types declare it (:attr:`orch.plugin.traits.Traits.comes_after`). A property
of the one and one of the other have to be written alike; what is written
alike comes out alike.
"""

import collections.abc

import orjson

from orch.plugin import traits
from orch.template.resources import declaration

Named = collections.abc.Mapping[str, declaration.Parsed]
_Index = dict[tuple[str, str, str], list[str]]


def find_implicit_order(resources: Named) -> dict[str, tuple[str, ...]]:
    """Return the resources that others come after unnamed, by name.

    One that needs the other by itself is left out, so that no circle comes
    of it.

    :param resources: with what they require by name
    """
    rules = {
        name: parsed.plugin.comes_after
        for name, parsed in resources.items()
        if parsed.plugin is not None and parsed.plugin.comes_after
    }
    if not rules:
        return {}
    index = _index(resources, rules.values())
    requires = {
        name: set(parsed.declaration.requires)
        for name, parsed in resources.items()
    }
    found: dict[str, tuple[str, ...]] = {}
    for name, rules_of_type in rules.items():
        added = []
        for other in _matching(resources[name], rules_of_type, index):
            if other in requires[name] or _reaches(requires, other, name):
                continue
            requires[name].add(other)
            added.append(other)
        if added:
            found[name] = tuple(added)
    return found


def _index(
    resources: Named,
    rules: collections.abc.Iterable[tuple[traits.ComesAfter, ...]],
) -> _Index:
    """Return names by type, property and what is written there."""
    rules_of_type = {
        (rule.type_name, rule.theirs) for each in rules for rule in each
    }
    index: _Index = {}
    for name, parsed in resources.items():
        kind = parsed.declaration.type_name
        for type_name, theirs in rules_of_type:
            if kind != type_name:
                continue
            for text in _written(parsed, theirs):
                index.setdefault((kind, theirs, text), []).append(name)
    return index


def _matching(
    parsed: declaration.Parsed,
    rules: tuple[traits.ComesAfter, ...],
    index: _Index,
) -> collections.abc.Iterator[str]:
    for rule in rules:
        for text in _written(parsed, rule.own):
            yield from index.get((rule.type_name, rule.theirs, text), ())


def _written(
    parsed: declaration.Parsed, path: str
) -> collections.abc.Iterator[str]:
    """Yield what is written at a path of properties, as texts."""
    assert parsed.plugin is not None
    name, _, rest = path.partition(".")
    schema = parsed.plugin.schemas.get(name)
    names = (name, *(schema.former_names if schema else ()))
    for each in names:
        if each in parsed.written:
            yield from _at(parsed.written[each], rest)


def _at(value: object, path: str) -> collections.abc.Iterator[str]:
    if path and isinstance(value, list):
        for each in value:
            yield from _at(each, path)
    elif path and isinstance(value, dict):
        name, _, rest = path.partition(".")
        if name in value:
            yield from _at(value[name], rest)
    elif not path and value is not None:
        try:
            yield orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
        except TypeError:
            return


def _reaches(
    requires: collections.abc.Mapping[str, set[str]], start: str, end: str
) -> bool:
    """Answer whether one requires the other, be it through others."""
    seen: set[str] = set()
    left = [start]
    while left:
        name = left.pop()
        if name == end:
            return True
        if name not in seen:
            seen.add(name)
            left.extend(requires.get(name, ()))
    return False
