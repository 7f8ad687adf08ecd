"""Decide which drift has begun and which has ended, for its history."""

import collections.abc
import typing

from orch.model import drift_history
from orch.model import observation
from orch.planner import drift
from orch.plugin import resource

_End = drift_history.End
_Names = collections.abc.Collection[str]

VANISHED: typing.Final = ""
"""In place of the name of a property: the physical resource has vanished."""


def list_begun(
    one: drift.ObservedResource, known: _Names
) -> list[observation.Difference]:
    """Return the drift that has begun, or has another live value.

    :param known: properties whose drift has an entry that lasts
    :returns: with an empty name of the property for a physical resource that
        has vanished
    """
    if one.after.state is not observation.State.DRIFTED:
        return []
    return [
        each
        for each in _drift_of(one.after).values()
        if each.property not in known or _has_changed(one, each.property)
    ]


def list_rebased(
    one: drift.ObservedResource, known: _Names
) -> list[observation.Difference]:
    """Return the drift that lasts, and whose expected value has changed.

    :param known: as of :func:`list_begun`
    """
    before = _drift_of(one.before)
    return [
        each
        for name, each in _drift_of(one.after).items()
        if name in known
        and name in before
        and before[name].expected != each.expected
        and not _has_changed(one, name)
    ]


def find_ended(
    one: drift.ObservedResource,
    known: _Names,
    plugin: resource.Resource | None,
) -> dict[str, drift_history.End]:
    """Return how drift has ended, by the name of its property.

    :param known: as of :func:`list_begun`
    :param plugin: compares values; ``None`` where the type is not installed
    """
    is_ignored = one.after.reason == drift.IGNORED
    if one.after.state is observation.State.UNKNOWN and not is_ignored:
        return {}
    lasting = {} if is_ignored else _drift_of(one.after)
    return {
        name: _how(one, name, plugin)
        for name in known
        if name not in lasting or _has_changed(one, name)
    }


def _how(
    one: drift.ObservedResource, name: str, plugin: resource.Resource | None
) -> drift_history.End:
    if any(each.property == name for each in one.accepted):
        return _End.ACCEPTED
    if name in one.ignored or one.after.reason == drift.IGNORED:
        return _End.IGNORED
    if name in _drift_of(one.after):
        return _End.CHANGED
    if one.before is None or not drift.is_changed_since(one.row, one.before):
        return _End.CLEARED
    if name == VANISHED:
        return _End.REPAIRED
    before, live = _drift_of(one.before).get(name), one.after.live or {}
    is_back = (
        before is not None
        and plugin is not None
        and name in live
        and plugin.is_like(name, before.expected, live[name])
    )
    return _End.REPAIRED if is_back else _End.UPDATED


def _has_changed(one: drift.ObservedResource, name: str) -> bool:
    """Whether a property has drifted to another live value."""
    before, after = _drift_of(one.before), _drift_of(one.after)
    return (
        name in before
        and name in after
        and before[name].live != after[name].live
    )


def _drift_of(
    observed: observation.Observation | None,
) -> dict[str, observation.Difference]:
    """Return the known drift of a resource, by name of property."""
    if observed is None or observed.drifted_at is None:
        return {}
    if observed.is_vanished:
        gone = observation.Difference(
            property=VANISHED, expected=None, live=None
        )
        return {VANISHED: gone}
    return {each.property: each for each in observed.differences}
