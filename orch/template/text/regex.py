"""Regular expressions that users wrote, matched within limits.

A short expression can keep a processor busy for years. What matching takes
is counted against the work that a template may make, and ends there.
"""

import collections.abc
import functools
import re
import time
import typing

import regex

from orch.template import errors

_PIECE = re.compile(r"\\N\{[^}]*\}|\\.|\{(?:\d+,?\d*|,\d*)\}|.", re.DOTALL)
_SET = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]?", re.DOTALL)
_IN_SET = re.compile(r"\\.|\[", re.DOTALL)


def standard_syntax(text: str) -> str:
    """Return the expression with nothing in it but what is standard.

    :param text: an expression that the standard library takes
    """
    found: list[str] = []
    place = 0
    while place < len(text):
        match = _SET.match(text, place) or _PIECE.match(text, place)
        assert match is not None
        piece = match[0]
        place = match.end()
        if piece == "{":
            piece = "\\{"
        elif piece[0] == "[":
            piece = "[" + _IN_SET.sub(_escaped, piece[1:])
        found.append(piece)
    return "".join(found)


def _escaped(match: re.Match[str]) -> str:
    return "\\[" if match[0] == "[" else match[0]


_TOKEN = re.compile(
    r"""(?xs)
    (?P<class> \\. | \[ \^? \]? (?: \\. | [^\]\\] )* (?: \] | \Z ) )
  | (?P<open> \( (?: \? [a-zA-Z<>:=!#-]* )? )
  | (?P<close> \) )
  | (?P<times> \{ (?P<least> [0-9]* ) (?: , [0-9]* )? \} )
  | .
    """
)
_HUGE = 10**9
"""More than anybody asks about; keeps the numbers short."""


def compiled_size(text: str) -> int:
    """Return about how many parts an expression has, repetitions counted.

    It need not be a regular expression.
    """
    groups = [0]
    last = 0
    for token in _TOKEN.finditer(text):
        size = 1
        if token["open"]:
            groups.append(0)
            last = 1
        elif token["close"] and len(groups) > 1:
            size = groups.pop()
            last = size
        elif token["times"]:
            # What is repeated is there once already.
            times = min(max(int(token["least"][:10] or "1"), 1), _HUGE)
            size = last * (times - 1)
            last = min(last + size, _HUGE)
        else:
            last = size
        groups[-1] = min(groups[-1] + size, _HUGE)
    return sum(groups)


Answer = typing.TypeVar("Answer")
Spend = collections.abc.Callable[[int], None]
"""Counts work; raises when there is none left."""

_LIMIT_S = 0.2
"""How long one match may take."""
_WORK_PER_SECOND = 10_000_000
"""Items that functions make in about a second."""
_MAX_SIZE = 10_000
"""Parts of one expression; a compiled part takes half a kilobyte."""
_MAX_CACHED_LENGTH = 200
"""How long an expression is that is kept after it was compiled."""


def spend_nothing(work: int) -> None:
    """Count nothing, for expressions that a plug-in wrote."""


class Pattern:
    """An expression, ready to match.

    Its methods are called as those of the standard library's patterns, and
    all raise :class:`orch.template.errors.TooLarge` when they take too long.
    """

    def __init__(self, text: str, flags: int, spend: Spend) -> None:
        """Compile the expression.

        :param flags: of the standard library
        :param spend: told of the work that matching makes
        :raises ValueError: it is no regular expression
        """
        self._pattern = _compiled(text, flags)
        self._text = text
        self._spend = spend

    def match(self, text: str) -> "regex.Match[str] | None":
        """Return the match that begins where the text does."""
        return self._limited(self._pattern.match, text)

    def search(self, text: str) -> "regex.Match[str] | None":
        """Return the first match anywhere in the text."""
        return self._limited(self._pattern.search, text)

    def finditer(self, text: str) -> "list[regex.Match[str]]":
        """Return all matches that do not overlap."""
        return self._limited(
            lambda timeout: list(self._pattern.finditer(text, timeout=timeout))
        )

    def split(self, text: str, max_count: int = 0) -> list[str | None]:
        """Return the parts of the text between matches.

        :param max_count: how often to split; 0 for at every match
        """
        return self._limited(self._pattern.split, text, max_count)

    def sub(
        self,
        new: "str | collections.abc.Callable[[regex.Match[str]], str]",
        text: str,
        max_count: int = 0,
    ) -> str:
        """Return the text with matches replaced.

        :param max_count: how many; 0 for all
        """
        return self._limited(self._pattern.sub, new, text, max_count)

    def _limited(
        self, act: collections.abc.Callable[..., Answer], *args: object
    ) -> Answer:
        begun = time.thread_time()
        try:
            answer = act(*args, timeout=_LIMIT_S)
        except TimeoutError:
            raise errors.TooLarge(
                f'The regular expression "{self._text[:200]}" takes too long'
                " to match; write it without repetitions inside each other."
            ) from None
        except regex.error as error:
            raise ValueError(str(error)) from None
        self._spend(int((time.thread_time() - begun) * _WORK_PER_SECOND))
        return answer


def _compiled(text: str, flags: int) -> "regex.Pattern[str]":
    """Return the expression for the engine that can be stopped.

    :raises ValueError: it is no regular expression, or too long
    """
    if len(text) <= _MAX_CACHED_LENGTH:
        return _compile(text, flags)
    try:
        return _compile.__wrapped__(text, flags)
    finally:
        re.purge()  # its own cache knows no size


@functools.lru_cache(maxsize=1024)
def _compile(text: str, flags: int) -> "regex.Pattern[str]":
    """Compile an expression.

    The standard library decides what an expression is: its errors are the
    ones that Heat shows.
    """
    if len(text) > _MAX_SIZE or compiled_size(text) > _MAX_SIZE:
        raise ValueError(
            f"it has more than {_MAX_SIZE} parts, counted with repetitions"
        )
    try:
        re.compile(text, flags)
        return regex.compile(
            standard_syntax(text),
            flags | regex.VERSION0,
            cache_pattern=False,
        )
    except (re.error, regex.error, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from None
