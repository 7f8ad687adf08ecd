"""The body that answers for a held operation."""

import types
import typing

from orch.api.schemas import checker

ANSWERS: typing.Final = types.MappingProxyType(
    {"approve": True, "reject": False}
)
"""Actions that answer, and whether the operation goes on."""

MAX_TEXT_LENGTH: typing.Final = 1000

SCHEMA: typing.Final[checker.Schema] = {
    "type": ["object", "null"],
    "properties": {
        "text": {
            "type": ["string", "null"],
            "maxLength": MAX_TEXT_LENGTH,
            "pattern": r"^[^\u0000\ud800-\udfff]*$",
        },
        "operation_id": {"type": ["string", "null"]},
    },
    "additionalProperties": False,
}
