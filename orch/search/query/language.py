"""The query language in one line, as users type it.

Every form stands in ``doc/source/search_language.rst``.
"""

import collections.abc
import typing

from orch import clock
from orch.search.query import fields
from orch.search.query import nodes
from orch.search.query import scanner as query_scanner

MAX_LENGTH: typing.Final = 2000
MAX_DEPTH: typing.Final = 20
MAX_CONDITIONS: typing.Final = 200


class Tally:
    """Counts the conditions of a query, over all lines in it."""

    def __init__(self) -> None:
        """Have counted none."""
        self._count = 0

    def is_too_many(self) -> bool:
        """Count one more; whether that exceeds the limit."""
        self._count += 1
        return self._count > MAX_CONDITIONS


def parse_query(
    text: str,
    now: clock.Timestamp,
    known: fields.KnownNames = fields.NO_NAMES,
) -> nodes.Node:
    """Return what the query asks for; all, where it is empty.

    Takes time in proportion to the length of the text.

    :param now: what ``now`` in it means
    :param known: as for :func:`fields.resolve_field`
    :raises orch.errors.Invalid: with where, what was expected, and advice
    """
    _check_length(text)
    return _Parser(query_scanner.Scanner(text), now, known=known).whole()


def parse_loose(
    text: str,
    now: clock.Timestamp,
    field: str = "",
    *,
    is_all: bool = False,
    is_simple: bool = False,
    is_checked: bool = True,
    known: fields.KnownNames = fields.NO_NAMES,
    tally: Tally | None = None,
) -> nodes.Node:
    """Return what a ``query_string`` of Searchlight asks for.

    It is the same language, but words side by side are alternatives, those
    with ``+`` before them are demanded, a space may follow the colon, and
    what a word weighs (``web^2``) is read over.

    :param field: where all of it is looked for; empty for anywhere
    :param is_all: words side by side are all demanded
    :param is_simple: a ``simple_query_string``: ``|`` is ``OR`` and ``+`` is
        ``AND``
    :param is_checked: as for :func:`fields.value_condition`
    :param known: as for :func:`fields.resolve_field`
    :param tally: of the query that the line stands in; ``None`` for a line
        that is all of it
    :raises orch.errors.Invalid: as :func:`parse_query` does
    """
    _check_length(text)
    parser = _Parser(
        query_scanner.Scanner(text, is_simple=is_simple),
        now,
        is_loose=True,
        is_all=is_all,
        is_simple=is_simple,
        is_checked=is_checked,
        known=known,
        tally=tally,
    )
    return parser.whole(field)


def _check_length(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise query_scanner.invalid(
            text,
            f"the query has {len(text)} characters",
            MAX_LENGTH,
            f"expected {MAX_LENGTH} at most; make it shorter",
        )


class _Parser:
    """Descends from ``OR`` over ``AND`` and ``NOT`` to single conditions."""

    def __init__(
        self,
        scanner: query_scanner.Scanner,
        now: clock.Timestamp,
        *,
        is_loose: bool = False,
        is_all: bool = True,
        is_simple: bool = False,
        is_checked: bool = True,
        known: fields.KnownNames = fields.NO_NAMES,
        tally: Tally | None = None,
    ) -> None:
        self._scanner = scanner
        self._now = now
        self._is_loose = is_loose
        self._is_all = is_all
        self._is_simple = is_simple
        self._is_checked = is_checked
        self._known = known
        self._ors = ("OR", "||", "|") if is_simple else ("OR", "||")
        self._ands = ("AND", "&&", "+") if is_simple else ("AND", "&&")
        self._tally = Tally() if tally is None else tally

    def whole(self, field: str = "") -> nodes.Node:
        """Return the node of the whole text."""
        scanner = self._scanner
        scanner.skip_spaces()
        if scanner.is_end():
            self._check_size(0)
            return nodes.All()
        found = self._either(field, 0, "")
        if not scanner.is_end():
            raise scanner.invalid(
                "a ) closes nothing", scanner.at, "leave it out, or add a ("
            )
        return found

    def _either(self, field: str, depth: int, before: str) -> nodes.Node:
        found = [self._each(field, depth, before)]
        while keyword := self._scanner.take_keyword(self._ors):
            found.append(self._each(field, depth, keyword))
        return fields.any_of(found)

    def _each(self, field: str, depth: int, before: str) -> nodes.Node:
        scanner = self._scanner
        demanded: list[nodes.Node] = []
        offered: list[nodes.Node] = []
        was_joined = False
        while True:
            scanner.skip_spaces()
            is_plus = scanner.is_next("+")
            found = self._single(field, depth, before)
            scanner.skip_spaces()
            before = scanner.take_keyword(self._ands)
            is_joined = bool(before) or (
                self._is_simple and scanner.is_next("+")
            )
            is_demanded = (
                self._is_all
                or is_plus
                or is_joined
                or was_joined
                or isinstance(found, nodes.Not)
            )
            (demanded if is_demanded else offered).append(found)
            was_joined = is_joined
            if not is_joined and self._is_over():
                return _combined(demanded, offered)

    def _is_over(self) -> bool:
        scanner = self._scanner
        return (
            scanner.is_end()
            or scanner.is_next(")")
            or bool(scanner.next_keyword(self._ors))
        )

    def _single(self, field: str, depth: int, before: str) -> nodes.Node:
        """Return the next condition.

        :param before: the keyword that it comes behind
        """
        scanner = self._scanner
        scanner.skip_spaces()
        self._check_something_comes(before)
        self._check_size(depth)
        if scanner.take_keyword(("NOT",)):
            return nodes.Not(self._single(field, depth + 1, "NOT"))
        for sign in ("-", "!"):
            if scanner.take_sign(sign):
                return nodes.Not(self._single(field, depth + 1, sign))
        scanner.take_sign("+")
        start = scanner.at
        if scanner.take("("):
            return self._group(field, depth, start)
        if field:
            return self._value(field, start)
        return self._condition(depth)

    def _check_something_comes(self, before: str) -> None:
        scanner = self._scanner
        keyword = scanner.next_keyword((*self._ands, *self._ors))
        if not (scanner.is_end() or scanner.is_next(")") or keyword):
            return
        advice = f"expected {query_scanner.DESCRIPTION}"
        if keyword.isalpha():
            advice += "; write the keyword in small letters to look for it"
        raise scanner.invalid(
            f"nothing follows {before}"
            if before
            else "there is nothing here to search for",
            scanner.at,
            advice,
        )

    def _check_size(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self._scanner.invalid(
                f"more than {MAX_DEPTH} conditions are nested",
                self._scanner.at,
                "expected fewer nested ( and NOT",
            )
        if self._tally.is_too_many():
            raise self._scanner.invalid(
                f"the query has more than {MAX_CONDITIONS} conditions",
                self._scanner.at,
                "make two queries of it",
            )

    def _group(self, field: str, depth: int, start: int) -> nodes.Node:
        found = self._either(field, depth + 1, "(")
        if not self._scanner.take(")"):
            raise self._scanner.invalid(
                "a ( is not closed", start, "expected ) behind it"
            )
        return found

    def _condition(self, depth: int) -> nodes.Node:
        scanner = self._scanner
        start = scanner.at
        if scanner.take("*:*"):
            return nodes.All()
        name = scanner.take_field()
        if not name:
            self._check_field_is_whole()
            return self._clear(start, self._anywhere)
        field = self._field(name, start)
        if self._is_loose:
            scanner.skip_spaces()
        if scanner.is_gap():
            raise scanner.invalid(
                f"{name}: has no value",
                scanner.at,
                f"expected a value at once behind the colon; for the text"
                f' itself write "{name}:"',
            )
        start = scanner.at
        if scanner.take("("):
            return self._group(field, depth, start)
        return self._value(field, start)

    def _check_field_is_whole(self) -> None:
        """Refuse what looks like a condition of a field, and is none."""
        scanner = self._scanner
        name, at = scanner.find_parted_field()
        if name and fields.is_known(name):
            raise scanner.invalid(
                f"a space is between {name} and its colon",
                at,
                f'write {name}:value; for the colon itself write ":"',
            )
        if scanner.is_interval():
            raise scanner.invalid(
                "a range is here without a field",
                scanner.at,
                "write the field before it, as in size:[5 TO 20]",
            )

    def _field(self, name: str, start: int) -> str:
        try:
            return fields.resolve_field(name, self._known)
        except fields.UnclearError as e:
            raise self._scanner.invalid(e.message, start, e.advice) from e

    def _anywhere(self) -> nodes.Node:
        scanner = self._scanner
        if scanner.is_next('"'):
            phrase = scanner.take_phrase(self._is_loose)
            return fields.anywhere_condition(phrase, scanner.take("*"))
        word = scanner.take_word(self._is_loose)
        if word.text == "*" and word.is_wild:
            return nodes.All()
        is_open = word.is_wild and word.text.endswith("*")
        text = word.text[:-1] if is_open else word.text
        if word.is_wild and "*" in text:
            raise fields.UnclearError(
                "a * is elsewhere than at the end of a word",
                "write the field for that, as in name:*part*",
            )
        is_prefix = is_open and fields.is_in_word(text)
        return fields.anywhere_condition(text, is_prefix)

    def _value(self, field: str, start: int) -> nodes.Node:
        return self._clear(start, lambda: self._read_value(field))

    def _read_value(self, field: str) -> nodes.Node:
        scanner = self._scanner
        if scanner.is_next('"'):
            phrase = scanner.take_phrase(self._is_loose)
            if scanner.take("*"):
                return fields.phrase_prefix(field, phrase)
            return self._whole_value(field, phrase)
        if scanner.is_next("[") or scanner.is_next("{"):
            found = scanner.take_interval()
            return fields.range_condition(
                field,
                found.low,
                found.high,
                found.has_low,
                found.has_high,
                self._now,
            )
        if wrong := scanner.next_wrong_operator():
            raise fields.UnclearError(
                f"{wrong} is no operator",
                f"expected >, >=, < or <=, as in size:>=5, or the value alone;"
                f' for the text itself write "{wrong}…"',
            )
        if comparison := scanner.take_comparison():
            return self._compared(field, comparison)
        word = scanner.take_word(self._is_loose)
        if word.is_mixed:
            raise fields.UnclearError(
                "a wildcard and an ordinary character of the same kind are"
                " in one value",
                "write ? for the ordinary one, which matches any character",
            )
        if word.is_wild:
            return fields.pattern_condition(field, word.text)
        return self._whole_value(field, word.text)

    def _whole_value(self, field: str, text: str) -> nodes.Node:
        return fields.value_condition(
            field, text, self._now, is_checked=self._is_checked
        )

    def _compared(self, field: str, comparison: str) -> nodes.Node:
        scanner = self._scanner
        if scanner.is_gap():
            raise fields.UnclearError(
                f"nothing follows {comparison}",
                "expected a number, a date or a moment",
            )
        bound = (
            scanner.take_phrase()
            if scanner.is_next('"')
            else scanner.take_word(self._is_loose).text
        )
        is_low = comparison.startswith(">")
        has_bound = comparison.endswith("=")
        return fields.range_condition(
            field,
            bound if is_low else "",
            "" if is_low else bound,
            has_bound if is_low else True,
            True if is_low else has_bound,
            self._now,
        )

    def _clear(
        self, start: int, read: collections.abc.Callable[[], nodes.Node]
    ) -> nodes.Node:
        try:
            return read()
        except fields.UnclearError as e:
            raise self._scanner.invalid(e.message, start, e.advice) from e


def _combined(
    demanded: list[nodes.Node], offered: list[nodes.Node]
) -> nodes.Node:
    """Return what has all that is demanded.

    What is offered beside it has to be there where nothing else is asked
    for; else it only lets what has it come sooner.
    """
    has_condition = any(not isinstance(each, nodes.Not) for each in demanded)
    if offered and has_condition:
        demanded = [*demanded, *fields.optional_condition(offered)]
    elif offered:
        demanded = [fields.any_of(offered), *demanded]
    return fields.all_of(demanded)
