"""The group size after an adjustment, and the cooldown between two."""

import math
import typing

CHANGE: typing.Final = "change_in_capacity"
EXACT: typing.Final = "exact_capacity"
PERCENT: typing.Final = "percent_change_in_capacity"


def adjusted_size(
    current: int,
    adjustment_type: str,
    adjustment: float,
    min_step: int | None,
    bounds: tuple[int, int],
) -> int:
    """Return the size of a group after an adjustment.

    A percentage that comes to less than one member changes one, a larger
    one is cut to whole members.

    :param adjustment: members or percent; below 0 the group shrinks
    :param min_step: members that a percentage changes at least
    :param bounds: the fewest and the most members that it may have
    """
    if adjustment_type == EXACT:
        desired = int(adjustment)
    elif adjustment_type == CHANGE:
        desired = current + int(adjustment)
    else:
        desired = current + _members(current, adjustment, min_step or 0)
    return clamp_size(desired, bounds)


def clamp_size(desired: int, bounds: tuple[int, int]) -> int:
    """Return the size that is nearest to one, and allowed."""
    minimum, maximum = bounds
    return max(minimum, min(desired, maximum))


def is_too_early(now: float, last: object, cooldown_s: object) -> bool:
    """Whether a group has to settle after an adjustment.

    :param last: when that was accepted; anything else for never
    :param cooldown_s: seconds; ``None`` or 0 for none
    """
    if isinstance(last, bool) or not isinstance(last, int | float):
        return False
    if not isinstance(cooldown_s, int | float):
        return False
    # A clock that was set back must not prolong it.
    return 0 <= now - last < cooldown_s


def _members(current: int, percent: float, min_step: int) -> int:
    """Return by how many members a percentage changes a group."""
    exact = abs(current * percent) / 100.0
    whole = math.ceil(exact) if exact < 1 else math.floor(exact)
    if percent == 0:
        return 0
    # Of an empty group every percentage is nothing; the step has the same
    # direction all the same.
    return int(math.copysign(max(whole, min_step), percent))
