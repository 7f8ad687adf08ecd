"""Find the drift that an acceptance names: properties, and places in them."""

import collections.abc
import dataclasses

from orch import errors
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine.drift import state as drift_state
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.model import drift_place
from orch.planner import drift
from orch.plugin import resource

Properties = collections.abc.Mapping[str, collections.abc.Sequence[str]]
"""Names of properties, or of places in them, by path of their resource."""


class NotDrifted(errors.Invalid):
    """A resource has no drift that could be accepted."""

    code = "orch.drift.nothing_to_accept"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NamedDrift:
    """The drift of one resource that is accepted.

    :ivar names: of its properties, or of places in them
    :ivar taken: differences from the baseline of before to the one after
    :ivar left: differences from the baseline of after
    """

    resource: drift_state.ObservedResource
    names: tuple[str, ...]
    taken: drift.Differences
    left: drift.Differences


def find_named(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    found: drift_state.ObservedTree,
    paths: collections.abc.Sequence[str] | None,
    properties: Properties,
) -> dict[str, NamedDrift]:
    """Return the drift that is accepted, by path of its resource.

    :param paths: of resources of which all is accepted; ``None``: of all
        resources, unless properties are named
    :raises NotDrifted: a named resource, property or place has not drifted
    """
    resources = {
        one.path: one for each in found.members for one in each.resources
    }
    if paths is None and not properties:
        paths = [path for path, one in resources.items() if one.is_drifted]
    wanted = {**properties, **dict.fromkeys(paths or ())}
    _check_drifted(resources, wanted)
    stacks = {each.stack.id: each.stack for each in found.members}
    chosen: dict[str, NamedDrift] = {}
    for path, names in wanted.items():
        one = resources[path]
        all_names = {each.property for each in one.observed.differences}
        if names is None:
            names = sorted(all_names)
        elif not all_names.issuperset(names):
            _check_places(
                one,
                names,
                tree_secrets.redaction_of(
                    connection, deps.templates.find, stacks[one.row.stack_id]
                ),
            )
        chosen[path] = _divide(
            one, names, deps.types.find(one.row.plugin_type)
        )
    return chosen


def _check_drifted(
    resources: collections.abc.Mapping[str, drift_state.ObservedResource],
    paths: collections.abc.Iterable[str],
) -> None:
    """Raise NotDrifted if one of these resources has not drifted.

    :raises NotDrifted: or it has vanished
    """
    missing = sorted(
        path
        for path in paths
        if path not in resources or not resources[path].is_drifted
    )
    if not missing:
        return
    gone = [
        path
        for path in missing
        if path in resources and resources[path].observed.is_vanished
    ]
    if gone:
        raise NotDrifted(
            f"{', '.join(gone)[:300]} has vanished: there is nothing to"
            " accept. Update the stack with converge to create it again, or"
            " remove it from the template."
        )
    raise NotDrifted(
        "The last observation found no drift of these:"
        f" {', '.join(missing)[:300]}. Name resources by the path that the"
        " drift of the stack shows."
    )


def _check_places(
    one: drift_state.ObservedResource,
    names: collections.abc.Iterable[str],
    redacts: redaction.Redaction,
) -> None:
    """Raise NotDrifted if nothing has drifted at one of these places.

    A place inside a redacted value cannot be named: its keys are not shown.

    :raises NotDrifted: lists the places that have drifted
    """
    shown = redacts.differences(one.row.properties, one.observed.differences)
    places = [
        tuple(name for name in place if name in visible)
        for each, hidden in zip(one.observed.differences, shown, strict=True)
        for visible in [
            {
                *drift_place.list_names(each.property, hidden.expected),
                *drift_place.list_names(each.property, hidden.live),
            }
        ]
        for place in drift_place.list_differing(
            (each.property,), each.expected, each.live
        )
    ]
    unchanged = sorted(set(names).difference(*places))
    if unchanged:
        drifted = dict.fromkeys(place[-1] for place in places)
        raise NotDrifted(
            f"The last observation found no drift of {one.path}:"
            f" {', '.join(unchanged)[:300]}. What has drifted of it:"
            f" {', '.join(drifted)[:300]}."
        )


def _divide(
    one: drift_state.ObservedResource,
    names: collections.abc.Collection[str],
    plugin: resource.Resource | None,
) -> NamedDrift:
    """Divide the drift of a resource into what is accepted and what lasts."""
    taken, left = [], []
    for each in one.observed.differences:
        live = drift_place.combine_values(
            (each.property,),
            each.expected,
            each.live,
            lambda place: any(name in names for name in place),
        )
        if live == each.expected:
            left.append(each)
            continue
        taken.append(dataclasses.replace(each, live=live))
        is_same = live == each.live or (
            plugin is not None
            and plugin.is_like(each.property, live, each.live)
        )
        if not is_same:
            left.append(dataclasses.replace(each, expected=live))
    return NamedDrift(
        resource=one,
        names=tuple(sorted(names)),
        taken=tuple(taken),
        left=tuple(left),
    )
