"""Compare the desired state of a resource with the existing one.

Used twice: when the plan is made, with what is known then, and by the task
of an uncertain update, when all is known. The existing state is that of the
row or, where there is a survey, the live one (``planner.compare_live``).
"""

import collections.abc
import dataclasses
import enum

from orch import errors
from orch.model import marked
from orch.model import resource as model_resource
from orch.planner import compare_live as lives
from orch.planner import survey as surveys
from orch.plugin import logged_errors
from orch.plugin import resource
from orch.plugin import schema
from orch.template import world

Values = collections.abc.Mapping[str, object]


class Verdict(enum.Enum):
    """The kind of change that brings a resource to its desired state.

    ``UNSURE`` waits for values that are known only during the run;
    ``REFUSE`` is a change that the type never allows.
    """

    SAME = "same"
    MODIFY = "modify"
    REPLACE = "replace"
    REFUSE = "refuse"
    UNSURE = "unsure"


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between desired and existing state.

    :ivar changed: names of the properties that surely differ
    :ivar unsure: names of those that may differ
    :ivar replacing: of the changed ones, those that need a replacement; all
        when the type decides so by their values
    :ivar drifted: of the changed ones, those that the template leaves as
        they were and others have changed
    :ivar left: properties that have drifted and that are not repaired
    :ivar observed: the other properties that were read
    :ivar put_back: values of properties that the template does not give and
        that are to be as they were after our last change
    :ivar before: existing properties; ``None`` for those of the row
    :ivar is_stale: the live state is the desired one, and the row differs,
        or its marks do
    :ivar reason: why it has to be changed or replaced, where no property
        shows it
    """

    verdict: Verdict
    changed: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    replacing: tuple[str, ...] = ()
    drifted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    observed: tuple[str, ...] = ()
    put_back: Values = dataclasses.field(default_factory=dict)
    before: Values | None = None
    reason: str = ""
    is_stale: bool = False

    @property
    def is_vanished(self) -> bool:
        """Whether the physical resource does not exist any more."""
        return self is VANISHED


_SAME = Comparison(Verdict.SAME)
VANISHED = Comparison(Verdict.REPLACE, reason="is not there any more")
_STALE = Comparison(
    Verdict.MODIFY, reason="has the desired value already", is_stale=True
)
_MARKED_OTHERWISE = Comparison(
    Verdict.MODIFY, reason="has other sensitive values", is_stale=True
)
_CHILD_DRIFTED = Comparison(
    Verdict.MODIFY, reason="something in its stack has drifted"
)


def compare_resource(
    plugin: resource.Resource,
    row: model_resource.Resource,
    after: Values,
    metadata: Values | world.Unknown,
    survey: surveys.Survey | None = None,
) -> Comparison:
    """Return how an existing resource differs from its desired state.

    :param after: resolved properties; :data:`orch.template.world.UNKNOWN`
        for those that are not known yet
    :param metadata: resolved metadata, or that it is not known yet
    :param survey: the observed state; ``None`` to compare with the rows
    """
    if survey is not None and survey.is_vanished(row):
        return VANISHED
    try:
        found = _compare(plugin, row, after, metadata, survey)
    except errors.OrchError:
        raise
    except Exception as error:
        secrets = row.secret_texts() | logged_errors.find_secrets(after)
        raise logged_errors.redact_raised(error, *secrets) from None
    has_diverged = survey is not None and row.id in survey.drifted_stacks
    return (
        _CHILD_DRIFTED
        if has_diverged and found.verdict is Verdict.SAME
        else found
    )


def possible_properties(
    plugin: resource.Resource, row: model_resource.Resource, after: Values
) -> Values:
    """Return the possible live properties as one more change is tried.

    After an attempt that was left half way a property may have its old value
    or the one that was then desired. The row has a place for one of them in
    addition to the one desired now: the one that differs from it is stored,
    so that the next attempt sets the property, whatever its desired value.

    :param after: resolved properties that are desired now
    """
    tried = row.desired_properties or {}
    stored = {
        name: value
        for name, value in tried.items()
        if value != after.get(name)
        and not _differs(plugin, name, row.properties, after.get(name))
    }
    return marked.merge(
        row.properties, marked.Marked(stored, marked.paths_of(tried))
    )


def _compare(
    plugin: resource.Resource,
    row: model_resource.Resource,
    after: Values,
    metadata: Values | world.Unknown,
    survey: surveys.Survey | None,
) -> Comparison:
    """Return how an existing resource differs from its desired state."""
    live = survey.find(row) if survey is not None else None
    if survey is not None and live is not None:
        return _compare_live(
            plugin, row, after, metadata, live, survey.is_narrowed
        )
    changed, unsure = _find_differing(plugin, row, after)
    if not changed and not unsure:
        return _compare_other_parts(plugin, row, after, metadata)
    return _decide(plugin, row.properties, after, changed, unsure)


def _compare_live(
    plugin: resource.Resource,
    row: model_resource.Resource,
    after: Values,
    metadata: Values | world.Unknown,
    live: Values,
    is_narrowed: bool,
) -> Comparison:
    """Return how the desired properties differ from the live ones."""
    by_rows = _find_differing(plugin, row, after)
    observed = lives.compare_live(
        plugin, row, after, live, *by_rows, is_narrowed=is_narrowed
    )
    before = lives.overlay_live(plugin, row, after, live, observed)
    if not observed.changed and not observed.unsure:
        found = _compare_other_parts(plugin, row, after, metadata)
    else:
        found = _decide(
            plugin, before, after, observed.changed, observed.unsure
        )
    if found.verdict is Verdict.SAME and observed.is_stale:
        found = _STALE
    return dataclasses.replace(
        found,
        drifted=observed.drifted,
        left=observed.left,
        observed=tuple(name for name in live if name not in observed.left),
        put_back=observed.put_back,
        before=before,
    )


def _compare_other_parts(
    plugin: resource.Resource,
    row: model_resource.Resource,
    after: Values,
    metadata: Values | world.Unknown,
) -> Comparison:
    """Return how a resource differs whose properties do not."""
    if metadata is world.UNKNOWN:
        return Comparison(Verdict.UNSURE)
    if metadata != row.metadata or plugin.needs_update(
        row.name, row.physical_id, after, metadata
    ):
        return Comparison(Verdict.MODIFY)
    for now, then in ((row.properties, after), (row.metadata, metadata)):
        if not marked.is_marked_alike(now, then):
            return _MARKED_OTHERWISE
    return _SAME


def _find_differing(
    plugin: resource.Resource, row: model_resource.Resource, after: Values
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the properties that differ, and those that may.

    After an update that failed half way a property may have its old value or
    the one then desired: it must be right in both.
    """
    before, tried = row.properties, row.desired_properties
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
    # A property that the type did not have yet had its default.
    return value != (declared.default if declared else None)


def _decide(
    plugin: resource.Resource,
    before: Values,
    after: Values,
    changed: tuple[str, ...],
    unsure: tuple[str, ...],
) -> Comparison:
    rules = {name: lives.update_rule(plugin, name) for name in changed}
    if schema.OnUpdate.REFUSE in rules.values():
        return Comparison(Verdict.REFUSE, changed, unsure)
    replacing = tuple(
        name for name, rule in rules.items() if rule is schema.OnUpdate.REPLACE
    )
    if not replacing and changed:
        known = {n: v for n, v in after.items() if n not in unsure}
        if plugin.needs_replacement(before, known, changed):
            replacing = changed
    if replacing:
        return Comparison(Verdict.REPLACE, changed, unsure, replacing)
    verdict = Verdict.UNSURE if unsure else Verdict.MODIFY
    return Comparison(verdict, changed, unsure)
