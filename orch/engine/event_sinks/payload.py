"""Build the events that sinks get: Heat's body, with facts of ours."""

import collections.abc
import dataclasses
import heapq
import json

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import event_sinks
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import tree_paths
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.events import drifts
from orch.model import event
from orch.model import event_sink
from orch.model import stack
from orch.plugin import sink

_VERSION = "0.1"
_TYPE = "os.heat.event"
_MAX_STACKS = 50
_MAX_EVENTS = 20
MAX_CHARACTERS = 1_000_000
"""Characters of all bodies of one batch, about."""

Item = tuple[event.Event, sink.SinkEvent]


def pending_events(
    connection: db_engine.Connection,
    stack: event_sink.EventSink,
    find: tree_secrets.Find,
) -> list[Item]:
    """Return the next batch of a sink's undelivered events, in order.

    Those of several stacks are ordered by time, as far as is known yet. A
    batch has about ``MAX_CHARACTERS``: the rest comes with the next call, once
    these were delivered.

    :param find: returns the template of a stack
    """
    found = event_sinks.list_undelivered(
        connection, stack, _MAX_STACKS, _MAX_EVENTS
    )
    merged = heapq.merge(
        *(_events_of_stack(connection, each, find) for each in found),
        key=lambda item: item[0].created_at,
    )
    items: list[Item] = []
    characters = 0
    for item in merged:
        items.append(item)
        characters += len(json.dumps(item[1].body, default=str))
        if characters >= MAX_CHARACTERS:
            break
    return items


def _events_of_stack(
    connection: db_engine.Connection,
    found: event_sink.UndeliveredEvents,
    find: tree_secrets.Find,
) -> collections.abc.Iterator[Item]:
    """Yield the events of one stack; each body is built on demand."""
    around = stacks.get(connection, found.stack_id)
    root = stacks.get(connection, around.root_id)
    path = "/".join(
        filter(None, (root.name, tree_paths.path_of(connection, around)))
    )
    redacts = tree_secrets.redaction_of(connection, find, around)
    for each in found.events:
        body = event_body(
            dataclasses.replace(
                each, physical_id=redacts.physical_id(each.physical_id)
            ),
            around,
            path,
            redacts.text(each.reason),
            _properties(connection, each, redacts),
        )
        yield (
            each,
            sink.SinkEvent(
                id=each.id,
                stack_id=each.stack_id,
                sequence=each.sequence,
                body=body,
            ),
        )


def event_body(
    event: event.Event,
    around: stack.Stack,
    path: str,
    reason: str,
    properties: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    """Return the body of one event.

    Of a long property it has the beginning of its JSON text, and its name in
    ``cut``.

    :param around: the stack of the event
    :param path: of that stack, from the name of the root
    """
    texts = {
        name: text
        for name, value in properties.items()
        if len(text := json.dumps(value, ensure_ascii=False, default=str))
        > drifts.MAX_VALUE_LENGTH
    }
    shown = {
        name: texts[name][: drifts.MAX_VALUE_LENGTH]
        if name in texts
        else value
        for name, value in properties.items()
    }
    return {
        "timestamp": clock.isoformat(event.created_at),
        "version": _VERSION,
        "type": _TYPE,
        "id": event.id,
        "payload": {
            "version": _VERSION,
            "stack_id": event.stack_id,
            "resource_name": event.resource_name,
            "physical_resource_id": event.physical_id,
            "resource_type": event.resource_type,
            "resource_action": event.action.value,
            "resource_status": event.status.value,
            "resource_status_reason": reason,
            "resource_properties": shown,
            **({"cut": sorted(texts)} if texts else {}),
            "stack_name": around.name,
            "project_id": around.project_id,
            "root_id": around.root_id,
            "parent_id": around.parent_id,
            "path": path,
            "sequence": event.sequence,
            "operation_id": event.operation_id,
            "request_id": event.request_id,
        },
    }


def _properties(
    connection: db_engine.Connection,
    event: event.Event,
    redacts: redaction.Redaction,
) -> dict[str, object]:
    """Return the redacted properties of the resource, while its row exists."""
    if event.resource_id is None:
        return {}
    row = resources.find(
        connection,
        ids.ResourceId(event.resource_id),
        ids.StackId(event.stack_id),
    )
    if row is None:
        return {}
    return redacts.values(row.properties)
