"""Load the two stacks of a move, and check whether they may take part."""

import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import stack_lock
from orch.engine.moves import rows as move_rows
from orch.engine.queries import lookup
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.plugin import software
from orch.rpc import contract


@dataclasses.dataclass(frozen=True, slots=True)
class StackTree:
    """The live stacks of one tree, as they were read.

    :ivar rows: resources of the root stack
    """

    root: stack_model.Stack
    stacks: collections.abc.Mapping[ids.StackId, stack_model.Stack]
    rows: tuple[resource.Resource, ...]

    def way(self, stack: stack_model.Stack) -> list[stack_model.Stack]:
        """Return the stacks from the root down to a stack.

        :raises orch.engine.moves.rows.CannotMove: no resource has it as its
            child stack any more
        """
        found = [stack]
        while found[0].parent_id is not None:
            parent = self.stacks.get(found[0].parent_id)
            if parent is None:
                raise move_rows.CannotMove(
                    f"No resource holds stack {found[0].name} any more:"
                    " nothing can come to it or leave it."
                )
            found.insert(0, parent)
        return found


@dataclasses.dataclass(frozen=True, slots=True)
class MovingStack:
    """The source or the target of a move, as it is now.

    :ivar tree: its tree; without child stacks, where these do not matter
    """

    stack: stack_model.Stack
    rows: tuple[resource.Resource, ...]
    tree: StackTree


def load_participants(
    ctxt: request.RequestContext,
    connection: db_engine.Connection,
    stack_id: str,
    request: contract.MoveRequest,
) -> tuple[MovingStack, MovingStack]:
    """Return the source and the target of a move, checked.

    :raises orch.errors.OrchError: resources may not move between them
    """
    stack_pair = (
        lookup.get_stack(connection, ctxt, stack_id),
        _find_target(connection, ctxt, request["target"]),
    )
    for stack in stack_pair:
        _check_exists(connection, stack)
    _check_pair(*stack_pair)
    trees = {}
    for root_id in {each.root_id for each in stack_pair}:
        has_children = any(
            each.root_id == root_id and each.parent_id for each in stack_pair
        )
        trees[root_id] = _read_tree(connection, root_id, has_children)
    source, target = (
        MovingStack(
            each,
            tuple(resources.list_(connection, each.id)),
            trees[each.root_id],
        )
        for each in stack_pair
    )
    return source, target


def _read_tree(
    connection: db_engine.Connection, root_id: ids.StackId, has_children: bool
) -> StackTree:
    """Return the tree of a root stack, of it alone without children."""
    root = stacks.get(connection, root_id)
    tree = stacks.list_tree(connection, root_id) if has_children else [root]
    return StackTree(
        root,
        {each.id: each for each in tree if each.deleted_at is None},
        tuple(resources.list_(connection, root_id)),
    )


def check_settled(found: MovingStack) -> None:
    """Raise an error if a stack or a parent is not as declared.

    :raises orch.errors.NotSupported: one of them is suspended
    :raises orch.engine.moves.rows.CannotMove: one is not as declared, or not
        complete
    """
    root = found.tree.root
    for each in found.tree.way(found.stack):
        if each.action is states.Action.SUSPEND:
            raise errors.NotSupported(
                f"Stack {each.name} is suspended: resume it first."
            )
        if each.has_diverged:
            raise move_rows.CannotMove(
                f"Stack {each.name} was changed by its own URL, and its parent"
                f" declares something else: update {root.name} first."
            )
        if each.status is not states.Status.COMPLETE:
            raise move_rows.CannotMove(
                f"Stack {each.name} is {each.action}_{each.status}: retry"
                f" or update {root.name} first."
            )


def _find_target(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    named: str,
) -> stack_model.Stack:
    """Return the stack of a name or id, or of a path of resources below it.

    :raises orch.engine.queries.lookup.StackNotFound: no such stack exists
    """
    first, *names = named.split("/")
    found = lookup.get_named_stack(connection, ctxt, first)
    for name in names:
        children = [
            each
            for each in stacks.list_children(connection, found.id)
            if each.parent_resource == name and each.deleted_at is None
        ]
        if not children:
            raise lookup.StackNotFound(
                f"Resource {name[:255]} of stack {found.name} holds no stack."
            )
        found = children[0]
    return found


def _check_exists(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> None:
    """Raise an error if the stack is gone, busy or not complete.

    :raises orch.errors.OrchError: resources may not move between them
    """
    if stack.deleted_at is not None:
        raise lookup.StackNotFound(
            f"The Stack ({stack.name}) could not be found."
        )
    stack_lock.check_idle(connection, stack)
    if stack.status is not states.Status.COMPLETE:
        raise move_rows.CannotMove(
            f"Stack {stack.name} is {stack.action}_{stack.status}:"
            " retry or update it first."
        )


def _check_pair(source: stack_model.Stack, target: stack_model.Stack) -> None:
    """Raise an error if both stacks are the same or of two projects.

    :raises orch.errors.Invalid: they are the same
    :raises orch.errors.NotSupported: they are of two projects
    """
    if source.id == target.id:
        raise errors.Invalid(
            f"Stack {source.name} is source and target; name another target."
        )
    if source.project_id != target.project_id:
        raise errors.NotSupported(
            "The two stacks are of different projects: abandon and adopt."
        )


def check_types(
    deps: dependencies.Dependencies,
    source: MovingStack,
    rows: collections.abc.Sequence[resource.Resource],
) -> None:
    """Raise CannotMove if the type of a resource does not allow its move.

    :raises orch.engine.moves.rows.CannotMove: an agent knows the resource by
        its stack, or it acts on one that stays
    """
    moving = {row.name for row in rows}
    kept = {
        row.name: deps.types.find(row.plugin_type)
        for row in source.rows
        if row.name not in moving
    }
    for row in rows:
        plugin = deps.types.find(row.plugin_type)
        if isinstance(plugin, software.SoftwareResource):
            raise move_rows.CannotMove(
                f"Resource {row.name} is software or a server: the agent"
                " there knows it by its stack. It cannot move."
            )
        if plugin is None:
            continue
        needed = [kept[each] for each in row.requires if each in kept]
        if (
            plugin.listens_to and any(e and e.takes_signals for e in needed)
        ) or (plugin.refers_to and any(e and e.is_scalable for e in needed)):
            raise move_rows.CannotMove(
                f"Resource {row.name} acts on another one of its stack, which"
                " would stay: move both."
            )


def check_outside(
    target: MovingStack, rows: collections.abc.Iterable[resource.Resource]
) -> None:
    """Raise CannotMove if the target is below a resource that moves.

    :raises orch.engine.moves.rows.CannotMove: it is
    """
    around = {str(each.id) for each in target.tree.way(target.stack)}
    for row in rows:
        if str(row.id) in around:
            raise move_rows.CannotMove(
                f"Resource {row.name} is the stack that it would move to, or"
                " holds it."
            )
