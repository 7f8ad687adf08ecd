"""The body that answers what became of a creation."""

import dataclasses
import typing

from orch import errors
from orch.api.schemas import checker
from orch.api.schemas import stacks

MAX_ID_LENGTH: typing.Final = 1024

SCHEMA: typing.Final[checker.Schema] = {
    "type": "object",
    "properties": {
        "physical_id": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_ID_LENGTH,
            "pattern": r"^[^\u0000\ud800-\udfff]*$",
        },
        "is_made": {"type": "boolean", "enum": [False]},
        "token": {"type": "string", "minLength": 1, "maxLength": 255},
    },
    "minProperties": 1,
    "additionalProperties": False,
    "oneOf": [{"required": ["physical_id"]}, {"required": ["is_made"]}],
}

_CHECKER = checker.Checker(
    {key: value for key, value in SCHEMA.items() if key != "oneOf"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What is answered.

    :ivar physical_id: what was made; ``None`` for nothing
    :ivar token: of the incarnation that is meant, if there are several
    """

    physical_id: str | None
    token: str | None


def answer_of(body: stacks.Body) -> Answer:
    """Return what the body answers.

    :raises orch.errors.Invalid: it answers nothing, or two things
    """
    _CHECKER.check(body)
    if ("physical_id" in body) == ("is_made" in body):
        raise errors.Invalid(
            "Send physical_id, the id of what was made, or is_made with false."
        )
    return Answer(
        typing.cast(str | None, body.get("physical_id")),
        typing.cast(str | None, body.get("token")),
    )
