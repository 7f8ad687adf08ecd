"""Read the request of a move, and check it against both stacks."""

import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.moves import model
from orch.engine.moves import participants
from orch.engine.moves import plan
from orch.engine.moves import rows as move_rows
from orch.engine.stacks import update
from orch.model import resource
from orch.model import stack
from orch.plugin import nested_stack
from orch.rpc import contract


def read_move(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    request: contract.MoveRequest,
) -> model.Move:
    """Return the move that a request describes.

    :raises orch.engine.moves.rows.CannotMove: the move is not possible
    :raises orch.errors.OrchError: what an update of either stack is refused
        with
    """
    source, target = deps.database.query(
        lambda connection: participants.load_participants(
            ctxt, connection, stack_id, request
        )
    )
    for each in (source, target):
        participants.check_settled(each)
    names = request["resources"]
    moving = move_rows.choose_rows(
        source.stack, target.stack, source.rows, target.rows, names
    )
    participants.check_outside(target, moving)
    participants.check_types(deps, source, moving)
    moving = move_rows.rename_references(
        moving, names, source.stack, target.stack, deps.types, ctxt
    )
    outermost = _root_sides(deps, ctxt, (source, target), request)
    moved = move_rows.moved_rows(moving, names, target.stack, deps.clock.now())
    rows = {
        source.stack.id: move_rows.remaining_rows(source.rows, moving),
        target.stack.id: [*target.rows, *moved],
    }
    plans = {
        key: plan.plan_update(deps, ctxt, each, rows)
        for key, each in outermost.items()
    }
    sides = dict(outermost)
    for each in (source, target):
        for side, planned in plan.plan_children(
            plans[each.tree.root.id], each.tree.way(each.stack)
        ):
            sides[side.stack.id] = side
            plans[side.stack.id] = planned
    left, come = (
        dataclasses.replace(sides[each.stack.id], rows=each.rows)
        for each in (source, target)
    )
    _check_declared(left, come, moving, names)
    _check_read_above(source, sides, moving)
    between = [
        each
        for key, each in sides.items()
        if key not in outermost and key not in rows
    ]
    return model.Move(
        *(left, come, names, tuple(moving), tuple(moved)),
        outermost=outermost,
        between=tuple(between),
        plans=plans,
    )


def children_below(
    connection: db_engine.Connection, wanted: model.Move
) -> list[stack.Stack]:
    """Return the live stacks below resources that move, at any depth."""
    below = {str(row.id) for row in wanted.moving}
    found = []
    tree = stacks.list_tree(connection, wanted.source.stack.root_id)
    live = [each for each in tree if each.deleted_at is None]
    for each in sorted(live, key=lambda one: (one.depth, one.id)):
        if each.id in below or each.parent_id in below:
            below.add(each.id)
            found.append(each)
    return found


def _root_sides(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: tuple[participants.MovingStack, participants.MovingStack],
    request: contract.MoveRequest,
) -> dict[ids.StackId, model.Side]:
    """Return the root stacks as they are after the move, by id.

    :raises orch.errors.OrchError: the new inputs are not valid
    """
    source, target = (each.tree for each in found)
    inputs = {source.root.id: request["source_inputs"]}
    if target.root.id not in inputs:
        inputs[target.root.id] = request["target_inputs"]
    elif request["target_inputs"]:
        raise errors.Invalid(
            f"Source and target are both in the tree of stack"
            f" {source.root.name}: describe it by source_template,"
            " source_files and so on alone."
        )
    return {
        tree.root.id: _side(deps, ctxt, tree, inputs[tree.root.id])
        for tree in (source, target)
    }


def _side(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    tree: participants.StackTree,
    inputs: contract.StackInputs,
) -> model.Side:
    """Return the root stack of a tree as it is after the move.

    :raises orch.errors.OrchError: the new inputs are not valid
    """
    wanted = update.read_request(
        deps, ctxt, tree.root.id, inputs, {"existing": True}
    )
    return model.Side(
        tree.root, wanted.given, wanted.parsed_template, tree.rows
    )


def _check_declared(
    source: model.Side,
    target: model.Side,
    rows: collections.abc.Iterable[resource.Resource],
    names: move_rows.Names,
) -> None:
    """Raise CannotMove unless only the target declares what moves.

    :raises orch.engine.moves.rows.CannotMove: the source still declares it, or
        the target does not
    """
    for row in rows:
        name = names[row.name]
        if row.name in source.parsed_template.resources:
            raise move_rows.CannotMove(
                f"The source declares {row.name} still: leave it out of the"
                " source_template, or of the file in source_files that"
                " declares it."
            )
        if source.parsed_template.refers_to(row.name):
            raise move_rows.CannotMove(
                f"An output of the source reads {row.name}, which would go:"
                " change the output in the source_template."
            )
        declared = target.parsed_template.resources.get(name)
        if declared is None:
            raise move_rows.CannotMove(
                f"The target does not declare {name}: add it to the"
                " target_template, or to the file that declares the target."
            )
        if declared.type_name != row.plugin_type:
            raise move_rows.CannotMove(
                f"Resource {name} is of type {declared.type_name} in the"
                f" target, and {row.name} is of type {row.plugin_type}."
            )
        if declared.external_id != row.external_id:
            raise move_rows.CannotMove(
                f"Resource {name} has another external_id in the target."
            )


def _check_read_above(
    source: participants.MovingStack,
    sides: collections.abc.Mapping[ids.StackId, model.Side],
    rows: collections.abc.Iterable[resource.Resource],
) -> None:
    """Raise CannotMove if the source's parent reads a resource that moves.

    The source's outputs are checked with the parent's template.

    :raises orch.engine.moves.rows.CannotMove: the parent reads such a resource
    """
    holding = source.stack.parent_resource
    if source.stack.parent_id is None or holding is None:
        return
    around = sides[source.stack.parent_id].parsed_template
    for attribute in around.attributes_read(holding):
        path = nested_stack.parse_path_key(attribute)
        words = ".".join(map(str, path)).split(".")
        for row in rows:
            if words[:2] == ["resource", row.name]:
                raise move_rows.CannotMove(
                    f"The stack around {source.stack.name} reads"
                    f" {'.'.join(words)} of {holding}, which would go."
                )
