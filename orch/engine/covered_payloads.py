"""Covers what is hidden in a notification that leaves.

Properties were covered when they were written down. Here is what else users
and services have written: descriptions, tags, physical ids.
"""

import collections.abc
import typing

from orch.engine.operations import masks
from orch.events import payloads
from orch.model import presigned

Payload: typing.TypeAlias = collections.abc.Mapping[str, object]

_ID: typing.Final = "physical_resource_id"


def covered(payload: Payload, covers: masks.Masks) -> dict[str, object]:
    """Return the payload with ``******`` for what is hidden.

    :param payload: of a stack, or of one resource
    :param covers: knows what is; all may be where it is blind
    """
    if payloads.MEMBER in payload:
        return {**payload, **_identified(payload, _ID, covers)}
    found = {
        **payload,
        "description": _text(payload["description"], covers),
        "tags": _texts(payload["tags"], covers),
        "failed_resources": [
            {**each, **_identified(each, "physical_id", covers, "name")}
            for each in _maps(payload["failed_resources"])
        ],
    }
    for hook in _maps([payload.get("hook")]):
        found["hook"] = {**hook, **_identified(hook, _ID, covers)}
    for drift in _maps([payload.get("drift")]):
        found["drift"] = {
            **drift,
            "resources": [
                {**each, **_identified(each, _ID, covers)}
                for each in _maps(drift["resources"])
            ],
        }
    return found


def has_ids(payload: Payload) -> bool:
    """Answer whether the payload of a stack names resources."""
    return bool(
        payload["failed_resources"] or "hook" in payload or "drift" in payload
    )


def _identified(
    told: Payload,
    key: str,
    covers: masks.Masks,
    name: str = payloads.MEMBER,
) -> dict[str, object]:
    found = told.get(key)
    if not isinstance(found, str):
        return {}
    if presigned.is_in(found):
        return {key: masks.HIDDEN}
    return {key: covers.shown_id(str(told[name]), found)}


def _text(text: object, covers: masks.Masks) -> object:
    if not isinstance(text, str) or not text:
        return text
    if covers.is_blind:
        return masks.HIDDEN
    return presigned.covered(covers.covered(text))


def _texts(texts: object, covers: masks.Masks) -> object:
    if not isinstance(texts, list):
        return texts
    return [
        masks.HIDDEN if covers.is_blind or covers.tells(each) else each
        for each in texts
    ]


def _maps(found: object) -> list[Payload]:
    return (
        [each for each in found if isinstance(each, collections.abc.Mapping)]
        if isinstance(found, list)
        else []
    )
