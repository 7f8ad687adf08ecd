"""What of a source can be searched, as its mapping says."""

import dataclasses
import math
import typing

_LONGEST_TERM = 32_766
_GAP = 100

Token: typing.TypeAlias = tuple[int, str]


class RefusedError(Exception):
    """A request or a row is wrong.

    :ivar kind: name of the error in OpenSearch
    """

    def __init__(self, kind: str, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.status = status


@dataclasses.dataclass(eq=False)
class Level:
    """A row, or one inner object of it.

    :ivar values: by the full name of a field
    :ivar tokens: words of texts with their positions
    :ivar children: inner objects by their path
    :ivar types: type of each field that the mapping has
    """

    types: dict[str, str]
    root: "Level | None" = None
    values: dict[str, list[typing.Any]] = dataclasses.field(
        default_factory=dict
    )
    tokens: dict[str, list[Token]] = dataclasses.field(default_factory=dict)
    children: dict[str, list["Level"]] = dataclasses.field(
        default_factory=dict
    )


def types_of(
    properties: dict[str, typing.Any], prefix: str = ""
) -> dict[str, str]:
    """Return the type of each field by its full name."""
    found = {}
    for name, told in properties.items():
        found[prefix + name] = told["type"]
        if told["type"] == "nested":
            found |= types_of(told["properties"], f"{prefix}{name}.")
    return found


def level_of(
    source: dict[str, typing.Any], mappings: dict[str, typing.Any]
) -> Level:
    """Return what of a row can be searched.

    :raises RefusedError: it does not fit the mapping
    """
    level = Level(types_of(mappings["properties"]))
    if mappings["dynamic"] != "strict":
        return level
    _fill(level, source, mappings["properties"], "", level)
    return level


def _fill(
    level: Level,
    source: dict[str, typing.Any],
    properties: dict[str, typing.Any],
    prefix: str,
    root: Level,
) -> None:
    for name, found in source.items():
        told = properties.get(name)
        if told is None:
            raise RefusedError(
                "strict_dynamic_mapping_exception", f"{prefix}{name}"
            )
        if not told.get("enabled", True):
            continue
        path = prefix + name
        several = found if isinstance(found, list) else [found]
        several = [each for each in several if each is not None]
        if told["type"] == "nested":
            inner = level.children.setdefault(path, [])
            for each in several:
                child = Level(level.types, root)
                _fill(child, each, told["properties"], f"{path}.", root)
                inner.append(child)
        elif told["type"] == "text":
            level.tokens[path] = _tokens(several, told)
        else:
            values = [_value(each, told, path) for each in several]
            kept = [each for each in values if each is not None]
            level.values.setdefault(path, []).extend(kept)


def _tokens(several: list[str], told: dict[str, typing.Any]) -> list[Token]:
    if told["analyzer"] != "whitespace":
        raise RefusedError("mapper_parsing_exception", told["analyzer"])
    found: list[Token] = []
    at = -1
    for number, each in enumerate(several):
        if number:
            at += told.get("position_increment_gap", _GAP)
        for word in each.split():
            at += 1
            found.append((at, word))
    return found


def _value(value: object, told: dict[str, typing.Any], path: str) -> object:
    match told["type"]:
        case "keyword" if isinstance(value, str):
            if len(value) > told.get("ignore_above", math.inf):
                return None
            is_kept = told.get("index", True) or told.get("doc_values", True)
            size = len(value.encode("utf-8"))
            if is_kept and size > _LONGEST_TERM:
                raise RefusedError("illegal_argument_exception", "immense")
            return value
        case "boolean" if isinstance(value, bool):
            return value
        case "double" | "long" | "integer":
            is_number = isinstance(value, (int, float))
            if is_number and math.isfinite(typing.cast(float, value)):
                return value
    raise RefusedError("mapper_parsing_exception", f"{path}: {value!r:.50}")
