"""How large a regular expression becomes when it is compiled.

The engine writes a repetition out as often as it must match at least, one
inside another multiplied: ``((a{100}){100}){100}`` becomes a million parts.
"""

import re

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
            size = last * (_times(token["least"]) - 1)
            last = min(last + size, _HUGE)
        else:
            last = size
        groups[-1] = min(groups[-1] + size, _HUGE)
    return sum(groups)


def _times(least: str) -> int:
    """Return how often a repetition is written out."""
    return min(max(int(least[:10] or "1"), 1), _HUGE)
