"""Compares what is wanted of a resource with what stands.

Used twice: when the plan is made, with what is known then, and by the task
of an uncertain update, when all is known.
"""

import collections.abc
import dataclasses
import enum

from orch.model import resource as model_resource
from orch.plugin import resource
from orch.plugin import schema
from orch.template import world

Values = collections.abc.Mapping[str, object]


class Verdict(enum.Enum):
    """What has to be done so that the thing is as wanted.

    ``UNSURE`` waits for values that come into being with the run;
    ``REFUSE`` is a change that the type never allows.
    """

    SAME = "same"
    MODIFY = "modify"
    REPLACE = "replace"
    REFUSE = "refuse"
    UNSURE = "unsure"


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """What was found.

    :ivar changed: names of the properties that surely differ
    :ivar unsure: names of those that may differ
    :ivar replacing: of the changed ones, those that need a new thing; all
        when the type says so of their values
    """

    verdict: Verdict
    changed: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    replacing: tuple[str, ...] = ()


_SAME = Comparison(Verdict.SAME)


def compare(
    plugin: resource.Resource,
    row: model_resource.Resource,
    after: Values,
    metadata: Values | world.Unknown,
) -> Comparison:
    """Return how a resource that stands differs from what is wanted.

    :param after: resolved properties; :data:`orch.template.world.UNKNOWN`
        stands for what is not known yet
    :param metadata: resolved metadata, or that it is not known yet
    """
    changed, unsure = _differing(plugin, row, after)
    if not changed and not unsure:
        if metadata is world.UNKNOWN:
            return Comparison(Verdict.UNSURE)
        if metadata == row.metadata and not plugin.needs_update(
            row.name, row.physical_id, after, metadata
        ):
            return _SAME
        return Comparison(Verdict.MODIFY)
    return _judge(plugin, row, after, changed, unsure)


def _differing(
    plugin: resource.Resource, row: model_resource.Resource, after: Values
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the properties that differ, and those that may.

    After an update that failed half way a property may stand as it was or
    as was then wanted: it must be right in both.
    """
    before, tried = row.properties, row.wanted
    if after == before and tried is None:
        return (), ()
    changed: list[str] = []
    unsure: list[str] = []
    for name in {**before, **after}:
        value = after.get(name)
        if world.has_unknown(value):
            unsure.append(name)
        elif _differs(plugin, name, before, value) or (
            tried is not None and _differs(plugin, name, tried, value)
        ):
            changed.append(name)
    return tuple(changed), tuple(unsure)


def _differs(
    plugin: resource.Resource, name: str, before: Values, value: object
) -> bool:
    if name in before:
        return before[name] != value
    declared = plugin.schemas.get(name)
    # A property that the type did not have yet stood at its default.
    return value != (declared.default if declared else None)


def _judge(
    plugin: resource.Resource,
    row: model_resource.Resource,
    after: Values,
    changed: tuple[str, ...],
    unsure: tuple[str, ...],
) -> Comparison:
    rules = {name: _rule(plugin, name) for name in changed}
    if schema.OnUpdate.REFUSE in rules.values():
        return Comparison(Verdict.REFUSE, changed, unsure)
    replacing = tuple(
        name for name, rule in rules.items() if rule is schema.OnUpdate.REPLACE
    )
    if not replacing and changed:
        known = {n: v for n, v in after.items() if n not in unsure}
        if plugin.needs_replacement(row.properties, known, changed):
            replacing = changed
    if replacing:
        return Comparison(Verdict.REPLACE, changed, unsure, replacing)
    verdict = Verdict.UNSURE if unsure else Verdict.MODIFY
    return Comparison(verdict, changed, unsure)


def _rule(plugin: resource.Resource, name: str) -> schema.OnUpdate:
    declared = plugin.schemas.get(name)
    return declared.on_update if declared else schema.OnUpdate.REPLACE
