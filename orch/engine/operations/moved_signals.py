"""Where resources are that have moved since an address of theirs was made.

The address names the stack of that time and the incarnation. Each stack that
something left knows, from its operations, where to.
"""

import typing

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import moves
from orch.db.repositories import resources
from orch.model import resource

_MOST: typing.Final = 32
"""How many stacks are looked at before we give up."""


def find(
    connection: db_engine.Connection, stack_id: str, resource_id: str
) -> resource.Resource | None:
    """Return the row of a resource that has left a stack, once or oftener.

    :param stack_id: of the stack that it was in
    :returns: ``None`` when it did not move, or is not there any more
    """
    wanted = ids.ResourceId(resource_id)
    seen, left = {stack_id}, [ids.StackId(stack_id)]
    while left and len(seen) < _MOST:
        for target in moves.list_targets(connection, left.pop(0)):
            if target in seen:
                continue
            found = resources.find(connection, wanted, target)
            if found is not None:
                return found
            seen.add(target)
            left.append(target)
    return None
