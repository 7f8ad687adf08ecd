"""Accepts that resources move from one stack to another.

The things stay as they are: in one transaction the rows change their stack,
and both stacks what they declare. With it an update of each stack is
accepted, which runs as any other, from the rows: so nothing more is left to
be done when a worker dies at whatever moment.
"""

import collections.abc
import dataclasses
import functools

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import moves
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import outcome
from orch.engine import stored
from orch.engine.operations import act
from orch.engine.operations import asked
from orch.engine.operations import moving_foresight
from orch.engine.operations import moving_rows
from orch.engine.operations import moving_wishes
from orch.engine.operations import room
from orch.events import recorder
from orch.flow import submit as flow_submit
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.rpc import contract

_Look = collections.abc.Callable[
    [db_engine.Connection, ids.StackId], stack.Stack
]

_TO = "moved_to"
_FROM = "moved_from"


def submit(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    wish: contract.MoveWish,
) -> contract.Moved:
    """Accept a move: it is done then, and each stack is looked at again.

    :raises orch.engine.operations.moving_rows.CannotMove: something is in
        the way
    :raises orch.engine.operations.retry.InProgress: one of the stacks is busy
    :raises orch.errors.OrchError: what an update of either stack is refused
        with
    """
    while True:
        wanted = moving_wishes.read(deps, ctxt, stack_id, wish)
        moving_foresight.check(deps, ctxt, wanted)
        done = _accept(deps, ctxt, wanted)
        if done is not None:
            return done


def preview(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    wish: contract.MoveWish,
) -> contract.MovePreview:
    """Return what the same move would do; nothing changes.

    :raises orch.errors.OrchError: what the move would be refused with
    """
    wanted = moving_wishes.read(deps, ctxt, stack_id, wish)
    deps.database.query(
        functools.partial(_check_idle, wanted=wanted, look=stacks.get)
    )
    return moving_foresight.show(deps, ctxt, wanted)


def _accept(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    wanted: moving_wishes.Move,
) -> contract.Moved | None:
    """Move; ``None`` when a stack is not any more what it was."""
    begun = {
        side.subject.id: _operation(deps, ctxt, side, option, other)
        for side, option, other in (
            (wanted.source, _TO, wanted.target),
            (wanted.target, _FROM, wanted.source),
        )
    }
    source, target = (
        begun[each.subject.id] for each in (wanted.source, wanted.target)
    )

    def work(connection: db_engine.Connection) -> bool:
        locked = {
            each: stacks.lock(connection, each) for each in sorted(begun)
        }
        if locked[source.stack_id].operation_id == source.id:
            # The answer to the commit was lost.
            return True
        if any(
            each.subject != locked[each.subject.id]
            for each in (wanted.source, wanted.target)
        ):
            return False
        tree = _check_idle(connection, wanted, stacks.lock)
        rows = resources.list_(connection, source.stack_id)
        again = moving_wishes.inner_of(connection, wanted)
        if list(wanted.source.rows) != rows or tree != again:
            return False
        _move_rows(connection, wanted)
        _move_stacks(connection, wanted, tree)
        inner = sum(each.resource_count for each in tree)
        for side, change in ((wanted.source, -inner), (wanted.target, inner)):
            _begin(connection, deps, side, change, begun[side.subject.id])
        _tell(connection, wanted, source, target)
        return True

    if not deps.database.run(work):
        return None
    return contract.Moved(
        resources=dict(wanted.names),
        source=asked.accepted(source, wanted.source.subject.name),
        target=asked.accepted(target, wanted.target.subject.name),
    )


def _operation(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    side: moving_wishes.Side,
    option: str,
    other: moving_wishes.Side,
) -> operation.Operation:
    """Return the update of a stack; it goes back to nothing but itself."""
    fresh = asked.new(deps, ctxt, side.subject.id, states.Action.UPDATE, {})
    template_hash, environment_hash = side.hashes
    return dataclasses.replace(
        fresh,
        template_hash=template_hash,
        environment_hash=environment_hash,
        options={
            **fresh.options,
            option: other.subject.id,
            outcome.PREVIOUS_TEMPLATE: template_hash,
            outcome.PREVIOUS_ENVIRONMENT: environment_hash,
        },
    )


def _check_idle(
    connection: db_engine.Connection, wanted: moving_wishes.Move, look: _Look
) -> list[stack.Stack]:
    """Return the inner stacks that move; nothing runs anywhere.

    :param look: reads one of them, and may lock it
    :raises orch.engine.operations.retry.InProgress: something does
    """
    for side in (wanted.source, wanted.target):
        act.check_idle(connection, side.subject)
    tree = moving_wishes.inner_of(connection, wanted)
    for each in sorted(tree, key=lambda one: one.id):
        act.check_idle(connection, look(connection, each.id))
    return tree


def _move_rows(
    connection: db_engine.Connection, wanted: moving_wishes.Move
) -> None:
    """Give the rows to the target.

    :raises orch.errors.Conflict: a row is gone
    """
    for before, after in zip(wanted.moving, wanted.moved, strict=True):
        if not moves.put_resource(connection, before, after):
            raise errors.Conflict(
                f"Resource {before.name} was changed meanwhile; ask again."
            )
    changed = [
        row
        for row in moving_rows.left(wanted.source.rows, wanted.moving)
        if row not in wanted.source.rows
    ]
    resources.save_many(connection, changed)


def _move_stacks(
    connection: db_engine.Connection,
    wanted: moving_wishes.Move,
    tree: collections.abc.Sequence[stack.Stack],
) -> None:
    """Give the inner stacks of what moves to the other tree."""
    if not tree:
        return
    target = wanted.target.subject
    moves.put_stacks(connection, target.root_id, [each.id for each in tree])
    for row in wanted.moved:
        moves.put_holder(connection, ids.StackId(row.id), target.id, row.name)


def _begin(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    side: moving_wishes.Side,
    inner_change: int,
    begun: operation.Operation,
) -> None:
    """Let a stack declare what it has now, and accept its update.

    :param inner_change: by how much the resources of inner stacks get more
    :raises orch.template.errors.TooLarge: they would be too many
    """
    subject = side.subject
    hashes = stored.store_inputs(connection, side.given, side.bound)
    count = len(side.bound.resources)
    more = count - subject.resource_count + inner_change
    room.count_tree(connection, deps, subject, more)
    flow_submit.accept(
        connection,
        subject,
        begun,
        template_hash=hashes[0],
        environment_hash=hashes[1],
        good_template_hash=hashes[0],
        good_environment_hash=hashes[1],
        description=str(side.bound.description),
        resource_count=count,
        updated_at=begun.created_at,
    )


def _tell(
    connection: db_engine.Connection,
    wanted: moving_wishes.Move,
    source: operation.Operation,
    target: operation.Operation,
) -> None:
    """Record in both stacks what has moved."""
    there = wanted.target.subject.name
    here = wanted.source.subject.name
    _record(
        connection,
        source,
        [
            (row, f"Moved to stack {there} as {wanted.names[row.name]}")
            for row in wanted.moving
        ],
    )
    _record(
        connection,
        target,
        [
            (after, f"Moved from stack {here}, where it was {before.name}")
            for before, after in zip(wanted.moving, wanted.moved, strict=True)
        ],
    )


def _record(
    connection: db_engine.Connection,
    begun: operation.Operation,
    told: collections.abc.Iterable[tuple[resource.Resource, str]],
) -> None:
    notes = recorder.Recorder(
        flow_submit.newest(connection, begun.stack_id), begun
    )
    for row, reason in told:
        notes.record_resource(
            row,
            states.Action.UPDATE,
            states.Status.COMPLETE,
            reason,
            begun.created_at,
        )
    events.insert_many(connection, notes.take().events)
