"""The body that answers for a held operation."""

import dataclasses
import types
import typing

from orch.api.schemas import checker
from orch.api.schemas import stacks

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

_CHECKER = checker.Checker(SCHEMA)


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What is answered.

    :ivar text: why, for people
    :ivar operation_id: that is meant; ``None`` for whichever is held
    """

    text: str
    operation_id: str | None


def answer_of(body: stacks.Body, action: str) -> Answer:
    """Return what the value of the action says.

    :raises orch.errors.Invalid: it is no such map
    """
    value = body[action]
    _CHECKER.check(value)
    given = value if isinstance(value, dict) else {}
    return Answer(given.get("text") or "", given.get("operation_id") or None)
