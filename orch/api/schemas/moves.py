"""What requests say of moving resources to another stack."""

import typing

from orch.api.schemas import checker
from orch.api.schemas import stacks
from orch.rpc import contract

_NAME: typing.Final = {"type": "string", "minLength": 1, "maxLength": 255}
_PATH: typing.Final = {"type": "string", "minLength": 1, "maxLength": 4096}
_SIDES: typing.Final = ("source", "target")
_INPUTS: typing.Final = {
    f"{side}_{key}": schema
    for side in _SIDES
    for key, schema in stacks.INPUT_SCHEMAS.items()
}

SCHEMA: typing.Final[checker.Schema] = {
    "type": "object",
    "properties": {
        "target": _PATH,
        "resources": {
            "type": ["array", "object"],
            "minItems": 1,
            "minProperties": 1,
            "uniqueItems": True,
            "items": _NAME,
            "propertyNames": _NAME,
            "additionalProperties": _NAME,
        },
        **_INPUTS,
    },
    "required": ["target", "resources"],
    "additionalProperties": False,
}
"""The body that asks for a move."""


def parse_request(body: stacks.Body) -> contract.MoveRequest:
    """Return what is to move; a list keeps the names."""
    given = body["resources"]
    names = given if isinstance(given, dict) else {n: n for n in given}
    source, target = (_inputs_of(body, side) for side in _SIDES)
    return contract.MoveRequest(
        target=body["target"],
        resources=names,
        source_inputs=source,
        target_inputs=target,
    )


def _inputs_of(body: stacks.Body, side: str) -> contract.StackInputs:
    """Return what describes one of the root stacks after the move."""
    found = {
        key: body[f"{side}_{key}"]
        for key in stacks.INPUTS
        if body.get(f"{side}_{key}") is not None
    }
    return typing.cast(contract.StackInputs, found)
