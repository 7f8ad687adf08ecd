"""The body that answers the unknown outcome of a creation."""

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
    },
    "minProperties": 1,
    "additionalProperties": False,
    "oneOf": [{"required": ["physical_id"]}, {"required": ["is_made"]}],
}

_CHECKER = checker.Checker(
    {key: value for key, value in SCHEMA.items() if key != "oneOf"}
)


def find_physical_id(body: stacks.Body) -> str | None:
    """Return the id that the body answers; ``None`` for nothing made.

    :raises orch.errors.Invalid: it answers nothing, or two things
    """
    _CHECKER.check(body)
    if ("physical_id" in body) == ("is_made" in body):
        raise errors.Invalid(
            "Send physical_id, the id of what was made, or is_made with false."
        )
    return typing.cast(str | None, body.get("physical_id"))
