"""Bodies about drift: what is to be looked at, accepted, done about it."""

import typing

from orch import errors
from orch.api.schemas import checker
from orch.rpc import contract

OBSERVE: typing.Final = "observe"
ACCEPT: typing.Final = "accept_drift"
UNDO: typing.Final = "undo_accept_drift"
ACTIONS: typing.Final = (OBSERVE, ACCEPT, UNDO)
"""Actions about drift; they begin no operation."""

_MAX_ITEMS: typing.Final = 1000
_TEXT: typing.Final[checker.Schema] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 1024,
    "pattern": r"^[^\u0000\ud800-\udfff]*$",
}
_POLICY: typing.Final[checker.Schema] = {"enum": list(contract.DRIFT_POLICIES)}

OBSERVE_SCHEMA: typing.Final[checker.Schema] = {
    "type": ["object", "null"],
    "additionalProperties": False,
}
_RESOURCES: typing.Final[checker.Schema] = {
    "type": ["array", "null"],
    "minItems": 1,
    "maxItems": _MAX_ITEMS,
    "items": _TEXT,
}
UNDO_SCHEMA: typing.Final[checker.Schema] = {
    "type": ["object", "null"],
    "properties": {"resources": _RESOURCES},
    "additionalProperties": False,
}
ACCEPT_SCHEMA: typing.Final[checker.Schema] = {
    "type": ["object", "null"],
    "properties": {
        "resources": _RESOURCES,
        "properties": {
            "type": ["object", "null"],
            "minProperties": 1,
            "maxProperties": _MAX_ITEMS,
            "propertyNames": _TEXT,
            "additionalProperties": {
                "type": "array",
                "minItems": 1,
                "maxItems": _MAX_ITEMS,
                "items": _TEXT,
            },
        },
    },
    "additionalProperties": False,
}
POLICY_SCHEMA: typing.Final[checker.Schema] = {
    "type": "object",
    "required": ["policy"],
    "properties": {
        "policy": {
            "type": "object",
            "properties": {
                "stack": _POLICY,
                "resources": {
                    "type": "object",
                    "maxProperties": _MAX_ITEMS,
                    "propertyNames": _TEXT,
                    "additionalProperties": {
                        "type": "object",
                        "properties": {
                            "policy": _POLICY,
                            "properties": {
                                "type": "object",
                                "maxProperties": _MAX_ITEMS,
                                "propertyNames": _TEXT,
                                "additionalProperties": _POLICY,
                            },
                        },
                        "additionalProperties": False,
                    },
                },
            },
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}


def states_of(given: list[str]) -> list[str]:
    """Return the states that a query names.

    :raises orch.errors.Invalid: there is no such state
    """
    unknown = sorted(set(given) - set(contract.DRIFT_STATES))
    if unknown:
        raise errors.Invalid(
            f"state must be one of {', '.join(contract.DRIFT_STATES)}, not"
            f" {unknown[0][:80]!r}."
        )
    return given
