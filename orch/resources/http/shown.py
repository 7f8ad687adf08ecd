"""What a service shows of a resource, as properties of it."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.http import body_pointers
from orch.resources.http import calls
from orch.resources.http import client
from orch.resources.http import pointer
from orch.resources.http import schemas

Map = collections.abc.Mapping[str, object]

_BODY: typing.Final = "body"


class NothingShown(client.ServiceRefused):
    """What read answers shows nothing of the resource."""

    code = "orch.http.nothing_shown"
    shown_as = "ServiceRefused"


def read_reality(
    properties: Map, names: calls.Names, shown: object
) -> dict[str, object]:
    """Return the property that sets what the resource is, as it would be now.

    That is ``update`` where it is given, else ``create``. Instead of what was
    sent, its body has what the service shows at the same place. What it does
    not show, a password say, stays; what it shows beside is left out; unless
    the property ``comparison`` says otherwise.

    :param shown: the answer of read
    :returns: nothing where the answer has no part of the body
    """
    pointers = body_pointers.BodyPointers.of_properties(properties)
    for name, part in _find_part(properties):
        sent = part.get(_BODY)
        live = None
        if pointers.is_exact or _has_common_key(sent, shown):
            live = _shown_values(sent, names, shown, pointers)
        return {} if live is None else {name: {**part, _BODY: live}}
    return {}


def check_object(properties: Map, shown: object) -> None:
    """Raise NothingShown if an answer cannot show any part of the body.

    An object without a key in common shows at least that there is one.

    :param shown: the answer of read
    :raises NothingShown: it has no object, and one with keys was sent
    """
    if isinstance(shown, collections.abc.Mapping) and shown:
        return
    if body_pointers.BodyPointers.of_properties(properties).is_ignored:
        return
    for _, part in _find_part(properties):
        sent = part.get(_BODY)
        if isinstance(sent, collections.abc.Mapping) and sent:
            raise NothingShown(
                "the answer of read is not a JSON object with values: it does"
                " not show the resource"
            )


def _has_common_key(sent: object, shown: object) -> bool:
    return (
        isinstance(sent, collections.abc.Mapping)
        and isinstance(shown, collections.abc.Mapping)
        and bool(sent.keys() & shown.keys())
    )


def _find_part(
    properties: Map,
) -> collections.abc.Iterator[tuple[str, Map]]:
    """Yield the property whose body is compared, with its value."""
    for declared in (schemas.UPDATE, schemas.CREATE):
        part = properties.get(declared.name)
        if isinstance(part, collections.abc.Mapping):
            yield declared.name, part
            return


def list_compared(properties: Map) -> list[str]:
    """Return the name of the request whose body is compared, if any."""
    return [name for name, _ in _find_part(properties)]


def read_expected(
    context: call_context.Context, names: calls.Names, shown: object
) -> dict[str, object] | reality.Unlisted:
    """Return the property as a list shows it, if that is what is expected.

    :param shown: the entry of the list; ``pointer.MISSING`` for none
    :returns: ``UNLISTED`` where the entry lacks a part of the body, or has
        another value than the desired one and the last known one
    """
    properties = context.properties
    if shown is pointer.MISSING or not _shows_body(properties, shown):
        return reality.UNLISTED
    live = read_reality(properties, names, shown)
    is_expected = all(
        value in (properties[name], context.baseline.get(name))
        for name, value in live.items()
    )
    return live if is_expected else reality.UNLISTED


def _shows_body(properties: Map, shown: object) -> bool:
    """Whether an answer has all parts of the body that are compared."""
    pointers = body_pointers.BodyPointers.of_properties(properties)
    return all(
        _has_all(part.get(_BODY), shown, pointers)
        for _, part in _find_part(properties)
    )


def _has_all(
    sent: object, shown: object, pointers: body_pointers.BodyPointers
) -> bool:
    if pointers.is_ignored:
        return True
    if isinstance(sent, collections.abc.Mapping):
        return isinstance(shown, collections.abc.Mapping) and all(
            _has_all(
                value, shown.get(key, pointer.MISSING), pointers.below(key)
            )
            for key, value in sent.items()
        )
    if isinstance(sent, list):
        return (
            isinstance(shown, list)
            and len(sent) == len(shown)
            and all(
                _has_all(ours, theirs, pointers.below(index))
                for index, (ours, theirs) in enumerate(
                    zip(sent, shown, strict=True)
                )
            )
        )
    return shown is not pointer.MISSING


def _shown_values(
    sent: object,
    names: calls.Names,
    shown: object,
    pointers: body_pointers.BodyPointers,
) -> Map | None:
    """Return an object that was sent, with what is shown in it.

    :returns: ``None`` where nothing of it is shown, or it is no object
    """
    if not isinstance(sent, collections.abc.Mapping) or not isinstance(
        shown, collections.abc.Mapping
    ):
        return None
    if not (pointers.has_exact or _has_common_key(sent, shown)):
        return None
    live = {
        key: _live(value, names, shown.get(key, pointer.MISSING), below)
        for key, value in sent.items()
        for below in (pointers.below(key),)
        if key in shown or below.is_ignored or not below.is_exact
    }
    if pointers.is_exact:
        live |= {
            key: value
            for key, value in shown.items()
            if key not in sent and not pointers.below(key).is_ignored
        }
    return live


def _live(
    sent: object,
    names: calls.Names,
    shown: object,
    pointers: body_pointers.BodyPointers,
) -> object:
    """Return a value in the form in which it was sent.

    Of one that is not shown only the exact parts are missing.
    """
    if pointers.is_ignored or names.fill(sent) == shown:
        # Placeholders stay as the template writes them.
        return sent
    if shown is pointer.MISSING:
        if not isinstance(sent, collections.abc.Mapping):
            return sent
        shown = {}
    if isinstance(sent, collections.abc.Mapping) and isinstance(
        shown, collections.abc.Mapping
    ):
        live = _shown_values(sent, names, shown, pointers)
        return sent if live is None else live
    if (
        isinstance(sent, list)
        and isinstance(shown, list)
        and len(sent) == len(shown)
    ):
        return [
            _live(ours, names, theirs, pointers.below(index))
            for index, (ours, theirs) in enumerate(
                zip(sent, shown, strict=True)
            )
        ]
    return shown
