"""Queries in OpenSearch's own words, tried on one level of a row.

What is not known here is refused, as OpenSearch refuses what it does not
know: nothing passes because it was overlooked.
"""

import collections.abc
import operator
import re
import typing

from tests.support.opensearch import levels

_Map: typing.TypeAlias = dict[str, typing.Any]
_Level: typing.TypeAlias = levels.Level
Scorer: typing.TypeAlias = collections.abc.Callable[[_Level], float | None]
_Test: typing.TypeAlias = collections.abc.Callable[[typing.Any], bool]


def read(query: _Map) -> Scorer:
    """Return what tells how well a level fits; ``None`` where it does not.

    :raises RefusedError: it is none that we know
    """
    if len(query) != 1:
        raise levels.RefusedError("parsing_exception", f"{sorted(query)}")
    ((name, body),) = query.items()
    found = _QUERIES.get(name)
    if found is None:
        raise levels.RefusedError("parsing_exception", f"unknown [{name}]")
    return found(body)


def _known(body: _Map, *names: str) -> None:
    wrong = set(body) - set(names)
    if wrong:
        raise levels.RefusedError("parsing_exception", f"{sorted(wrong)}")


def _match_all(body: _Map) -> Scorer:
    _known(body)
    return lambda level: 1.0


def _several(body: _Map, name: str) -> list[Scorer]:
    found = body.get(name, [])
    return [read(x) for x in ([found] if isinstance(found, dict) else found)]


def _bool(body: _Map) -> Scorer:
    names = ("filter", "must", "must_not", "should")
    _known(body, *names, "minimum_should_match")
    kept, must, no, may = (_several(body, name) for name in names)
    least = 1 if may and not kept and not must and not no else 0
    least = body.get("minimum_should_match", least)

    def ask(level: _Level) -> float | None:
        points = 0.0
        for each in kept:
            if each(level) is None:
                return None
        for each in no:
            if each(level) is not None:
                return None
        for each in must:
            found = each(level)
            if found is None:
                return None
            points += found
        good = [x for each in may if (x := each(level)) is not None]
        return points + sum(good) if len(good) >= least else None

    return ask


def _constant(body: _Map) -> Scorer:
    _known(body, "filter", "boost")
    inner, boost = read(body["filter"]), body.get("boost", 1.0)
    return lambda level: None if inner(level) is None else boost


def _dis_max(body: _Map) -> Scorer:
    _known(body, "queries")
    inner = [read(each) for each in body["queries"]]

    def ask(level: _Level) -> float | None:
        found = [x for each in inner if (x := each(level)) is not None]
        return max(found, default=None)

    return ask


def _nested(body: _Map) -> Scorer:
    _known(body, "path", "query")
    path, inner = body["path"], read(body["query"])

    def ask(level: _Level) -> float | None:
        if level.types.get(path) != "nested":
            raise levels.RefusedError("query_shard_exception", path)
        several = level.children.get(path, [])
        found = [x for each in several if (x := inner(each)) is not None]
        return sum(found) / len(found) if found else None

    return ask


def _field(body: _Map, *options: str) -> tuple[str, _Map]:
    if len(body) != 1:
        raise levels.RefusedError("parsing_exception", f"{sorted(body)}")
    ((name, told),) = body.items()
    told = told if isinstance(told, dict) else {options[0]: told}
    _known(told, *options)
    return name, told


def _some(name: str, test: _Test) -> Scorer:
    """Return what asks for a term of a field: a word of a text, or a value."""

    def ask(level: _Level) -> float | None:
        for each in level.values.get(name, ()):
            if test(each):
                return 1.0
        for _, word in level.tokens.get(name, ()):
            if test(word):
                return 1.0
        return None

    return ask


def _term(body: _Map) -> Scorer:
    name, told = _field(body, "value")
    return _some(name, told["value"].__eq__)


def _terms(body: _Map) -> Scorer:
    ((name, wanted),) = body.items()
    return _some(name, frozenset(wanted).__contains__)


def _prefix(body: _Map) -> Scorer:
    name, told = _field(body, "value")
    return _some(name, lambda value: value.startswith(told["value"]))


def _wildcard(body: _Map) -> Scorer:
    name, told = _field(body, "value")
    pattern = _expression(told["value"])
    return _some(name, lambda value: pattern.fullmatch(value) is not None)


def _expression(pattern: str) -> re.Pattern[str]:
    pieces = re.findall(r"\\.|[*?]|[^*?\\]+|\\", pattern, re.DOTALL)
    made = [
        {"*": ".*", "?": "."}.get(each)
        or re.escape(each[1:] if len(each) == 2 and each[0] == "\\" else each)
        for each in pieces
    ]
    return re.compile("".join(made), re.DOTALL)


def _range(body: _Map) -> Scorer:
    name, told = _field(body, "gt", "gte", "lt", "lte")
    compared = {
        "gt": operator.gt,
        "gte": operator.ge,
        "lt": operator.lt,
        "lte": operator.le,
    }
    tests = [(compared[each], bound) for each, bound in told.items()]
    return _some(
        name, lambda value: all(test(value, bound) for test, bound in tests)
    )


def _exists(body: _Map) -> Scorer:
    _known(body, "field")
    return _some(body["field"], lambda value: True)


def _phrase(body: _Map) -> Scorer:
    name, told = _field(body, "query")
    phrase = told["query"].split()
    return lambda level: _stands(level, name, phrase, False)


def _phrase_prefix(body: _Map) -> Scorer:
    name, told = _field(body, "query", "max_expansions")
    phrase = told["query"].split()
    return lambda level: _stands(level, name, phrase, True)


def _stands(
    level: _Level, name: str, phrase: list[str], is_prefix: bool
) -> float | None:
    *whole, last = phrase
    places = dict(level.tokens.get(name, []))
    for start in places:
        end = places.get(start + len(whole))
        if end is None or not (
            end.startswith(last) if is_prefix else end == last
        ):
            continue
        if all(
            places.get(start + number) == word
            for number, word in enumerate(whole)
        ):
            return 1.0
    return None


_QUERIES: dict[str, collections.abc.Callable[[_Map], Scorer]] = {
    "match_all": _match_all,
    "bool": _bool,
    "constant_score": _constant,
    "dis_max": _dis_max,
    "nested": _nested,
    "term": _term,
    "terms": _terms,
    "prefix": _prefix,
    "wildcard": _wildcard,
    "range": _range,
    "exists": _exists,
    "match_phrase": _phrase,
    "match_phrase_prefix": _phrase_prefix,
}
