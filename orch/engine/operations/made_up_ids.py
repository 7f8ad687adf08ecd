"""Tells ids that nobody has chosen: they cannot hold what is hidden."""

import re
import typing

_UUID: typing.Final = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
)
_SHORT_ID: typing.Final = re.compile(r"[a-z2-7]{12}")
"""How a name ends that the engine gives."""


def is_made_up(resource: str, physical_id: str) -> bool:
    """Answer whether an id is one that nobody has chosen."""
    if _UUID.fullmatch(physical_id):
        return True
    name, _, end = physical_id.rpartition(f"-{resource}-")
    return bool(name) and _SHORT_ID.fullmatch(end) is not None
