"""What a service shows of a resource, as properties of it."""

import collections.abc
import typing

from orch.resources.http import calls
from orch.resources.http import schemas

Map = collections.abc.Mapping[str, object]

_BODY: typing.Final = "body"


def read_reality(
    properties: Map, names: calls.Names, shown: object
) -> dict[str, object]:
    """Return the property that sets what the resource is, as it would be now.

    That is ``update`` where it is given, else ``create``. Instead of what was
    sent, its body has what the service shows at the same place. What it does
    not show, a password say, stays; what it shows beside is left out.

    :param shown: the answer of read
    :returns: nothing where the answer has no part of the body
    """
    for declared in (schemas.UPDATE, schemas.CREATE):
        part = properties.get(declared.name)
        if isinstance(part, collections.abc.Mapping):
            live = _shown_values(part.get(_BODY), names, shown)
            return {declared.name: {**part, _BODY: live}} if live else {}
    return {}


def _shown_values(
    sent: object, names: calls.Names, shown: object
) -> Map | None:
    """Return an object that was sent, with what is shown in it.

    :returns: ``None`` where nothing of it is shown, or it is no object
    """
    if not isinstance(sent, collections.abc.Mapping):
        return None
    if not isinstance(shown, collections.abc.Mapping):
        return None
    known = {
        key: _live(value, names, shown[key])
        for key, value in sent.items()
        if key in shown
    }
    return {**sent, **known} if known else None


def _live(sent: object, names: calls.Names, shown: object) -> object:
    """Return a value in the form in which it was sent."""
    if names.fill(sent) == shown:
        # Placeholders stay as the template writes them.
        return sent
    if isinstance(sent, collections.abc.Mapping) and isinstance(
        shown, collections.abc.Mapping
    ):
        return _shown_values(sent, names, shown) or sent
    if (
        isinstance(sent, list)
        and isinstance(shown, list)
        and len(sent) == len(shown)
    ):
        pairs = zip(sent, shown, strict=True)
        return [_live(ours, names, theirs) for ours, theirs in pairs]
    return shown
