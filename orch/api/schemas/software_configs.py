"""The body that stores a software config."""

import collections.abc
import typing

from orch import errors
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

    :raises orch.errors.Invalid: a value has another form
    """
    return contract.SoftwareConfigRequest(
        name=find_text(body, "name"),
        group=find_text(body, "group"),
        config=body.get("config"),
        inputs=_declared(body, "inputs", INPUT),
        outputs=_declared(body, "outputs", OUTPUT),
        options=find_map(body, "options") or {},
    )


def find_text(
    body: stacks.Body, name: str, most: int | None = None
) -> str | None:
    """Return a text; ``None`` where there is none.

    :param most: characters that it may have
    :raises orch.errors.Invalid: it is something else, or too long
    """
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise errors.Invalid(f"{name} must be a text.")
    if most is not None and len(value) > most:
        raise errors.Invalid(f"{name} has at most {most} characters.")
    return value


def find_map(body: stacks.Body, name: str) -> dict[str, object] | None:
    """Return a map; ``None`` where there is none.

    :raises orch.errors.Invalid: it is something else
    """
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise errors.Invalid(f"{name} must be a map.")
    return typing.cast(dict[str, object], value)


def _declared(
    body: stacks.Body, name: str, allowed: collections.abc.Set[str]
) -> list[dict[str, object]]:
    """Return what ``inputs`` or ``outputs`` declare.

    :raises orch.errors.Invalid: it is no list of declarations
    """
    value = body.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise errors.Invalid(f"{name} must be a list of maps.")
    return [
        _declaration(one, f"{name}[{at}]", allowed)
        for at, one in enumerate(value)
    ]


def _declaration(
    one: object, place: str, allowed: collections.abc.Set[str]
) -> dict[str, object]:
    if not isinstance(one, dict):
        raise errors.Invalid(f"{place} must be a map.")
    unknown = sorted(str(key)[:80] for key in set(one) - allowed)
    if unknown:
        raise errors.Invalid(
            f"{place} has unknown keys: {', '.join(unknown)}; there may be"
            f" {', '.join(sorted(allowed))}."
        )
    if not isinstance(one.get("name"), str) or not one["name"]:
        raise errors.Invalid(f"{place} needs a name, a text.")
    kind = one.get("type") or TYPES[0]
    if kind not in TYPES:
        raise errors.Invalid(
            f"{place} has the type {str(kind)[:80]!r}; there are"
            f" {', '.join(TYPES)}."
        )
    kept = {key: value for key, value in one.items() if value is not None}
    for name in ("replace_on_change", "error_output"):
        if name in kept:
            kept[name] = query.parse_boolean(f"{place}.{name}", kept[name])
    return {**kept, "type": kind}
