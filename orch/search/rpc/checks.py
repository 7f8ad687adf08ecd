"""Checks of values in requests."""

from orch import errors


def whole(value: object, place: str, least: int, maximum: int) -> int:
    """Return a whole number.

    :raises orch.errors.Invalid: it is none, or not within the bounds
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise errors.invalid_at(place, "it is no whole number")
    if not least <= value <= maximum:
        raise errors.invalid_at(
            place,
            f"{value} is not in {least} to {maximum}",
            "narrow the query",
        )
    return value
