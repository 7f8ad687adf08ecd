"""Regular expressions as the engine that can be stopped reads them.

The engine knows more than the standard library does, which decides what an
expression means: there, classes such as ``[:alpha:]`` and counts of errors
such as ``{e<=1}`` are the characters that they are written with.
"""

import collections.abc
import re

_PIECE = re.compile(r"\\N\{[^}]*\}|\\.|\{(?:\d+,?\d*|,\d*)\}|.", re.DOTALL)
_SET = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]?", re.DOTALL)
_IN_SET = re.compile(r"\\.|\[", re.DOTALL)


def standard_syntax(text: str) -> str:
    """Return the expression with nothing in it but what is standard.

    :param text: an expression that the standard library takes
    """
    return "".join(_tokens(text))


def _tokens(text: str) -> collections.abc.Iterator[str]:
    place = 0
    while place < len(text):
        match = _SET.match(text, place) or _PIECE.match(text, place)
        assert match is not None
        piece = match[0]
        place = match.end()
        if piece == "{":
            yield "\\{"
        elif piece[0] == "[":
            yield "[" + _IN_SET.sub(_escaped, piece[1:])
        else:
            yield piece


def _escaped(match: re.Match[str]) -> str:
    return "\\[" if match[0] == "[" else match[0]
