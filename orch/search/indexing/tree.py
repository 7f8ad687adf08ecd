"""Finds stacks whose documents change with another of their tree.

Paths have the names of all stacks above, and owner, tags and whether it is
hidden hold for a whole tree. What a stack hides is hidden in those in it,
which may have been given it, and in those around it, which may show it as an
attribute.
"""

import collections
import collections.abc
import typing

from orch.search import document
from orch.search.index import port
from orch.search.query import nodes

_PAGE: typing.Final = 500
_EVERYTHING: typing.Final = port.Scope(None, is_admin=True)
_STACKS: typing.Final = frozenset({document.STACK})

_Paths: typing.TypeAlias = collections.defaultdict[str, set[str]]
"""Of some stacks, by the root around them."""


def find_dependents(
    index: port.Index,
    changes: collections.abc.Sequence[document.StackDocuments],
) -> list[str]:
    """Return ids of stacks that have to be read again.

    :param changes: what is about to be put
    :raises orch.errors.Unavailable: the index cannot be reached
    """
    new = {}
    redacting = set()
    for change in changes:
        for each in change.documents:
            if each.kind == document.STACK:
                new[each.stack_id] = each
                if change.redacted:
                    redacting.add(each.stack_id)
    above: _Paths = collections.defaultdict(set)
    around: _Paths = collections.defaultdict(set)
    roots = set()
    for each in _find(index, _one_of("stack_id", sorted(new))):
        become = new.get(each.stack_id)
        if become is None:
            continue
        is_requested = each.stack_id in redacting and _operation_id(
            each
        ) != _operation_id(become)
        if is_requested:
            around[each.root_id].update(_above(each.path))
        if is_requested or _inherited(each) != _inherited(become):
            above[each.root_id].add(each.path)
            if each.stack_id == each.root_id:
                roots.add(each.root_id)
    return [
        each.stack_id
        for root_id in sorted({*above, *around})
        for each in _find(index, nodes.Term("root_id", root_id))
        if each.path in around[root_id]
        or not above[root_id].isdisjoint(_above(each.path))
        # A kill may have left some of the tree below a name of later.
        or (root_id in roots and each.stack_id != root_id)
    ]


def _above(path: str) -> collections.abc.Iterator[str]:
    """Return the paths of all that something stands in."""
    end = path.find("/")
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)


def find_known(
    index: port.Index, stack_ids: collections.abc.Sequence[str]
) -> set[str]:
    """Return those of the stacks that the index has documents of.

    :raises orch.errors.Unavailable: the index cannot be reached
    """
    wanted = _one_of("stack_id", stack_ids)
    return {each.stack_id for each in _find(index, wanted)}


def _inherited(stack: document.Document) -> tuple[object, ...]:
    return (
        stack.path,
        stack.root_id,
        stack.project_id,
        stack.owner,
        stack.tags,
        stack.is_hidden,
    )


def _operation_id(stack: document.Document) -> object:
    """Return the operation that was asked for last; it may hide more."""
    return stack.fields.get("operation.id")


def _one_of(
    field: str, values: collections.abc.Sequence[str]
) -> nodes.Node | None:
    terms = tuple(nodes.Term(field, each) for each in values)
    if len(terms) > 1:
        return nodes.Or(terms)
    return terms[0] if terms else None


def _find(
    index: port.Index, node: nodes.Node | None
) -> collections.abc.Iterator[document.Document]:
    """Return the stacks that fit, in no order; none for no node."""
    after: str | None = None
    while node is not None:
        found = index.search(
            port.Query(
                node=node,
                scope=_EVERYTHING,
                kinds=_STACKS,
                sort=(port.Sort("path"),),
                limit=_PAGE,
                after=after,
            )
        )
        yield from (each.document for each in found.hits)
        if len(found.hits) < _PAGE:
            return
        after = found.hits[-1].cursor
