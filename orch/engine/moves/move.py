"""Accept a move of resources from one stack to another.

The physical resources stay as they are: in one transaction the rows change
their stack, and both stacks their templates. With it an update of each stack
is accepted, which runs as any other, from the rows: so nothing is left undone
when a worker dies at any moment. Where a stack has a parent, the update is
that of the root stack, whose files declare what is in it.
"""

import collections.abc
import dataclasses
import functools
import typing

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import moves
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import quota
from orch.engine.acceptance import stack_lock
from orch.engine.moves import hooks
from orch.engine.moves import model
from orch.engine.moves import plan
from orch.engine.moves import request as move_request
from orch.engine.moves import rows as move_rows
from orch.engine.queries import lookup
from orch.engine.stack_inputs import store
from orch.events import recorder
from orch.flow.state import restoration
from orch.flow.state import submit as flow_submit
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.rpc import contract


def declare_child(connection: db_engine.Connection, side: model.Side) -> None:
    """Store the new inputs of a stack between the root and a child."""
    stacks.update(
        connection, side.stack.id, **_declared_columns(connection, side)
    )


def complete_child(
    connection: db_engine.Connection,
    side: model.Side,
    done: operation.Operation,
) -> None:
    """Store that the move itself completes a child stack's update.

    The parent's update visits the child nevertheless, because it is marked as
    diverged: attributes of moved resources that others read may have changed.
    """
    columns = _declared_columns(connection, side)
    begun = flow_submit.started_stack(side.stack, done)
    ended = dataclasses.replace(
        begun,
        status=states.Status.COMPLETE,
        status_reason=f"Stack {done.action} completed successfully",
        updated_at=done.created_at,
        # Columns by name; each has the type of its field.
        **columns,  # type: ignore[arg-type]
    )
    stacks.update(
        connection,
        ended.id,
        action=ended.action,
        status=ended.status,
        status_reason=ended.status_reason,
        operation_id=ended.operation_id,
        has_diverged=True,
        updated_at=done.created_at,
        **columns,
    )
    operations.insert(
        connection,
        dataclasses.replace(
            done,
            state=states.OperationState.COMPLETE,
            started_at=done.created_at,
            finished_at=done.created_at,
        ),
    )
    notes = recorder.Recorder(
        flow_submit.find_newest_event(connection, side.stack.id), done
    )
    statuses = resources.count_by_status(connection, side.stack.id)
    notes.record_stack(begun, done.created_at, statuses=statuses)
    notes.record_stack(ended, done.created_at, statuses=statuses)
    notes.take().store(connection)


def _declared_columns(
    connection: db_engine.Connection, side: model.Side
) -> dict[str, object]:
    hashes = store.store_inputs(connection, side.given, side.parsed_template)
    return {
        "template_hash": hashes[0],
        "environment_hash": hashes[1],
        "good_template_hash": hashes[0],
        "good_environment_hash": hashes[1],
        "description": str(side.parsed_template.description),
        "resource_count": len(side.parsed_template.resources),
    }


_Look = collections.abc.Callable[
    [db_engine.Connection, ids.StackId], stack.Stack
]

_FROM = "moved_from"


def submit_move(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    request: contract.MoveRequest,
) -> contract.Moved:
    """Accept a move: the rows have moved then, and updates follow.

    :raises orch.engine.moves.rows.CannotMove: the move is not possible
    :raises orch.engine.acceptance.stack_lock.InProgress:
        one of the stacks is busy
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.OrchError: what an update of either stack is refused
        with
    """
    while True:
        move = move_request.read_move(deps, ctxt, stack_id, request)
        plan.check_plans(move)
        begun = _operations(deps, ctxt, move)
        with hooks.MoveHooks(deps, ctxt, move, begun) as judged:
            judged.ask()
            done = _accept(deps, ctxt, move, judged)
        if done is not None:
            return done


def preview_move(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    request: contract.MoveRequest,
) -> contract.MovePreview:
    """Return the plans of the same move; nothing changes.

    :raises orch.errors.OrchError: what the move would be refused with
    """
    move = move_request.read_move(deps, ctxt, stack_id, request)
    plan.check_plans(move)
    deps.database.query(
        functools.partial(_check_idle, deps=deps, move=move, look=stacks.get)
    )
    return plan.plans_by_stack(move)


def _accept(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    move: model.Move,
    judged: hooks.MoveHooks,
) -> contract.Moved | None:
    """Move the rows; return ``None`` when a stack has changed meanwhile."""
    sides = move.sides
    begun = judged.operations
    source, target = (
        begun[each.stack.id] for each in (move.source, move.target)
    )

    answer = contract.Moved(
        resources=dict(move.names),
        source=operation_factory.accepted_facts(
            source, move.source.stack.name
        ),
        target=operation_factory.accepted_facts(
            target, move.target.stack.name
        ),
        updates=[
            operation_factory.accepted_facts(begun[key], each.stack.name)
            for key, each in move.outermost.items()
        ],
    )

    def work(connection: db_engine.Connection) -> bool:
        locked = {
            each: stacks.lock(connection, each) for each in sorted(sides)
        }
        if locked[source.stack_id].operation_id == source.id:
            # The answer to the commit was lost.
            return True
        lookup.check_unchanged(ctxt, locked[source.stack_id])
        if any(each.stack != locked[key] for key, each in sides.items()):
            return False
        tree = _check_idle(connection, deps, move, stacks.lock)
        rows = resources.list_(connection, source.stack_id)
        again = move_request.children_below(connection, move)
        if list(move.source.rows) != rows or tree != again:
            return False
        _move_rows(connection, move)
        _move_drift(connection, move, tree)
        _move_stacks(connection, move, tree)
        for each in move.between:
            declare_child(connection, each)
        moved_count = sum(each.resource_count for each in tree)
        changes = {source.stack_id: -moved_count, target.stack_id: moved_count}
        # The resources that leave free the quota before the others come.
        first = {source.stack_id, target.stack_id}
        for key in (source.stack_id, target.stack_id, *(sides.keys() - first)):
            if key in begun:
                change = changes.get(key, 0)
                _begin(connection, deps, sides[key], change, begun[key])
        _record_move(connection, move, source, target)
        judged.move(connection, move)
        judged.commit(connection)
        idempotency.save_answer(connection, ctxt, answer)
        return True

    return answer if deps.database.run(work) else None


def _operations(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    move: model.Move,
) -> dict[ids.StackId, operation.Operation]:
    """Return the operations of both stacks, and of their roots."""
    source, target = move.source.stack.id, move.target.stack.id
    options: dict[ids.StackId, dict[str, str]] = {
        source: {moves.TO: target},
        target: {_FROM: source},
    }
    return {
        key: _operation(deps, ctxt, each, options.get(key, {}))
        for key, each in move.sides.items()
        if key in options or key in move.outermost
    }


def _operation(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    side: model.Side,
    options: collections.abc.Mapping[str, str],
) -> operation.Operation:
    """Return the update of a stack; a rollback returns to its own template.

    That of a child stack is complete with the move itself: the update of the
    root does the rest.
    """
    fresh = operation_factory.new_operation(
        deps,
        ctxt,
        side.stack.id,
        states.Action.UPDATE,
        {},
        has_credential=side.is_outermost,
    )
    template_hash, environment_hash = side.hashes
    return dataclasses.replace(
        fresh,
        depth=side.stack.depth,
        template_hash=template_hash,
        environment_hash=environment_hash,
        options={**fresh.options, **options},
    )


def _check_idle(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    move: model.Move,
    look: _Look,
) -> list[stack.Stack]:
    """Return the child stacks that move; raise InProgress if one is busy.

    :param look: reads one of them, and may lock it
    :raises orch.engine.acceptance.stack_lock.InProgress:
        an operation on one of the
        stacks is in progress
    :raises orch.engine.moves.rows.CannotMove: they would be too deep
    """
    for side in move.sides.values():
        stack_lock.check_idle(connection, side.stack)
    tree = move_request.children_below(connection, move)
    for each in sorted(tree, key=lambda one: one.id):
        stack_lock.check_idle(connection, look(connection, each.id))
    max_depth = deps.settings.max_nested_stack_depth
    deepest = max((each.depth for each in tree), default=0)
    if 0 <= max_depth < deepest + move.deeper:
        raise move_rows.CannotMove(
            f"There would be {deepest + move.deeper} stacks in one another,"
            f" and no more than {max_depth} are allowed."
        )
    return tree


def _move_rows(connection: db_engine.Connection, move: model.Move) -> None:
    """Assign the rows to the target.

    :raises orch.errors.Conflict: a row is gone
    """
    for before, after in zip(move.moving, move.moved, strict=True):
        if not moves.put_resource(connection, before, after):
            raise errors.Conflict(
                f"Resource {before.name} was changed meanwhile; ask again."
            )
    changed = [
        row
        for row in move_rows.remaining_rows(move.source.rows, move.moving)
        if row not in move.source.rows
    ]
    resources.save_many(connection, changed)


def _move_drift(
    connection: db_engine.Connection,
    move: model.Move,
    tree: collections.abc.Sequence[stack.Stack],
) -> None:
    """Let what is known of drift, and its history, go with the resources."""
    before, after = (
        tree_paths.path_of(connection, each.stack)
        for each in (move.source, move.target)
    )
    moves.put_drift(
        connection,
        move.source.stack.root_id,
        move.target.stack,
        {
            row.id: (
                tree_paths.below(before, row.name),
                tree_paths.below(after, moved.name),
            )
            for row, moved in zip(move.moving, move.moved, strict=True)
        },
        [each.id for each in tree],
    )


def _move_stacks(
    connection: db_engine.Connection,
    move: model.Move,
    tree: collections.abc.Sequence[stack.Stack],
) -> None:
    """Assign the child stacks of the moved resources to the target's tree."""
    if not tree:
        return
    target = move.target.stack
    moves.put_stacks(
        connection,
        target.root_id,
        [each.id for each in tree],
        move.deeper,
    )
    for row in move.moved:
        moves.put_holder(connection, ids.StackId(row.id), target.id, row.name)


def _begin(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    side: model.Side,
    child_change: int,
    begun: operation.Operation,
) -> None:
    """Store the new inputs of a stack, and accept its update.

    :param child_change: the change of the number of resources of child stacks
    :raises orch.template.errors.TooLarge: they would be too many
    """
    stack = side.stack
    count = len(side.parsed_template.resources)
    more = count - stack.resource_count + child_change
    quota.count_tree(connection, deps, stack, more)
    if not side.is_outermost:
        complete_child(connection, side, begun)
        return
    columns: dict[str, typing.Any] = {
        **_declared_columns(connection, side),
        "updated_at": begun.created_at,
    }
    # The rows have moved: nothing returns to the inputs before.
    moved = dataclasses.replace(stack, **columns)
    before = {**restoration.inputs_of(moved), **restoration.state_of(stack)}
    begun = dataclasses.replace(
        begun, options={**begun.options, restoration.BEFORE: before}
    )
    flow_submit.accept_operation(connection, stack, begun, **columns)


def _record_move(
    connection: db_engine.Connection,
    move: model.Move,
    source: operation.Operation,
    target: operation.Operation,
) -> None:
    """Record events of the moved resources in both stacks."""
    there = move.target.stack.name
    here = move.source.stack.name
    _record(
        connection,
        source,
        [
            (row, f"Moved to stack {there} as {move.names[row.name]}")
            for row in move.moving
        ],
    )
    _record(
        connection,
        target,
        [
            (after, f"Moved from stack {here}, where it was {before.name}")
            for before, after in zip(move.moving, move.moved, strict=True)
        ],
    )


def _record(
    connection: db_engine.Connection,
    begun: operation.Operation,
    row_reasons: collections.abc.Iterable[tuple[resource.Resource, str]],
) -> None:
    notes = recorder.Recorder(
        flow_submit.find_newest_event(connection, begun.stack_id), begun
    )
    for row, reason in row_reasons:
        moved = dataclasses.replace(
            row,
            action=states.Action.UPDATE,
            status=states.Status.COMPLETE,
            status_reason=reason,
        )
        notes.record_resource(moved, begun.created_at)
    events.insert_many(connection, notes.take().events)
