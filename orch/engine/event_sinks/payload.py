"""What a sink is told of an event: Heat's body, and our facts beside."""

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
from orch.engine.notifications import redaction
from orch.engine.secrets import masks
from orch.engine.secrets import stack_masks
from orch.events import drifts
from orch.model import event
from orch.model import event_sink
from orch.model import presigned
from orch.model import stack
from orch.plugin import sink

_VERSION = "0.1"
_TYPE = "os.heat.event"
_MOST_STACKS = 50
_MOST_EVENTS = 20
MOST_CHARACTERS = 1_000_000
"""How long the bodies are in all, about, that are made at once."""

Item = tuple[event.Event, sink.Told]


def untold(
    connection: db_engine.Connection,
    subject: event_sink.EventSink,
    find: stack_masks.Find,
) -> list[Item]:
    """Return what a sink is to be told next; that of a stack in its order.

    Those of several stacks come as they happened, as far as is known yet.
    It is the first part of them, about ``MOST_CHARACTERS`` long: the rest
    comes with the next question, once these were told.

    :param find: gives the template of a stack
    """
    found = event_sinks.list_untold(
        connection, subject, _MOST_STACKS, _MOST_EVENTS
    )
    merged = heapq.merge(
        *(_told(connection, each, find) for each in found),
        key=lambda item: item[0].created_at,
    )
    items: list[Item] = []
    characters = 0
    for item in merged:
        items.append(item)
        characters += len(json.dumps(item[1].body, default=str))
        if characters >= MOST_CHARACTERS:
            break
    return items


def _told(
    connection: db_engine.Connection,
    found: event_sink.Untold,
    find: stack_masks.Find,
) -> collections.abc.Iterator[Item]:
    """Yield the events of one stack; a body is made when it is asked for."""
    around = stacks.get(connection, found.stack_id)
    root = stacks.get(connection, around.root_id)
    path = "/".join(
        filter(None, (root.name, tree_paths.path_of(connection, around)))
    )
    covers = stack_masks.outside(connection, find, around)
    for each in found.events:
        body = body_of(
            dataclasses.replace(each, physical_id=_physical_id(each, covers)),
            around,
            path,
            redaction.said(each.reason, covers),
            _properties(connection, each, covers),
        )
        yield (
            each,
            sink.Told(
                id=each.id,
                stack_id=each.stack_id,
                sequence=each.sequence,
                body=body,
            ),
        )


def body_of(
    told: event.Event,
    around: stack.Stack,
    path: str,
    reason: str,
    properties: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    """Return the body of one event.

    Of a property that is long it has the beginning of its JSON text, and
    names it in ``cut``.

    :param around: the stack that it is of
    :param path: of that stack, from the name of the root
    """
    texts = {
        name: text
        for name, value in properties.items()
        if len(text := json.dumps(value, ensure_ascii=False, default=str))
        > drifts.MOST_CHARACTERS
    }
    shown = {
        name: texts[name][: drifts.MOST_CHARACTERS] if name in texts else value
        for name, value in properties.items()
    }
    return {
        "timestamp": clock.isoformat(told.created_at),
        "version": _VERSION,
        "type": _TYPE,
        "id": told.id,
        "payload": {
            "version": _VERSION,
            "stack_id": told.stack_id,
            "resource_name": told.resource_name,
            "physical_resource_id": told.physical_id,
            "resource_type": told.resource_type,
            "resource_action": told.action.value,
            "resource_status": told.status.value,
            "resource_status_reason": reason,
            "resource_properties": shown,
            **({"cut": sorted(texts)} if texts else {}),
            "stack_name": around.name,
            "project_id": around.project_id,
            "root_id": around.root_id,
            "parent_id": around.parent_id,
            "path": path,
            "sequence": told.sequence,
            "operation_id": told.operation_id,
            "request_id": told.request_id,
        },
    }


def _physical_id(told: event.Event, covers: masks.Masks) -> str | None:
    if not told.physical_id:
        return told.physical_id
    if presigned.is_in(told.physical_id):
        return masks.HIDDEN
    return covers.shown_id(told.resource_name, told.physical_id)


def _properties(
    connection: db_engine.Connection, told: event.Event, covers: masks.Masks
) -> dict[str, object]:
    """Return the properties of the resource, while its row is there."""
    if told.resource_id is None:
        return {}
    row = resources.find(
        connection,
        ids.ResourceId(told.resource_id),
        ids.StackId(told.stack_id),
    )
    if row is None:
        return {}
    return redaction.unnamed(
        stack_masks.shown_properties(covers, row.name, row.properties)
    )
