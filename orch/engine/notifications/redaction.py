"""Redacts notifications that leave.

Properties and reasons were redacted when they were written down, as far as
that was known then. Here is what else users and services have written:
descriptions, tags, physical ids; and what only readers of the stack may see:
addresses that are proof by themselves, secrets that a resource has generated
since, and what has the name of a secret.
"""

import collections.abc
import typing

from orch.engine.secrets import redaction
from orch.events import payloads

Payload: typing.TypeAlias = collections.abc.Mapping[str, object]

_ID: typing.Final = "physical_resource_id"
_REASON: typing.Final = "state_reason"


def redact_payload(
    payload: Payload, redacts: redaction.Redaction
) -> dict[str, object]:
    """Return the payload with ``******`` for what is sensitive.

    :param payload: of a stack, or of one resource
    """
    if payloads.MEMBER in payload:
        return {
            **payload,
            **_identified(payload, _ID, redacts),
            **_said(payload, redacts, _REASON),
            **_properties(payload, redacts),
        }
    found = {
        **payload,
        **_said(payload, redacts, _REASON, "message"),
        "description": _text(payload["description"], redacts),
        "tags": _texts(payload["tags"], redacts),
        "failed_resources": [
            {
                **each,
                **_identified(each, "physical_id", redacts),
                **_said(each, redacts, "reason"),
            }
            for each in _maps(payload["failed_resources"])
        ],
    }
    for hook in _maps([payload.get("hook")]):
        found["hook"] = {**hook, **_identified(hook, _ID, redacts)}
    for drift in _maps([payload.get("drift")]):
        found["drift"] = {
            **drift,
            "resources": [
                {
                    **each,
                    **_identified(each, _ID, redacts),
                    **_differences(each, redacts),
                }
                for each in _maps(drift["resources"])
            ],
        }
    for approval in _maps([payload.get("approval")]):
        found["approval"] = {
            **approval,
            **_said(approval, redacts, "text", "answer_text"),
        }
    return found


def has_ids(payload: Payload) -> bool:
    """Answer whether the payload of a stack names resources."""
    return bool(
        payload["failed_resources"] or "hook" in payload or "drift" in payload
    )


def _identified(
    told: Payload, key: str, redacts: redaction.Redaction
) -> dict[str, object]:
    found = told.get(key)
    if not isinstance(found, str):
        return {}
    return {key: redacts.physical_id(found)}


def _said(
    told: Payload, redacts: redaction.Redaction, *keys: str
) -> dict[str, object]:
    """Return those of these texts that are there, redacted."""
    return {
        key: redacts.text(text)
        for key in keys
        if isinstance(text := told.get(key), str)
    }


def _properties(
    told: Payload, redacts: redaction.Redaction
) -> dict[str, object]:
    """Return the properties of a resource, redacted, if there are any."""
    properties = told.get("properties")
    if not isinstance(properties, collections.abc.Mapping):
        return {}
    return {"properties": redacts.values(properties)}


def _differences(
    told: Payload, redacts: redaction.Redaction
) -> dict[str, object]:
    """Return what has drifted of a resource, redacted, if there is any."""
    key = "differences"
    if key not in told:
        return {}
    return {key: [_difference(one, redacts) for one in _maps(told[key])]}


def _difference(
    one: Payload, redacts: redaction.Redaction
) -> dict[str, object]:
    return {
        **one,
        **{
            side: redacts.part({}, str(one["property"]), one[side])
            for side in ("expected", "live")
        },
    }


def _text(text: object, redacts: redaction.Redaction) -> object:
    return redacts.text(text) if isinstance(text, str) else text


def _texts(texts: object, redacts: redaction.Redaction) -> object:
    if not isinstance(texts, list):
        return texts
    return [redaction.HIDDEN if redacts.has(each) else each for each in texts]


def _maps(found: object) -> list[Payload]:
    return (
        [each for each in found if isinstance(each, collections.abc.Mapping)]
        if isinstance(found, list)
        else []
    )
