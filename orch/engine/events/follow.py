"""Follow the events of a stack or tree from a position, without repetition."""

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.engine import dependencies
from orch.engine.events import query
from orch.engine.queries import lookup
from orch.engine.queries import tree as query_tree
from orch.model import event
from orch.model import event_position
from orch.model import stack
from orch.model import states
from orch.rpc import contract

_BATCH = 500

_Identities = dict[ids.StackId, contract.StackIdentity]


class UnknownPosition(errors.Invalid):
    """The position to follow from is no event of this stack."""

    code = "orch.event.unknown_position"


def follow_events(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    after: str | None,
    nested_depth: int,
) -> contract.FollowedFacts:
    """Return the events after a position, some hundreds at most.

    :param after: position of the last event received, or its id; ``None`` for
        the beginning
    :param nested_depth: how many levels of child stacks to include
    :raises UnknownPosition: ``after`` is an event of no included stack
    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(connection: db_engine.Connection) -> contract.FollowedFacts:
        # First the stack, then the events: if the stack is idle, all events
        # until then are among them.
        stack = lookup.get_stack(connection, ctxt, stack_id)
        root = query.root_of(connection, stack)
        tree = query_tree.stacks_below(connection, stack, nested_depth)
        last_position = _position(connection, tree, after)
        found = events.list_after(
            connection, [each.id for each in tree], last_position, _BATCH
        )
        return _answer(stack, root, tree, last_position, found)

    return deps.database.query(work)


def _answer(
    stack: stack.Stack,
    root: stack.Stack,
    tree: list[stack.Stack],
    last_position: event_position.Position,
    found: list[event.Event],
) -> contract.FollowedFacts:
    identities: _Identities = {
        each.id: lookup.identity_of(each) for each in tree
    }
    followed: list[contract.FollowedEvent] = []
    for each in found:
        last_position = last_position.beyond(each)
        followed.append(
            contract.FollowedEvent(
                position=last_position.text(),
                event=query.facts_of(
                    each, identities[each.stack_id], lookup.identity_of(root)
                ),
            )
        )
    has_all = len(found) < _BATCH
    return contract.FollowedFacts(
        events=followed,
        is_idle=has_all and stack.status is not states.Status.IN_PROGRESS,
        is_over=has_all and stack.deleted_at is not None,
    )


def _position(
    connection: db_engine.Connection,
    tree: list[stack.Stack],
    after: str | None,
) -> event_position.Position:
    """Return the position that a text names.

    :raises UnknownPosition: it names none, or one of another stack
    """
    named = event_position.event_ids(after or "")
    if not named:
        return event_position.START
    stack_ids = [each.id for each in tree]
    found = events.list_named(connection, stack_ids, named)
    newest = {
        each.stack_id: (each.sequence, each.created_at)
        for each in reversed(found)
    }
    if len(newest) != len(named):
        raise UnknownPosition(
            f"Last-Event-ID: {str(after)[:80]!r} is no event of this stack:"
            " leave it out to begin with the first one."
        )
    return event_position.Position(newest)
