"""Contents that snapshots of files store, with the second names."""

import collections.abc
import typing

from orch.resources.local import records
from orch.resources.local import root

COPIES: typing.Final = "snapshots"
"""Where they stand, below ``.orch``."""

CopyData = collections.abc.Mapping[str, object]
_COPY: typing.Final = "copy"


def save_copy(
    root_: root.Root, name: str, content: str, mode: int
) -> CopyData:
    """Keep what stands in a file.

    :returns: what leads back to it
    """
    with root_.private(COPIES) as copies:
        records.add_record(
            copies, name, {"content": content, "mode": f"{mode:04o}"}
        )
    return {_COPY: name}


def find_copy(root_: root.Root, name: str) -> CopyData | None:
    """Return what leads to a copy, if there is one."""
    with root_.private(COPIES) as copies:
        found = records.read_record(copies, name)
    return None if found is None else {_COPY: name}


def read_copy(root_: root.Root, copy: CopyData) -> CopyData:
    """Return content and mode of a copy.

    :raises root.LocalRefused: it does not exist any more
    """
    name = str(copy[_COPY])
    with root_.private(COPIES) as copies:
        found = records.read_record(copies, name)
    if found is None:
        raise root.LocalRefused(
            f"the copy {name} is gone from the machine; without it the"
            " file cannot be restored"
        )
    return found


def remove_copy(root_: root.Root, copy: CopyData) -> None:
    """Remove a copy; already gone is success."""
    name = str(copy[_COPY])
    with root_.private(COPIES) as copies:
        records.remove_record(copies, name)
        records.sweep_temporaries(copies, name)
