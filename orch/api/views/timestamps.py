"""Moments, as the wire shows them."""

from orch import clock


def format_time(value: float | None) -> str | None:
    """Return a moment as text, ``None`` where there is none."""
    return None if value is None else clock.isoformat(clock.Timestamp(value))
