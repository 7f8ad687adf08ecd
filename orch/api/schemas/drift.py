"""Bodies about drift: what is to be looked at, accepted, done about it."""

import typing

from orch import errors
from orch.api.schemas import checker
from orch.api.schemas import stacks
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

_OBSERVE = checker.Checker(OBSERVE_SCHEMA)
_ACCEPT = checker.Checker(ACCEPT_SCHEMA)
_UNDO = checker.Checker(UNDO_SCHEMA)
_POLICIES = checker.Checker(POLICY_SCHEMA)


def check_observe(body: stacks.Body) -> None:
    """Return only if the body asks for nothing but a look.

    :raises orch.errors.Invalid: it says more
    """
    _OBSERVE.check(body[OBSERVE])


def accepted_of(
    body: stacks.Body,
) -> tuple[list[str] | None, dict[str, list[str]] | None]:
    """Return the paths of what is accepted, and single properties by path.

    :returns: ``None`` twice for all
    :raises orch.errors.Invalid: it is no such map
    """
    value = body[ACCEPT]
    _ACCEPT.check(value)
    if not isinstance(value, dict):
        return None, None
    return (
        typing.cast("list[str] | None", value.get("resources")),
        typing.cast("dict[str, list[str]] | None", value.get("properties")),
    )


def undone_of(body: stacks.Body) -> list[str] | None:
    """Return the paths whose acceptance is undone; ``None`` for all.

    :raises orch.errors.Invalid: it is no such map
    """
    value = body[UNDO]
    _UNDO.check(value)
    if not isinstance(value, dict):
        return None
    return typing.cast("list[str] | None", value.get("resources"))


def policy_of(body: stacks.Body) -> dict[str, object]:
    """Return what is to be done about drift.

    :raises orch.errors.Invalid: it is no such map
    """
    _POLICIES.check(body)
    return typing.cast(dict[str, object], body["policy"])


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
