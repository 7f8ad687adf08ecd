"""The request that lists physical resources to generate a template of."""

import typing

from orch import errors
from orch.api.schemas import checker
from orch.api.schemas import stacks
from orch.rpc import contract

_TEXT: typing.Final = {"type": "string", "minLength": 1, "maxLength": 255}
SCHEMA: typing.Final[checker.Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "resources": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["type", "resource_id"],
                "properties": {
                    "type": _TEXT,
                    "resource_id": _TEXT,
                    "name": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 255,
                        "pattern": "^[^/]+$",
                    },
                },
            },
        },
        "listings": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["type"],
                "properties": {
                    "type": _TEXT,
                    "name": _TEXT,
                    "tag": _TEXT,
                },
            },
        },
    },
}
"""The body that names things, or listings of them."""

_NAMES: typing.Final = {"type": "type_name", "resource_id": "physical_id"}


def parse_request(body: stacks.Body) -> contract.GenerationRequest:
    """Return what a template is to be written of.

    :raises orch.errors.Invalid: it names nothing
    """
    request = {
        key: _renamed(body.get(key)) for key in ("resources", "listings")
    }
    if not any(request.values()):
        raise errors.Invalid(
            "Name resources by type and resource_id, or listings by type."
        )
    return typing.cast(contract.GenerationRequest, request)


def _renamed(found: object) -> list[dict[str, object]]:
    listed = typing.cast("list[dict[str, object]]", found or [])
    return [
        {_NAMES.get(key, key): value for key, value in each.items()}
        for each in listed
    ]
