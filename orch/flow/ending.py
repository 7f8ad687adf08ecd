"""How an operation ends: what is written with its last rows."""

import collections.abc
import dataclasses

from orch import ids
from orch.events import recorder
from orch.model import operation


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an operation ends: written with the last rows, or not at all.

    :ivar stack_columns: what changes of the stack
    :ivar operation_columns: what changes of the operation
    :ivar facts: what there is to tell of it
    :ivar followers: operations that were accepted by this ending
    :ivar snapshot_columns: what changes of the snapshot that it takes
    :ivar drops_resources: nothing of the stack is left, no snapshot either
    :ivar dropped: rows whose things are gone
    :ivar tree_change: by how much the resources of the tree become more
    :ivar cut_short: stacks in the stack whose operations end with it
    """

    stack_columns: collections.abc.Mapping[str, object]
    operation_columns: collections.abc.Mapping[str, object]
    facts: recorder.Facts
    followers: tuple[operation.Operation, ...] = ()
    snapshot_columns: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    drops_resources: bool = False
    dropped: tuple[ids.ResourceId, ...] = ()
    tree_change: int = 0
    cut_short: tuple[ids.StackId, ...] = ()


Conclude = collections.abc.Callable[[operation.Halt | None], Ending]
"""Says how an operation ends, given whether somebody has asked it to."""
