"""Resolves fields and values of queries: aliases, and typed values.

Both languages of queries (``language``, ``searchlight``) end here, so that
``status:failed`` is the same whoever says it.
"""

import collections.abc
import difflib
import typing

from orch import clock
from orch.search import document
from orch.search import tokenizer
from orch.search.query import dates
from orch.search.query import enumerated
from orch.search.query import nodes
from orch.search.query import suggestions
from orch.search.query import values

ALIASES: typing.Final = {
    "tag": "tags",
    "project": "project_id",
    "created": "created_at",
    "creation_time": "created_at",
    "updated": "updated_at",
    "updated_time": "updated_at",
    "template": "texts.template",
    "event": "texts.events",
    "events": "texts.events",
    "resource_type": "type",
    "physical_resource_id": "physical_id",
    "stack_name": "name",
    "stack_status": "state",
    "stack_owner": "owner",
    "status_reason": "reason",
    "state_reason": "reason",
    "stack_status_reason": "reason",
    "_id": "id",
    "_type": "type",
}

_PREFIXES: typing.Final = {
    "property": "properties",
    "parameter": "parameters",
    "output": "outputs",
    "attribute": "attributes",
    "verdict": "verdicts",
    "operations": "operation",
    "text": "texts",
}
_STATE: typing.Final = "state"
_MAX_ENUMERATED_LENGTH: typing.Final = 80
_MAX_NAME_LENGTH: typing.Final = 80
_LEAST_SIMILARITY: typing.Final = 0.7
_IDENTIFIERS: typing.Final = ("stack_id", "physical_id", "id")
_LEAST_SECONDS: typing.Final = 100_000
_NAMES: typing.Final = tuple(
    sorted({*values.NATIVE, *values.MOMENTS, *ALIASES, _STATE})
)
_GROUPS: typing.Final = (
    "properties",
    "parameters",
    "outputs",
    "attributes",
    "verdicts",
    "operation",
    "texts",
    "resource",
)
"""What the names of most fields begin with, up to the first dot."""

WILDCARDS: typing.Final = "*?"


class UnclearError(Exception):
    """A part of a query has no meaning.

    :ivar message: what is wrong
    :ivar advice: what to write instead
    """

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


class KnownNames(typing.Protocol):
    """The names of fields of what is searched, besides those of all.

    :ivar is_whole: there are no others
    """

    is_whole: bool

    def has(self, name: str) -> bool:
        """Whether anything has a field of that name."""

    def list_names(self) -> list[str]:
        """Return all names, and the last part of each."""


class _NoNames:
    is_whole = False

    def has(self, name: str) -> bool:
        return False

    def list_names(self) -> list[str]:
        return []


NO_NAMES: typing.Final[KnownNames] = _NoNames()
"""For callers without an index."""


def resolve_field(name: str, known: KnownNames = NO_NAMES) -> str:
    """Return the field that a name in a query means.

    :param known: what has a name there is not misspelled
    :raises UnclearError: it is most likely a misspelled name
    """
    if found := ALIASES.get(name):
        return found
    if values.is_native(name) or name == _STATE:
        return name
    first, dot, rest = name.partition(".")
    if dot:
        return f"{_group(first, rest, known)}.{rest}"
    suggestion = suggestions.suggest_name(name, _NAMES)
    if not (suggestion or known.is_whole) or known.has(name):
        return name
    suggestion = suggestion or suggestions.suggest_name(
        name, known.list_names()
    )
    if suggestion:
        raise UnclearError(
            f"there is no field {name}",
            f"did you mean {suggestion}? A property of that name is"
            f" properties.{name}",
        )
    return name


def is_known(name: str) -> bool:
    """Whether a name is always that of a field."""
    return name in _NAMES or name.partition(".")[0] in (*_GROUPS, *_PREFIXES)


def _group(first: str, rest: str, known: KnownNames) -> str:
    if first in _GROUPS:
        return first
    if found := _PREFIXES.get(first):
        return found
    suggestion = suggestions.suggest_name(first, _GROUPS)
    if suggestion and not known.has(f"{first}.{rest}"):
        raise UnclearError(
            f"there is no field {first}.{rest}",
            f"did you mean {suggestion}.{rest}?",
        )
    return first


def check_exists(field: str, known: KnownNames) -> None:
    """Raise UnclearError for a field that nothing has.

    What begins with the name of a group, as ``properties.`` does, may come:
    it is refused only if it is most likely misspelled.

    :param field: as :func:`resolve_field` gives it
    """
    if values.is_native(field) or not known.is_whole or known.has(field):
        return
    names = known.list_names()
    if field.partition(".")[0] in _GROUPS:
        suggestion = suggestions.suggest_name(field, names)
        if not suggestion:
            return
        close = [suggestion]
    else:
        close = difflib.get_close_matches(
            field[:_MAX_NAME_LENGTH], (*_NAMES, *names), 1, _LEAST_SIMILARITY
        )
    advice = f"did you mean {close[0]}?" if close else ""
    if "." not in field:
        advice = f"{advice} A property of that name is properties.{field}"
    raise UnclearError(
        f"there is no field {field[:_MAX_NAME_LENGTH]}",
        advice.strip() or f"names begin with one of {', '.join(_GROUPS)}",
    )


def value_condition(
    name: str, text: str, now: clock.Timestamp, *, is_checked: bool = True
) -> nodes.Node:
    """Return what ``field:text`` means: a whole value.

    :param name: as :func:`resolve_field` gives it
    :param is_checked: it is an error if the field never has that value;
        else nothing fits. For what is looked for in several fields at once.
    :raises UnclearError: the field has no such values
    """
    if not tokenizer.fold_value(text):
        raise UnclearError(
            f"the value of {name} is empty",
            f"write -{name}:* for what has no {name}",
        )
    if name in values.MOMENTS:
        return _during(name, text, now)
    if name in (_STATE, "status"):
        return _state(text, is_checked)
    if name == "id":
        return _any_of(
            nodes.Term(each, sought) for each, sought in _identities(text)
        )
    if name == "type" and (kind := enumerated.find_kind(text)):
        return nodes.Term("kind", kind)
    if is_checked:
        _check(name, text)
    return nodes.Term(name, enumerated.find_value(name, text))


def _check(name: str, text: str) -> None:
    if advice := enumerated.find_missing(name, text):
        raise UnclearError(
            f"there is no {name} {text[:_MAX_ENUMERATED_LENGTH]}", advice
        )


def _identities(text: str) -> collections.abc.Iterator[tuple[str, str]]:
    """Return fields, and what stands in them of what an id is given of.

    The id of a hit is that of its document without the kind before it.
    """
    for name in _IDENTIFIERS:
        yield name, text
    for kind in (document.RESOURCE, document.ORPHAN):
        yield "id", f"{kind}/{text}"


def identity_condition(text: str) -> nodes.Node:
    """Return the condition on an id, ours or the cloud's."""
    names = (text, *(f"{kind}/{text}" for kind in document.KINDS))
    return nodes.Or(
        (
            *(nodes.Term("id", each) for each in names),
            nodes.Term("physical_id", text),
        )
    )


def _state(text: str, is_checked: bool) -> nodes.Node:
    sought = "_".join(text.upper().replace("-", " ").split())
    for status in enumerated.STATUSES:
        action = sought.removesuffix(f"_{status}")
        if action != sought:
            if is_checked:
                _check("action", action)
            return nodes.And(
                (nodes.Term("action", action), nodes.Term("status", status))
            )
    if is_checked:
        _check_status(text, sought)
    return nodes.Term("status", sought)


def _check_status(text: str, sought: str) -> None:
    advice = enumerated.find_missing("status", sought)
    if not advice:
        return
    if sought in enumerated.ACTIONS:
        said = f"write action:{sought}, or state:{sought}_*"
    else:
        said = (
            f"{advice}, or an action too, as in CREATE_FAILED; what a service"
            " calls its status is attributes.status"
        )
    raise UnclearError(
        f"there is no status {text[:_MAX_ENUMERATED_LENGTH]}", said
    )


def pattern_condition(name: str, text: str) -> nodes.Node:
    """Return what ``field:te*t`` means.

    :raises UnclearError: the field cannot be asked so
    """
    if not text.strip("*"):
        return exists_condition(name)
    if name in values.MOMENTS:
        raise UnclearError(
            f"{name} is a moment, and knows no wildcards",
            f"write {name}:2026-01 for a month, {name}:>now-7d, or"
            f" {name}:[2026-01-01 TO 2026-02-01}}",
        )
    if name in (_STATE, "status"):
        return _state_like(text)
    if name == "id":
        return _any_of(
            nodes.Pattern(each, sought) for each, sought in _identities(text)
        )
    if values.is_worded(name) and _is_plain_prefix(text):
        return nodes.Words(tuple(tokenizer.split_words(text[:-1])), True, name)
    return nodes.Pattern(name, text)


def _state_like(text: str) -> nodes.Node:
    for status in enumerated.STATUSES:
        action = text.upper().removesuffix(f"_{status}")
        if action != text.upper():
            found = nodes.Term("status", status)
            if action == "*":
                return found
            return nodes.And((nodes.Pattern("action", action), found))
    if text.endswith("_*"):
        action = text[:-2]
        if not any(each in action for each in WILDCARDS):
            return nodes.Term("action", action)
    return nodes.Pattern("status", text)


def _is_plain_prefix(text: str) -> bool:
    """Tell words of which the last one may go on, and nothing else."""
    start = text[:-1]
    return (
        text.endswith("*")
        and not any(each in start for each in WILDCARDS)
        and "/" not in start
        and is_in_word(start)
    )


def is_in_word(text: str) -> bool:
    """Whether a text ends within a word, which may go on."""
    return tokenizer.fold_text(text)[-1:].isalnum()


def phrase_prefix(name: str, text: str) -> nodes.Node:
    """Return what ``"text"*`` means, in a field or anywhere.

    :raises UnclearError: there is no word in it
    """
    found = tokenizer.split_words(text)
    if not found:
        raise no_words_error(text)
    return nodes.Words(tuple(found), True, name)


def anywhere_condition(text: str, is_prefix: bool) -> nodes.Node:
    """Return what words without a field mean.

    :raises UnclearError: there is no word in it
    """
    found = tokenizer.split_words(text)
    if not found:
        raise no_words_error(text)
    return nodes.Words(tuple(found), is_prefix)


def no_words_error(text: str) -> UnclearError:
    """Return the error for a text of signs only."""
    return UnclearError(
        f"{text!r} has no letters or digits to look for", "leave it out"
    )


def exists_condition(name: str) -> nodes.Node:
    """Return what ``field:*`` means."""
    return nodes.Exists("status" if name == _STATE else name)


def range_condition(
    name: str,
    low: str,
    high: str,
    has_low: bool,
    has_high: bool,
    now: clock.Timestamp,
) -> nodes.Node:
    """Return a range; empty texts or ``*`` are bounds left open.

    A date is all of its day: behind ``>2026-01-01`` is what comes from the
    second on.

    :raises UnclearError: a bound is no number and no moment, they are the
        wrong way round, or the field has neither numbers nor moments
    """
    if name in values.NATIVE or name == _STATE or name.startswith(values.TEXT):
        raise UnclearError(
            f"{name} is a text, and has no ranges",
            f"write {name}:value, {name}:val* or {name}:*",
        )
    lowest = _bound(name, low, now)
    highest = _bound(name, high, now)
    first = last = None
    if lowest:
        is_end = not has_low and lowest.end > lowest.start
        first = lowest.end if is_end else lowest.start
        has_low = has_low or is_end
    if highest:
        is_end = has_high and highest.end > highest.start
        last = highest.end if is_end else highest.start
        has_high = has_high and not is_end
    if first is not None and last is not None and first > last:
        raise UnclearError(
            f"the bounds {low} and {high} are the wrong way round",
            f"write [{high} TO {low}]",
        )
    if first is None and last is None:
        return nodes.Exists(name)
    return nodes.Range(name, first, last, has_low, has_high)


def _during(name: str, text: str, now: clock.Timestamp) -> nodes.Node:
    return range_condition(name, text, text, True, True, now)


def _bound(name: str, text: str, now: clock.Timestamp) -> dates.Span | None:
    if text in ("", "*"):
        return None
    number = values.number_of(text)
    is_moment = name in values.MOMENTS
    if number is not None and is_moment and abs(number) < _LEAST_SECONDS:
        number = None
    if number is None or "-" in text[1:]:
        try:
            span = dates.parse_span(text, now)
        except ValueError as e:
            raise UnclearError(
                f"there is no moment {text} ({e})",
                f"expected {dates.EXPECTED}",
            ) from e
        if span:
            return span
    if number is None:
        expected = dates.EXPECTED
        raise UnclearError(
            f"{text} is no moment"
            if is_moment
            else f"{text} is neither a number nor a moment",
            f"expected {expected}"
            if is_moment
            else f"expected a number, {expected}",
        )
    single = clock.Timestamp(number)
    return dates.Span(single, single)


def _any_of(found: collections.abc.Iterable[nodes.Node]) -> nodes.Node:
    return nodes.Or(tuple(found))


def all_of(found: collections.abc.Sequence[nodes.Node]) -> nodes.Node:
    """Return what fits all of them; the node itself where there is one."""
    return found[0] if len(found) == 1 else nodes.And(tuple(found))


def any_of(found: collections.abc.Sequence[nodes.Node]) -> nodes.Node:
    """Return what fits one of them; the node itself where there is one."""
    return found[0] if len(found) == 1 else nodes.Or(tuple(found))


def optional_condition(
    found: collections.abc.Sequence[nodes.Node],
) -> list[nodes.Node]:
    """Return what asks for nothing, and lets what fits come sooner.

    :returns: none, where nothing of it adds to a score
    """
    ranked = [each for each in found if _is_ranked(each)]
    return [nodes.Or((*ranked, nodes.All()))] if ranked else []


def _is_ranked(node: nodes.Node) -> bool:
    match node:
        case nodes.And(parts) | nodes.Or(parts):
            return any(map(_is_ranked, parts))
        case nodes.Words():
            return True
        case nodes.Term(field):
            return values.is_worded(field)
    return False
