"""How values of several environment files become one."""

import collections.abc
import enum

from orch.template import errors

Map = collections.abc.Mapping[str, object]


class Strategy(enum.StrEnum):
    """What happens to a value that an earlier file gave too."""

    OVERWRITE = "overwrite"
    MERGE = "merge"
    DEEP_MERGE = "deep_merge"


def find_strategy(name: str, strategies: Map) -> Strategy:
    """Return the strategy that a file asks for, for one parameter."""
    for key in (name, "default"):
        requested = strategies.get(key)
        if isinstance(requested, str) and requested in set(Strategy):
            return Strategy(requested)
    return Strategy.OVERWRITE


def merge_value(
    name: str, type_name: str, old: object, new: object, strategy: Strategy
) -> object:
    """Return the value of a parameter that two files give.

    :param type_name: as in :mod:`orch.template.parameters.types`
    :raises orch.template.errors.MergeImpossible: they cannot be merged
    """
    if strategy is Strategy.OVERWRITE or old is None:
        return new
    is_deep = strategy is Strategy.DEEP_MERGE
    if type_name == "json" and isinstance(old, dict) and isinstance(new, dict):
        return merge_maps(old, new, is_deep)
    if type_name == "comma_delimited_list":
        return _merge_lists(old, new)
    if type_name == "string":
        return f"{old}{new}"
    raise errors.MergeImpossible(
        f"Invalid merge strategy '{strategy.value}' for parameter '{name}'."
    )


def merge_maps(old: Map, new: Map, is_deep: bool) -> dict[str, object]:
    """Return one map of two; ``None`` in the later one changes nothing.

    :param is_deep: maps in it are merged, lists and texts joined
    """
    merged = dict(old)
    for key, value in new.items():
        if value is None:
            continue
        before = merged.get(key)
        if not is_deep or not before:
            merged[key] = value
        elif isinstance(value, dict) and isinstance(before, dict):
            merged[key] = merge_maps(before, value, is_deep)
        elif isinstance(value, list | str):
            merged[key] = _joined(before, value)
        else:
            merged[key] = value
    return merged


def _joined(before: object, value: list[object] | str) -> object:
    """Return two lists or two texts as one; of others, the later."""
    if isinstance(before, list) and isinstance(value, list):
        return before + value
    if isinstance(before, str) and isinstance(value, str):
        return before + value
    return value


def _merge_lists(old: object, new: object) -> object:
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    if isinstance(old, str) and isinstance(new, str):
        return f"{old},{new}" if old and new else old or new
    parts: list[object] = []
    for one in (old, new):
        if isinstance(one, list):
            parts += one
        else:
            parts += str(one).split(",")
    return parts
