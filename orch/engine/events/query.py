"""Read the events of stacks, and follow them."""

import collections.abc

from orch import errors as base_errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import queries
from orch.db.repositories import events
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.model import event
from orch.model import event_position
from orch.model import stack
from orch.model import states
from orch.rpc import contract

_MAX_LIMIT = 2**31 - 1


def list_events(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    resource_name: str | None,
    query: contract.EventQuery,
) -> list[contract.EventFacts]:
    """Return the events of a stack, or of one of its resources.

    :raises orch.errors.NotFound: this caller has no such stack
    """
    event_query = _translated(resource_name, query)

    def work(
        connection: db_engine.Connection,
    ) -> list[contract.EventFacts]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        root = root_of(connection, stack)
        if resource_name is not None and not lookup.is_storable(resource_name):
            return []
        tree = lookup.stacks_below(
            connection, stack, query.get("nested_depth", 0)
        )
        stack_ids = [each.id for each in tree]
        found = events.list_(connection, stack_ids, event_query)
        return _listed(found, root, tree)

    return deps.database.query(work)


def _listed(
    found: collections.abc.Iterable[event.Event | event.ListedEvent],
    root: stack.Stack,
    tree: list[stack.Stack],
) -> list[contract.EventFacts]:
    identities = {each.id: lookup.identity_of(each) for each in tree}
    root_identity = lookup.identity_of(root)
    return [
        facts_of(each, identities[each.stack_id], root_identity)
        for each in found
    ]


def show_event(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    resource_name: str,
    event_id: str,
) -> contract.EventFacts:
    """Return one event with the properties of its resource.

    :raises orch.errors.NotFound: this caller has no such stack, or the
        resource no such event
    """

    def work(connection: db_engine.Connection) -> contract.EventFacts:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        found = _find(connection, stack, event_id)
        if found is None or found.resource_name != resource_name:
            raise errors.EventNotFound(
                f"The Event ({event_id[:255]}) could not be found."
            )
        redacts = tree_secrets.redaction_of(
            connection, deps.templates.find, stack
        )
        facts = facts_of(
            found,
            lookup.identity_of(stack),
            lookup.identity_of(root_of(connection, stack)),
        )
        facts["physical_id"] = redacts.physical_id(found.physical_id)
        facts["resource_properties"] = _properties(connection, found, redacts)
        return facts

    return deps.database.query(work)


def root_of(
    connection: db_engine.Connection, stack: stack.Stack
) -> stack.Stack:
    """Return the root of a stack's tree."""
    if stack.root_id == stack.id:
        return stack
    return stacks.get(connection, stack.root_id)


def _find(
    connection: db_engine.Connection, stack: stack.Stack, event_id: str
) -> event.Event | None:
    sequence = ids.find_sequence(event_id)
    if sequence is None or ids.event_id(stack.id, sequence) != event_id:
        return None
    try:
        return events.get(connection, stack.id, sequence)
    except base_errors.NotFound:
        return None


def _properties(
    connection: db_engine.Connection,
    found: event.Event,
    redacts: redaction.Redaction,
) -> dict[str, object]:
    """Return the properties of the resource while its row exists.

    Hidden values are redacted.
    """
    if found.resource_id is None:
        return {}
    row = resources.find(connection, found.resource_id)
    if row is None:
        return {}
    return redacts.values(row.properties)


def _translated(
    resource_name: str | None, query: contract.EventQuery
) -> queries.EventQuery:
    limit = query.get("limit")
    filters: dict[str, collections.abc.Sequence[str]] = {
        column: lookup.storable_texts(allowed)
        for column, allowed in (query.get("filters") or {}).items()
    }
    return queries.EventQuery(
        limit=None if limit is None else min(limit, _MAX_LIMIT),
        marker=query.get("marker"),
        sort_keys=tuple(query.get("sort_keys") or ()),
        sort_dir=query.get("sort_dir"),
        resource_name=resource_name,
        filters=filters,
    )


def facts_of(
    found: event.Event | event.ListedEvent,
    identity: contract.StackIdentity,
    root_identity: contract.StackIdentity,
) -> contract.EventFacts:
    """Return an event as the RPC contract has it.

    The id was redacted when it was written down.

    :param identity: of its stack
    :param root_identity: of the root stack
    """
    return {
        "id": found.id,
        "sequence": found.sequence,
        "created_at": found.created_at,
        "resource_name": found.resource_name,
        "resource_type": found.resource_type,
        "physical_id": found.physical_id,
        "action": str(found.action),
        "status": str(found.status),
        "reason": found.reason,
        "request_id": found.request_id,
        "stack": identity,
        "root_stack": root_identity,
    }


_BATCH = 500


class UnknownPosition(base_errors.Invalid):
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
        root = root_of(connection, stack)
        tree = lookup.stacks_below(connection, stack, nested_depth)
        last_position = _position(connection, tree, after)
        found = events.list_after(
            connection, [each.id for each in tree], last_position, _BATCH
        )
        listed = _listed(found, root, tree)
        return _answer(stack, last_position, found, listed)

    return deps.database.query(work)


def _answer(
    stack: stack.Stack,
    last_position: event_position.Position,
    found: list[event.Event],
    listed: list[contract.EventFacts],
) -> contract.FollowedFacts:
    followed: list[contract.FollowedEvent] = []
    for each, facts in zip(found, listed, strict=True):
        last_position = last_position.beyond(each)
        followed.append(
            contract.FollowedEvent(position=last_position.text(), event=facts)
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
