"""Moments that the API shows, as numbers."""

import datetime


def read_seconds(shown: object) -> float:
    """Return the seconds since 1970 UTC; the API shows whole ones."""
    return datetime.datetime.fromisoformat(str(shown)).timestamp()
