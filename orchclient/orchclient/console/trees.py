"""The resources of a stack as a tree, child stacks as branches."""

import collections.abc
import dataclasses
import re

from orchclient import models

DEPTH = 5
"""How many levels of stacks in stacks are shown; a server allows no more."""


@dataclasses.dataclass(frozen=True, slots=True)
class Node:
    """A resource, and those of the child stack that it is.

    :ivar path: names from the root stack down
    """

    path: tuple[str, ...]
    resource: models.Resource
    children: tuple["Node", ...] = ()

    def walk(self) -> collections.abc.Iterator["Node"]:
        """Yield the node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


def build_tree(
    resources: collections.abc.Iterable[models.Resource],
    root: models.StackIdentity,
) -> tuple[Node, ...]:
    """Build the tree of a stack's resources and of its child stacks'."""
    by_stack: dict[str, list[models.Resource]] = {}
    for each in resources:
        by_stack.setdefault(each.stack.id, []).append(each)
    return _branch(by_stack, root.id, ())


def child_stack_paths(
    nodes: collections.abc.Iterable[Node],
) -> dict[str, tuple[str, ...]]:
    """Return the path of its resource by the id of each child stack."""
    return {
        each.resource.nested.id: each.path
        for node in nodes
        for each in node.walk()
        if each.resource.nested is not None
    }


def _branch(
    by_stack: dict[str, list[models.Resource]],
    stack_id: str,
    path: tuple[str, ...],
) -> tuple[Node, ...]:
    # Each stack is taken once, whatever the links say.
    rows = by_stack.pop(stack_id, [])
    found = []
    for each in sorted(rows, key=lambda row: _natural(row.name)):
        inner = (*path, each.name)
        children: tuple[Node, ...] = ()
        if each.nested is not None:
            children = _branch(by_stack, each.nested.id, inner)
        found.append(Node(inner, each, children))
    return tuple(found)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts member 2 before member 10."""
    parts = re.findall(r"\d+|\D+", name)
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in parts]
