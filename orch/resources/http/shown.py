"""What a service shows of a resource, as properties of it."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.http import calls
from orch.resources.http import pointer
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
    """Whether an answer has all parts of the body that is compared."""
    for declared in (schemas.UPDATE, schemas.CREATE):
        part = properties.get(declared.name)
        if isinstance(part, collections.abc.Mapping):
            return _has_all(part.get(_BODY), shown)
    return False


def _has_all(sent: object, shown: object) -> bool:
    if isinstance(sent, collections.abc.Mapping):
        return isinstance(shown, collections.abc.Mapping) and all(
            key in shown and _has_all(value, shown[key])
            for key, value in sent.items()
        )
    if isinstance(sent, list):
        return (
            isinstance(shown, list)
            and len(sent) == len(shown)
            and all(map(_has_all, sent, shown))
        )
    return True


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
