"""How much of its random draws a test plays.

``make test`` plays the first part of them, always the same. ``make soak``
sets ``ORCH_SOAK`` and plays more: the same ones first, from the same seeds.
"""

import os

VARIABLE = "ORCH_SOAK"


def is_on() -> bool:
    """Whether the long random runs are wanted."""
    return bool(os.environ.get(VARIABLE))


def rounds(first: int, all_of_them: int) -> int:
    """Return how many rounds a test plays.

    :param first: without ``ORCH_SOAK``
    :param all_of_them: with it; the first ones among them
    """
    return all_of_them if is_on() else first
