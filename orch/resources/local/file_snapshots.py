"""Contents that snapshots of files keep, beside the second names."""

import collections.abc
import typing

from orch.resources.local import records
from orch.resources.local import root

COPIES: typing.Final = "snapshots"
"""Where they stand, below ``.orch``."""

Kept = collections.abc.Mapping[str, object]
_COPY: typing.Final = "copy"


def keep(root_: root.Root, name: str, content: str, mode: int) -> Kept:
    """Keep what stands in a file.

    :returns: what leads back to it
    """
    with root_.private(COPIES) as copies:
        records.add(copies, name, {"content": content, "mode": f"{mode:04o}"})
    return {_COPY: name}


def find(root_: root.Root, name: str) -> Kept | None:
    """Return what leads to a copy, if there is one."""
    with root_.private(COPIES) as copies:
        found = records.read(copies, name)
    return None if found is None else {_COPY: name}


def read(root_: root.Root, kept: Kept) -> Kept:
    """Return content and mode of a copy.

    :raises root.Refused: it is not there any more
    """
    name = str(kept[_COPY])
    with root_.private(COPIES) as copies:
        found = records.read(copies, name)
    if found is None:
        raise root.Refused(
            f"the copy {name} is gone from the machine; without it the"
            " file cannot be restored"
        )
    return found


def remove(root_: root.Root, kept: Kept) -> None:
    """Remove a copy; already gone is success."""
    name = str(kept[_COPY])
    with root_.private(COPIES) as copies:
        records.remove(copies, name)
        records.sweep(copies, name)
