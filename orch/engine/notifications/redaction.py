"""Covers what is hidden in a notification that leaves.

Properties and reasons were covered when they were written down, as far as
that was known then. Here is what else users and services have written:
descriptions, tags, physical ids; and what is not for those who may see nothing
of the stack otherwise: addresses that are proof by themselves, secrets that a
resource has made up since, and what has the name of a secret.
"""

import collections.abc
import typing

from orch.engine.secrets import masks
from orch.engine.secrets import named
from orch.events import payloads
from orch.model import flat_fields
from orch.model import presigned

Payload: typing.TypeAlias = collections.abc.Mapping[str, object]

_ID: typing.Final = "physical_resource_id"
_REASON: typing.Final = "state_reason"


def covered(payload: Payload, covers: masks.Masks) -> dict[str, object]:
    """Return the payload with ``******`` for what is hidden.

    :param payload: of a stack, or of one resource
    :param covers: knows what is; all may be where it is blind
    """
    if payloads.MEMBER in payload:
        return {
            **payload,
            **_identified(payload, _ID, covers),
            **_said(payload, covers, _REASON),
            **_properties(payload, covers),
        }
    found = {
        **payload,
        **_said(payload, covers, _REASON, "message"),
        "description": _text(payload["description"], covers),
        "tags": _texts(payload["tags"], covers),
        "failed_resources": [
            {
                **each,
                **_identified(each, "physical_id", covers, "name"),
                **_said(each, covers, "reason"),
            }
            for each in _maps(payload["failed_resources"])
        ],
    }
    for hook in _maps([payload.get("hook")]):
        found["hook"] = {**hook, **_identified(hook, _ID, covers)}
    for drift in _maps([payload.get("drift")]):
        found["drift"] = {
            **drift,
            "resources": [
                {
                    **each,
                    **_identified(each, _ID, covers),
                    **_differences(each, covers),
                }
                for each in _maps(drift["resources"])
            ],
        }
    for approval in _maps([payload.get("approval")]):
        found["approval"] = {
            **approval,
            **_said(approval, covers, "text", "answer_text"),
        }
    return found


def said(text: str, covers: masks.Masks) -> str:
    """Return a reason that was covered before without what is known since."""
    return presigned.redact_presigned(covers.covered(text))


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
    if presigned.has_presigned(found):
        return {key: masks.HIDDEN}
    return {key: covers.shown_id(str(told[name]), found)}


def _said(told: Payload, covers: masks.Masks, *keys: str) -> dict[str, object]:
    """Return those of these texts that are there, covered."""
    return {
        key: said(text, covers)
        for key in keys
        if isinstance(text := told.get(key), str)
    }


def _properties(told: Payload, covers: masks.Masks) -> dict[str, object]:
    """Return the properties of a resource, covered, if it tells them."""
    properties = told.get("properties")
    if not isinstance(properties, collections.abc.Mapping):
        return {}
    shown = {
        name: covers.shown(value, is_hidden=covers.is_blind)
        for name, value in properties.items()
    }
    return {"properties": named.redact_named(shown)}


def _differences(told: Payload, covers: masks.Masks) -> dict[str, object]:
    """Return what has drifted of a resource, covered, if it tells that."""
    key = "differences"
    if key not in told:
        return {}
    return {key: [_difference(one, covers) for one in _maps(told[key])]}


def _difference(one: Payload, covers: masks.Masks) -> dict[str, object]:
    is_hidden = covers.is_blind or flat_fields.is_secret(str(one["property"]))
    return {
        **one,
        **{
            side: covers.shown(named.redact_in(one[side]), is_hidden=is_hidden)
            for side in ("expected", "live")
        },
    }


def _text(text: object, covers: masks.Masks) -> object:
    if not isinstance(text, str) or not text:
        return text
    if covers.is_blind:
        return masks.HIDDEN
    return presigned.redact_presigned(covers.covered(text))


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
