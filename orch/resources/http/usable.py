"""Whether the answer of a service shows a resource as usable."""

import collections.abc

from orch.resources.http import bearers
from orch.resources.http import calls
from orch.resources.http import client
from orch.resources.http import pointer
from orch.resources.http import schemas

Map = collections.abc.Mapping[str, object]


def check_usable(
    send: bearers.Send,
    desired: calls.Calls,
    names: calls.Names,
    shown: object,
) -> None:
    """Raise ServiceRefused unless it is shown usable or at rest.

    :param send: called where another request than read shows it
    :param shown: the answer of read
    :raises client.ServiceRefused: it is not usable
    """
    rest = desired.part(schemas.SUSPEND) or {}
    if rest.get("pointer") is not None and holds(shown, rest):
        return
    part = desired.part(schemas.READY)
    if part is None:
        return
    ready = desired.build(schemas.READY, names)
    is_read = ready == desired.build(schemas.READ, names)
    body = shown if is_read else send(ready)
    if holds(body, part):
        return
    value = pointer.find_value(body, str(part["pointer"]))
    raise client.ServiceRefused(
        f"it is not usable: {part['pointer']} is {describe(value)}, not"
        f" {part['value']!r}"
    )


def holds(body: object, part: Map) -> bool:
    """Whether the value is there that a property tells of."""
    return pointer.find_value(body, str(part["pointer"])) == part.get("value")


def describe(value: object) -> str:
    """Return a value that was found, for people."""
    return "not there" if value is pointer.MISSING else repr(value)
