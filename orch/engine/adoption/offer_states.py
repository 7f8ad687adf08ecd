"""What hand-overs can be used for, of many by few statements.

It follows from the abandonment, from the abandoned stack, and from the stack
that was made of it.
"""

import collections.abc
import dataclasses
import enum

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import abandonments
from orch.db.repositories import lifecycle
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.model import abandonment
from orch.model import adoption
from orch.model import operation
from orch.model import states

_HandOvers = collections.abc.Collection[abandonment.HandOver]


class State(enum.Enum):
    """What a hand-over can be used for.

    ``ENDED``: the stack was denied its abandonment, or was changed after one
    that had failed. Then nothing is offered.
    """

    ABANDONING = "abandoning"
    FAILED = "failed"
    OFFERED = "offered"
    TAKEN = "taken"
    ENDED = "ended"


@dataclasses.dataclass(frozen=True, slots=True)
class OfferState:
    """The state of one hand-over.

    :ivar taken_by: the stack that has taken it over, if that counts
    """

    state: State
    taken_by: ids.StackId | None = None


def read_states(
    connection: db_engine.Connection, found: _HandOvers
) -> list[OfferState]:
    """Return the states of hand-overs, in their order.

    It takes as many statements for all as for one, and two more for each time
    that one of them was handed on.
    """
    taken = find_taken(connection, found)
    old = {
        each.id: each
        for each in stacks.list_some(
            connection, {each.stack_id for each in found}
        )
    }
    last: dict[ids.OperationId | None, operation.Operation] = {
        each.id: each
        for each in operations.list_some(
            connection,
            {each.operation_id for each in old.values() if each.operation_id},
        )
    }
    refused = {
        (each.operation_id, each.attempt)
        for each in lifecycle.list_of_operations(
            connection, [each.id for each in last.values()]
        )
        if each.is_refused
    }

    def state_of(each: abandonment.HandOver) -> State:
        stack = old.get(each.stack_id)
        ran = last.get(stack.operation_id) if stack is not None else None
        if stack is None or ran is None:
            # Its record was purged.
            return State.OFFERED
        if not ran.options.get(adoption.ABANDONS):
            return State.ENDED
        if stack.deleted_at is not None:
            return State.OFFERED
        if stack.status is not states.Status.FAILED:
            return State.ABANDONING
        is_refused = (ran.id, ran.attempt) in refused
        return State.ENDED if is_refused else State.FAILED

    return [
        OfferState(State.TAKEN, each.taken_by)
        if each.id in taken
        else OfferState(state_of(each))
        for each in found
    ]


def find_taken(
    connection: db_engine.Connection, found: _HandOvers
) -> set[str]:
    """Return the ids of those that are taken over.

    One is while the stack that has taken it over exists, and while one exists
    that it was handed on to.
    """
    taken: set[str] = set()
    takers = {each.id: each.taken_by for each in found}
    while any(takers.values()):
        wanted = {each for each in takers.values() if each is not None}
        live = {
            each.id
            for each in stacks.list_some(connection, wanted)
            if not each.deleted_at
        }
        taken |= {key for key, each in takers.items() if each in live}
        further = {
            each.stack_id: each.taken_by
            for each in abandonments.list_committed(connection, wanted - live)
        }
        takers = {
            key: further[each]
            for key, each in takers.items()
            if each is not None and each in further
        }
    return taken
