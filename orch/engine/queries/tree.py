"""Queries of the child stacks below a stack."""

import collections.abc

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import stacks
from orch.engine.queries import lookup
from orch.model import resource
from orch.model import stack
from orch.rpc import contract

ChildIdentities = collections.abc.Mapping[str, contract.StackIdentity]
"""The identities of child stacks, by the id of the resource."""


def stacks_below(
    connection: db_engine.Connection, stack: stack.Stack, levels: int
) -> list[stack.Stack]:
    """Return a stack and those below it, parents first.

    :param levels: how deep to go; 0 for the stack alone
    """
    if levels <= 0:
        return [stack]
    found = [stack]
    known = {stack.id}
    tree = stacks.list_tree(connection, stack.root_id)
    for each in sorted(tree, key=lambda one: (one.depth, one.created_at)):
        if each.parent_id in known and each.depth <= stack.depth + levels:
            found.append(each)
            known.add(each.id)
    return found


def children_of(
    connection: db_engine.Connection, stack: stack.Stack
) -> dict[str, contract.StackIdentity]:
    """Return the identities of a stack's child stacks, by resource."""
    return {
        each.id: lookup.identity_of(each)
        for each in stacks.list_children(connection, stack.id)
    }


def find_child(
    connection: db_engine.Connection, row: resource.Resource
) -> dict[str, contract.StackIdentity]:
    """Return the identity of a resource's child stack, if it has one."""
    # The id of a child stack is that of its resource.
    found = stacks.find(connection, ids.StackId(row.id))
    if found is None or found.parent_id != row.stack_id:
        return {}
    return {found.id: lookup.identity_of(found)}
