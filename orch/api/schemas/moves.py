"""What requests say of moving resources to another stack."""

import typing

from orch.api.schemas import checker
from orch.api.schemas import stacks
from orch.rpc import contract

_NAME: typing.Final = {"type": "string", "minLength": 1, "maxLength": 255}
_PATH: typing.Final = {"type": "string", "minLength": 1, "maxLength": 4096}
_TEMPLATE: typing.Final = {"type": ["object", "string", "null"]}

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
        "source_template": _TEMPLATE,
        "target_template": _TEMPLATE,
    },
    "required": ["target", "resources"],
    "additionalProperties": False,
}
"""The body that asks for a move."""

_CHECKER = checker.Checker(SCHEMA)


def parse_request(body: stacks.Body) -> contract.MoveRequest:
    """Return what is to move; a list keeps the names.

    :raises orch.errors.Invalid: the body does not say so
    """
    _CHECKER.check(body)
    given = typing.cast(dict[str, str] | list[str], body["resources"])
    names = given if isinstance(given, dict) else {n: n for n in given}
    return contract.MoveRequest(
        target=typing.cast(str, body["target"]),
        resources=names,
        source_template=body.get("source_template"),
        target_template=body.get("target_template"),
    )
