"""Names of members that say nothing: twelve characters of ``a-z2-7``.

A group numbers the members that it makes; the name is the number, scrambled
by the token of the group. So the same plan gives the same names, names look
as they do in Heat, and each tells its number again.
"""

import collections.abc
import hashlib
import itertools
import typing

_DIGITS: typing.Final = "abcdefghijklmnopqrstuvwxyz234567"
_LENGTH: typing.Final = 12
_MODULUS: typing.Final = 1 << 5 * _LENGTH
_FACTOR: typing.Final = 0x9E3779B97F4A7C1 | 1
_INVERSE: typing.Final = pow(_FACTOR, -1, _MODULUS)
_MAX_NUMBER: typing.Final = 1 << 40
"""Numbers from here on are of names that another installation gave."""


def member_name(token: str, number: int) -> str:
    """Return the name of a member.

    :param number: from 0 on
    """
    left = (_offset(token) + number * _FACTOR) % _MODULUS
    digits = []
    for _ in range(_LENGTH):
        left, digit = divmod(left, 32)
        digits.append(_DIGITS[digit])
    return "".join(digits)


def find_number(token: str, named: str) -> int | None:
    """Return the number of a name, ``None`` where the group gave it not."""
    if len(named) != _LENGTH or not set(named) <= set(_DIGITS):
        return None
    value = 0
    for digit in reversed(named):
        value = value * 32 + _DIGITS.index(digit)
    number = (value - _offset(token)) * _INVERSE % _MODULUS
    return number if number < _MAX_NUMBER else None


def generate_unused_names(
    token: str, first: int, taken: collections.abc.Collection[str]
) -> collections.abc.Iterator[str]:
    """Yield names, from a number on, that nobody has; without an end."""
    for number in itertools.count(first):
        found = member_name(token, number)
        if found not in taken:
            yield found


def next_number(
    token: str, known: int, taken: collections.abc.Iterable[str]
) -> int:
    """Return the number above all that were given.

    :param known: what it was before
    """
    numbers = (find_number(token, each) for each in taken)
    given = (number + 1 for number in numbers if number is not None)
    return max((known, *given))


def _offset(token: str) -> int:
    digest = hashlib.sha256(token.encode()).digest()
    return int.from_bytes(digest[:8], "big")
