"""The body that stores a software config."""

import typing

from orch.api import query
from orch.api.schemas import stacks
from orch.rpc import contract

TYPES: typing.Final = (
    "String",
    "Number",
    "CommaDelimitedList",
    "Json",
    "Boolean",
)
INPUT: typing.Final = frozenset(
    {"name", "type", "description", "default", "replace_on_change", "value"}
)
OUTPUT: typing.Final = frozenset(
    {"name", "type", "description", "error_output"}
)


def parse_request(body: stacks.Body) -> contract.SoftwareConfigRequest:
    """Return what the config is to say; unknown keys are ignored.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    return contract.SoftwareConfigRequest(
        name=body.get("name"),
        group=body.get("group"),
        config=body.get("config"),
        inputs=_declared(body, "inputs"),
        outputs=_declared(body, "outputs"),
        options=body.get("options") or {},
    )


def _declared(body: stacks.Body, key: str) -> list[dict[str, object]]:
    """Return what ``inputs`` or ``outputs`` declare."""
    return [
        _declaration(one, f"{key}.{at}")
        for at, one in enumerate(body.get(key) or [])
    ]


def _declaration(one: stacks.Body, place: str) -> dict[str, object]:
    kept = {key: value for key, value in one.items() if value is not None}
    for name in ("replace_on_change", "error_output"):
        if name in kept:
            kept[name] = query.parse_boolean(f"{place}.{name}", kept[name])
    return {**kept, "type": one.get("type") or TYPES[0]}
