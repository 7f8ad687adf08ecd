"""List the given properties of a resource that were not compared, and why."""

import enum

from orch.model import drift_policy
from orch.model import marked
from orch.model import observation
from orch.model import resource as model_resource
from orch.planner import drift
from orch.plugin import resource

_State = observation.State


class Reason(enum.StrEnum):
    """Why a property was not compared.

    ``NO_READING``: the type cannot read its physical resources;
    ``NOT_OBSERVED``: there was no observation since the last change;
    ``FAILED``: reading or comparing failed; ``WRITE_ONLY``: no answer of the
    service shows it; ``HIDDEN``: it is sensitive, and the service did not show
    it; ``NOT_SHOWN``: the service did not show it; ``IGNORED``: a drift policy
    says so.
    """

    NO_READING = "no_reading"
    NOT_OBSERVED = "not_observed"
    FAILED = "failed"
    WRITE_ONLY = "write_only"
    HIDDEN = "hidden"
    NOT_SHOWN = "not_shown"
    IGNORED = "ignored"


def list_uncovered(
    plugin: resource.Resource | None,
    row: model_resource.Resource,
    observed: observation.Observation,
    policies: drift_policy.Policies,
    path: str,
    *,
    is_current: bool,
) -> list[tuple[str, Reason]]:
    """Return names of given properties that were not compared, and why.

    :param plugin: ``None`` where the type is not installed
    :param path: of the resource, from the root
    :param is_current: the stack has not changed it since its observation
    """
    if observed.state is _State.NOTHING or observed.is_vanished:
        return []
    if plugin is None:
        names = [name for name, v in row.properties.items() if v is not None]
        return [(name, Reason.NO_READING) for name in sorted(names)]
    whole = _find_reason(plugin, observed, is_current)
    live = observed.live or {}
    secret = {path[0] for path in marked.paths_of(row.properties) if path}
    found: list[tuple[str, Reason]] = []
    for name in sorted(plugin.list_comparable(row.properties)):
        if whole is not None:
            found.append((name, whole))
        elif name in live:
            policy = policies.of_property(path, name)
            if policy is observation.Policy.IGNORE:
                found.append((name, Reason.IGNORED))
        elif name in plugin.write_only:
            found.append((name, Reason.WRITE_ONLY))
        else:
            declared = plugin.schemas.get(name)
            is_secret = name in secret or (
                declared is not None and declared.has_sensitive
            )
            how = Reason.HIDDEN if is_secret else Reason.NOT_SHOWN
            found.append((name, how))
    return found


def _find_reason(
    plugin: resource.Resource,
    observed: observation.Observation,
    is_current: bool,
) -> Reason | None:
    """Return why no property was compared; ``None`` where some were."""
    if not plugin.has_reality:
        return Reason.NO_READING
    if not is_current:
        return Reason.NOT_OBSERVED
    if observed.reason == drift.IGNORED:
        return Reason.IGNORED
    return Reason.FAILED if observed.state is _State.UNKNOWN else None
