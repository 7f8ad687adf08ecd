"""Checks of requests, and the errors that they raise."""

from orch import errors


def invalid(place: str, message: str, advice: str = "") -> errors.Invalid:
    """Return the error of a request that is wrong at a place."""
    said = f"{place}: {message}"
    if advice:
        said += f"; {advice}"
    return errors.Invalid(
        said, [errors.Problem(message, path=place, advice=advice)]
    )


def whole(value: object, place: str, least: int, maximum: int) -> int:
    """Return a whole number.

    :raises orch.errors.Invalid: it is none, or not within the bounds
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise invalid(place, "it is no whole number")
    if not least <= value <= maximum:
        raise invalid(
            place,
            f"{value} is not in {least} to {maximum}",
            "narrow the query",
        )
    return value
