"""Scans a query in one line into pieces with their places."""

import collections.abc
import dataclasses
import re
import typing

from orch import errors

_SPACES = re.compile(r"\s*")
_NAME = r"(?:[^\W\d]|\\.)(?:[\w.\-]|\\.)*"
_FIELD = re.compile(rf"({_NAME}):(?!:|//)")
_PARTED_FIELD = re.compile(rf"({_NAME})(\s+):(?!:|//)")
_HARDWARE = re.compile(
    r"[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{0,4}){2,}(?=[\s()]|$)"
)
_WORD = re.compile(r'(?:[^\s()"\\]|\\.)+', re.DOTALL)
_SIMPLE_WORD = re.compile(r'(?:[^\s()"\\|]|\\.)+', re.DOTALL)
_PHRASE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_COMPARISON = re.compile(r">=|<=|>|<")
_WRONG_OPERATOR = re.compile(r"=[<>=~]?|![=~]|<>|~=")
_FUZZY = re.compile(r"(?<!\\)~[0-9.]{0,20}$")
_AFTER_PHRASE = re.compile(r"[~^][0-9.]{0,20}(?=[\s)]|$)")
_BOUND = r'("(?:[^"\\]|\\.)*"|[^\s\[\]{}"]+)'
_RANGE = re.compile(
    rf"([\[{{])\s*{_BOUND}\s+(?:TO|to)\s+{_BOUND}\s*([\]}}])", re.DOTALL
)
_WEIGHT = re.compile(r"(?<!\\)\^[0-9.]{1,20}$")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_WILD = re.compile(r"(?<!\\)(?:\\\\)*[*?]")
_ESCAPED_WILD = re.compile(r"(?<!\\)(?:\\\\)*\\[*?]")


@dataclasses.dataclass(frozen=True, slots=True)
class Word:
    """Letters up to a space, a quotation mark or a parenthesis.

    :ivar text: without the backslashes
    :ivar is_wild: a ``*`` or ``?`` stands for other letters
    :ivar is_mixed: and another one stands for itself
    """

    text: str
    is_wild: bool
    is_mixed: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    """Two bounds in brackets."""

    low: str
    high: str
    has_low: bool
    has_high: bool


def invalid(text: str, message: str, at: int, advice: str) -> errors.Invalid:
    """Return the error for a place in the query.

    :param text: the query
    :param at: which character of it, from 0
    """
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    place = f"character {column}"
    if line > 1:
        place += f" of line {line}"
    problem = errors.Problem(message, "q", advice, line=line, column=column)
    return errors.Invalid(
        f"The query is wrong at {place}: {message}; {advice}.", (problem,)
    )


class Scanner:
    """Scans a query once, from left to right."""

    def __init__(self, text: str, *, is_simple: bool = False) -> None:
        """Stand before the first sign.

        :param is_simple: ``|`` parts words, and is a keyword
        """
        self._text = text
        self._word = _SIMPLE_WORD if is_simple else _WORD
        self._parting = ("||", "|") if is_simple else ()
        self.at = 0

    def invalid(self, message: str, at: int, advice: str) -> errors.Invalid:
        """Return the error for a place, a character from 0."""
        return invalid(self._text, message, at, advice)

    def skip_spaces(self) -> None:
        """Go to the next piece."""
        found = _SPACES.match(self._text, self.at)
        self.at = found.end() if found else self.at

    def is_end(self) -> bool:
        """Whether all has been read."""
        return self.at >= len(self._text)

    def is_gap(self) -> bool:
        """Whether a space, the end or a parenthesis comes next."""
        return self.is_end() or self._text[self.at] in ")" or self._is_space()

    def _is_space(self) -> bool:
        return self._text[self.at].isspace()

    def is_next(self, sign: str) -> bool:
        """Whether these letters come next; nothing is read."""
        return self._text.startswith(sign, self.at)

    def take(self, sign: str) -> bool:
        """Read these letters, where they come next."""
        if not self.is_next(sign):
            return False
        self.at += len(sign)
        return True

    def take_keyword(self, keywords: collections.abc.Iterable[str]) -> str:
        """Read the keyword that comes next as a word of its own.

        :returns: it; empty where none comes
        """
        found = self.next_keyword(keywords)
        self.at += len(found)
        return found

    def next_keyword(self, keywords: collections.abc.Iterable[str]) -> str:
        """Return what :meth:`take_keyword` would read."""
        for each in keywords:
            end = self.at + len(each)
            is_alone = (
                each in self._parting
                or end >= len(self._text)
                or (self._text[end].isspace() or self._text[end] in '()"')
            )
            if self.is_next(each) and is_alone:
                return each
        return ""

    def take_sign(self, sign: str) -> bool:
        """Read a sign, where something follows it at once."""
        end = self.at + len(sign)
        if end >= len(self._text) or self._text[end].isspace():
            return False
        return self.take(sign)

    def take_field(self) -> str:
        """Read the name of a field with its colon; empty where none comes.

        What looks like a type (``OS::Nova::Server``), an address of the web
        or of a network card is none.
        """
        if _HARDWARE.match(self._text, self.at):
            return ""
        found = _FIELD.match(self._text, self.at)
        if not found:
            return ""
        self.at = found.end()
        return _unescaped(found[1])

    def find_parted_field(self) -> tuple[str, int]:
        """Return the name of a field that a space parts from its colon.

        :returns: and where the space is; an empty name where none comes
        """
        found = _PARTED_FIELD.match(self._text, self.at)
        return (_unescaped(found[1]), found.start(2)) if found else ("", 0)

    def is_interval(self) -> bool:
        """Whether complete bounds in brackets come next."""
        return bool(_RANGE.match(self._text, self.at))

    def take_comparison(self) -> str:
        """Read ``>``, ``>=``, ``<`` or ``<=``; empty where none comes."""
        found = _COMPARISON.match(self._text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def next_wrong_operator(self) -> str:
        """Return the operator that comes next and that there is not."""
        found = _WRONG_OPERATOR.match(self._text, self.at)
        return found[0] if found else ""

    def take_interval(self) -> Interval:
        """Read bounds in brackets.

        :raises orch.errors.Invalid: they are not whole
        """
        found = _RANGE.match(self._text, self.at)
        if not found:
            raise self.invalid(
                "a range is not whole",
                self.at,
                "expected [LOW TO HIGH], with } or { for a bound that is not"
                " in it and * for none",
            )
        self.at = found.end()
        return Interval(
            _bare(found[2]), _bare(found[3]), found[1] == "[", found[4] == "]"
        )

    def take_phrase(self, is_weighed: bool = False) -> str:
        """Read text in quotation marks.

        :param is_weighed: ``^2`` behind it is read over
        :raises orch.errors.Invalid: they are not closed, or an operator is
            behind them that there is not
        """
        found = _PHRASE.match(self._text, self.at)
        if not found:
            raise self.invalid(
                "a quotation mark is not closed",
                self.at,
                'expected " behind the phrase, or \\" for the sign itself',
            )
        self.at = found.end()
        if sign := _AFTER_PHRASE.match(self._text, self.at):
            if not (is_weighed and sign[0].startswith("^")):
                raise self._no_operator(sign[0], self.at)
            self.at = sign.end()
        return _unescaped(found[1])

    def _no_operator(self, sign: str, at: int) -> errors.Invalid:
        said = "weights" if sign.startswith("^") else "fuzzy matches"
        return self.invalid(
            f"{sign} is no operator, as there are no {said}",
            at,
            f"leave it out, or write \\{sign} for the sign itself",
        )

    def take_word(self, is_weighed: bool) -> Word:
        """Read a word; one comes.

        :param is_weighed: ``^2`` at its end is no part of it
        :raises orch.errors.Invalid: nothing but a backslash is there, or an
            operator is at the end that there is not
        """
        found = self._word.match(self._text, self.at)
        if not found:
            raise self.invalid(
                "a backslash is at the end",
                self.at,
                "expected the sign that it makes an ordinary one, or \\\\",
            )
        self.at = found.end()
        raw = found[0]
        for sign in (_WEIGHT.search(raw), _FUZZY.search(raw)):
            if sign is None or not sign.start():
                continue
            if not (is_weighed and sign[0].startswith("^")):
                raise self._no_operator(sign[0], found.start() + sign.start())
            raw = raw[: sign.start()]
        is_wild = bool(_WILD.search(raw))
        return Word(
            _unescaped(raw),
            is_wild,
            is_wild and bool(_ESCAPED_WILD.search(raw)),
        )


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _bare(bound: str) -> str:
    if bound.startswith('"'):
        return _unescaped(bound[1:-1])
    return bound


DESCRIPTION: typing.Final = "a word, a phrase, field:value or ("
