"""Events of sinks in the JSON format of CloudEvents.

https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
"""

import collections.abc
import typing

from orch.plugin import sink

FORMAT: typing.Final = "format"
"""Key of a sink: which of these its receiver gets."""
HEAT: typing.Final = "heat"
CLOUD_EVENTS: typing.Final = "cloudevents"
CONTENT_TYPE: typing.Final = "application/cloudevents+json; charset=utf-8"

_FORMATS: typing.Final = (HEAT, CLOUD_EVENTS)
_SEQUENCE_DIGITS: typing.Final = 12
_PATH: typing.Final = "subject"
"""Attribute of what an event is about: here the path of a resource."""


def is_declared(declared: sink.Declared) -> bool:
    """Whether a sink declares this format."""
    return declared.get(FORMAT, HEAT) == CLOUD_EVENTS


def find_faults(
    declared: sink.Declared,
) -> collections.abc.Iterator[sink.Fault]:
    """Yield the fault of a sink's format, if it has one."""
    given = declared.get(FORMAT, HEAT)
    if given not in _FORMATS:
        yield sink.Fault(
            FORMAT,
            f'the "{FORMAT}" of an event sink is wrong: it is {given!r}',
            f"It is one of: {', '.join(_FORMATS)}.",
        )


def body_of(
    declared: sink.Declared, event: sink.SinkEvent
) -> collections.abc.Mapping[str, object]:
    """Return the body of an event in the format that a sink declares."""
    return convert(event) if is_declared(declared) else event.body


def convert(event: sink.SinkEvent) -> dict[str, object]:
    """Return an event as a CloudEvent, version 1.0, in structured mode.

    ``data`` is the payload of Heat's body. With ``source``, the stack, ``id``
    identifies duplicates; ``sequence`` is of the extension of that name, which
    compares texts.
    """
    payload = event.body["payload"]
    assert isinstance(payload, collections.abc.Mapping)
    path = [payload["path"]]
    if payload["physical_resource_id"] != event.stack_id:
        path.append(payload["resource_name"])
    kind = (
        event.body["type"],
        str(payload["resource_action"]).lower(),
        str(payload["resource_status"]).lower(),
    )
    return {
        "specversion": "1.0",
        "id": event.id,
        "source": f"/v1/{payload['project_id']}/stacks/{event.stack_id}",
        "type": ".".join(map(str, kind)),
        _PATH: "/".join(map(str, path)),
        "time": event.body["timestamp"],
        "sequence": f"{event.sequence:0{_SEQUENCE_DIGITS}d}",
        "datacontenttype": "application/json",
        "data": payload,
    }
