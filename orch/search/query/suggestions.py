"""Suggests the closest known name for an unknown one."""

import collections.abc
import typing

_MIN_LENGTH: typing.Final = 4
"""Of a name that is guessed; shorter ones are near to too much."""

_MIN_LENGTH_CHANGED: typing.Final = 6
"""Of one in which a letter may be another one: ``bind`` is no ``kind``."""


def suggest_name(name: str, known: collections.abc.Iterable[str]) -> str:
    """Return the first known name that is close to a name, or nothing.

    A slip has two letters changed over, one lost, one too many inside, or,
    in a name of six letters or more, another one. A letter more at either
    end is none: ``names`` and ``types`` are what people call properties.
    """
    return next(
        (
            each
            for each in known
            if len(each) >= _MIN_LENGTH and _is_typo(name, each)
        ),
        "",
    )


def _is_typo(name: str, right: str) -> bool:
    if len(name) == len(right):
        differing = [
            at
            for at, (one, other) in enumerate(zip(name, right, strict=True))
            if one != other
        ]
        return _is_changed(name, right, differing)
    if len(name) == len(right) - 1:
        return any(_without(right, at) == name for at in range(len(right)))
    return len(name) == len(right) + 1 and any(
        _without(name, at) == right for at in range(1, len(right))
    )


def _is_changed(name: str, right: str, differing: list[int]) -> bool:
    match differing:
        case [_]:
            return len(right) >= _MIN_LENGTH_CHANGED
        case [first, second]:
            return (
                second == first + 1
                and name[first] + name[second] == right[second] + right[first]
            )
    return False


def _without(text: str, at: int) -> str:
    return text[:at] + text[at + 1 :]
