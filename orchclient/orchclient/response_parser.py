"""Parses responses: typed values of JSON, and one error for all mismatches."""

import collections.abc
import datetime
import typing

from orchclient import errors

Json = collections.abc.Mapping[str, object]
Value = typing.TypeVar("Value")


class Absent:
    """Marks a value that is absent."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: typing.Final = Absent()
"""What stands for a value that a body has not; null is a value."""


def read_map(value: object) -> Json:
    """Raise AnswerError if a value is no map, else return it.

    :raises orchclient.errors.AnswerError: it is something else
    """
    if not isinstance(value, dict):
        raise errors.AnswerError(f"A map was expected, not {_short(value)}.")
    return typing.cast(Json, value)


def get_map(body: object, key: str) -> Json:
    """Return the map under a key of a map.

    :raises orchclient.errors.AnswerError: there is none
    """
    return read_map(read_map(body).get(key))


def find_map(body: Json, key: str) -> Json:
    """Return the map under a key; an empty one where there is none."""
    value = body.get(key)
    return {} if value is None else read_map(value)


def get_maps(body: object, key: str) -> tuple[Json, ...]:
    """Return the maps of a list under a key; none where there is no list."""
    return tuple(read_map(each) for each in _list(read_map(body), key))


def get_texts(body: Json, key: str) -> tuple[str, ...]:
    """Return the texts of a list under a key; none where there is no list."""
    return tuple(str(each) for each in _list(body, key))


def find_texts(body: Json, key: str) -> tuple[str, ...] | None:
    """Return the texts of a list under a key, ``None`` for no list."""
    return None if body.get(key) is None else get_texts(body, key)


def get_values(
    body: object, key: str, of: collections.abc.Callable[[Json], Value]
) -> tuple[Value, ...]:
    """Return the values of a list under a key; none where there is no list.

    :param of: makes a value of its map
    """
    return tuple(map(of, get_maps(body, key)))


def find_values(
    body: Json, key: str, of: collections.abc.Callable[[Json], Value]
) -> tuple[Value, ...] | None:
    """Return the values of a list under a key, ``None`` for no list."""
    return None if body.get(key) is None else get_values(body, key, of)


def find_value(
    body: Json, key: str, of: collections.abc.Callable[[Json], Value]
) -> Value | None:
    """Return the value of a map under a key, ``None`` where there is none."""
    return None if body.get(key) is None else of(get_map(body, key))


def get_value_map(
    body: Json, key: str, of: collections.abc.Callable[[Json], Value]
) -> dict[str, Value]:
    """Return the values of a map of maps; none where there is no map."""
    found = find_map(body, key)
    return {each: of(get_map(found, each)) for each in found}


def get_text_map(body: Json, key: str) -> dict[str, str]:
    """Return a map of texts under a key; an empty one where there is none."""
    found = find_map(body, key)
    return {each: get_text(found, each) for each in found}


def get_integer_map(body: Json, key: str) -> dict[str, int]:
    """Return a map of integers; an empty one where there is none."""
    found = find_map(body, key)
    return {each: get_integer(found, each) for each in found}


def get_text(body: Json, key: str, default: str = "") -> str:
    """Return the text under a key, or the default where there is none."""
    return find_text(body, key) or default


def find_text(body: Json, key: str) -> str | None:
    """Return the text under a key, ``None`` where there is none."""
    value = body.get(key)
    return None if value is None else str(value)


def required_text(body: Json, key: str) -> str:
    """Return the text under a key.

    :raises orchclient.errors.AnswerError: there is none
    """
    value = body.get(key)
    if not isinstance(value, str):
        raise errors.AnswerError(f"{key} must be a text, not {_short(value)}.")
    return value


def get_integer(body: Json, key: str, default: int = 0) -> int:
    """Return the integer under a key, the default for none and for 0."""
    return find_integer(body, key) or default


def find_integer(body: Json, key: str) -> int | None:
    """Return the integer under a key, ``None`` where there is none."""
    value = body.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise errors.AnswerError(
            f"{key} must be a number, not {_short(value)}."
        )
    return value


def get_number(body: Json, key: str) -> float:
    """Return the number under a key, 0 where there is none."""
    value = body.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return 0.0


def find_number(body: Json, key: str) -> float | None:
    """Return the number under a key, ``None`` where there is none."""
    return None if body.get(key) is None else get_number(body, key)


def get_boolean(body: Json, key: str, default: bool = False) -> bool:
    """Return the boolean under a key, the default where there is none."""
    found = find_boolean(body, key)
    return default if found is None else found


def find_boolean(body: Json, key: str) -> bool | None:
    """Return the boolean under a key, ``None`` where there is none."""
    found = body.get(key)
    return found if isinstance(found, bool) else None


def find_time(body: Json, key: str) -> datetime.datetime | None:
    """Return the time under a key, in UTC; ``None`` where there is none."""
    value = body.get(key)
    if value is None or value == "":
        return None
    try:
        found = datetime.datetime.fromisoformat(str(value))
    except ValueError as error:
        raise errors.AnswerError(
            f"{key} must be a time, not {_short(value)}."
        ) from error
    if found.tzinfo is None:
        return found.replace(tzinfo=datetime.UTC)
    return found


def required_time(body: Json, key: str) -> datetime.datetime:
    """Return the time under a key, in UTC.

    :raises orchclient.errors.AnswerError: there is none
    """
    found = find_time(body, key)
    if found is None:
        raise errors.AnswerError(f"{key} is missing.")
    return found


def _list(body: Json, key: str) -> collections.abc.Sequence[object]:
    value = body.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise errors.AnswerError(f"{key} must be a list, not {_short(value)}.")
    return value


def _short(value: object) -> str:
    return repr(value)[:80]
