"""Show the drift of stacks, with hidden values redacted."""

import collections.abc
import functools

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import drift_pauses
from orch.db.repositories import observations
from orch.db.repositories import watches
from orch.engine import dependencies
from orch.engine.drift import state as drift_state
from orch.engine.queries import lookup
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.model import drift_place
from orch.model import drift_policy
from orch.model import observation
from orch.model import resource
from orch.model import stack
from orch.planner import coverage
from orch.rpc import contract

Place = tuple[int, tuple[str, ...]]
"""How many names a path has, and the names."""

_Stacks = collections.abc.Iterable[drift_state.ObservedStack]
_ReadSecrets = collections.abc.Callable[
    [db_engine.Connection, ids.StackId], frozenset[str]
]
_Fits = collections.abc.Callable[[drift_state.ObservedResource], bool]


Part = tuple[
    drift_state.ObservedStack, tuple[drift_state.ObservedResource, ...]
]
"""A stack of a page, with those of its resources that are listed."""


def cut_page(
    members: _Stacks, fits: _Fits, limit: int | None, marker: str | None
) -> tuple[list[Part], str | None]:
    """Return the page after a marker.

    A stack without resources that fit is in the page where its place in the
    order is.

    :param fits: says whether a resource is listed
    :param limit: most resources of the page; ``None`` for all, 0 for none, and
        for no further page
    :param marker: path of the last resource of the page before; ``None`` for
        the first page
    :returns: it, and the path of its last resource where more may follow;
        ``None`` for the last page
    """
    if limit == 0:
        return [], None
    after = None if marker is None else _place(marker)
    ordered = sorted(members, key=_place_of)
    fitting = [
        (_place(found.path), found)
        for member in ordered
        for found in sorted(member.resources, key=lambda each: each.row.name)
        if fits(found)
    ]
    rest = [each for each in fitting if after is None or each[0] > after]
    chosen = rest if limit is None else rest[:limit]
    is_last = len(chosen) == len(rest)
    until = None if is_last else chosen[-1][0]
    by_place: dict[Place, list[drift_state.ObservedResource]] = {}
    for (depth, names), each in chosen:
        by_place.setdefault((depth, (*names[:-1], "")), []).append(each)
    parts = [
        (each, tuple(by_place.get(_place_of(each), ())))
        for each in ordered
        if _place_of(each) in by_place
        or _is_within(_place_of(each), after, until)
    ]
    return parts, None if is_last else chosen[-1][1].path


def _is_within(place: Place, after: Place | None, until: Place | None) -> bool:
    return (after is None or place > after) and (
        until is None or place < until
    )


def _place(path: str) -> Place:
    names = tuple(path.split("/"))
    return len(names), names


def _place_of(member: drift_state.ObservedStack) -> Place:
    """Return the place of a stack: before the first of its resources."""
    return _place(f"{member.path}/" if member.path else "")


_State = observation.State


def show_drift(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    states: collections.abc.Collection[str] = (),
    *,
    limit: int | None = None,
    marker: str | None = None,
) -> contract.DriftFacts:
    """Return the drift of a stack and of its child stacks.

    :param states: of resources that are listed; empty for all
    :param limit: resources that are listed at most; ``None`` for all
    :param marker: path of the resource after which the list begins
    :raises orch.errors.NotFound: this caller has no such stack
    :raises orch.errors.Invalid: there is no such state
    """
    selected_states = _states(states)

    def work(connection: db_engine.Connection) -> contract.DriftFacts:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        found = drift_state.load_observed(connection, deps, stack)
        resources = [one for each in found.members for one in each.resources]
        parts, last = cut_page(
            found.members,
            lambda each: each.observed.state in selected_states,
            limit,
            marker,
        )
        read_secrets = functools.cache(tree_secrets.read)
        watch = found.watch
        pause = drift_pauses.find(connection, stack.project_id)
        return contract.DriftFacts(
            state=_overall(resources),
            coverage=drift_state.coverage_of(resources),
            counts=drift_state.counts_of(resources),
            requested_at=watch.requested_at,
            observed_at=watch.observed_at,
            age_s=_age(found.now, watch.observed_at),
            due_at=watch.due_at,
            in_progress=watches.in_progress(watch, found.now),
            paused_at=pause.paused_at,
            repairs_stopped_at=pause.stopped_at,
            stacks=[
                _stack(connection, deps, found, each, read_secrets)
                for each in parts
            ],
            last=last,
        )

    return deps.database.query(work)


def drift_summary(
    connection: db_engine.Connection, stack: stack.Stack
) -> contract.DriftSummary:
    """Return the drift summary of a stack; of a root, that of its tree."""
    watch = watches.find(connection, stack.root_id)
    if watch is None:
        return contract.DriftSummary(
            state=_State.UNKNOWN, coverage=0, observed_at=None, drifted=0
        )
    found = observations.summarize(connection, stack)
    return contract.DriftSummary(
        state=found.state,
        coverage=found.coverage,
        observed_at=watch.observed_at,
        drifted=found.drifted,
    )


def find_resource_drift(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack.Stack,
    row: resource.Resource,
) -> contract.ResourceDrift:
    """Return the drift of one resource."""
    one = drift_state.load_resource(connection, deps, stack, row)
    watch = watches.find(connection, stack.root_id)
    return _resource_drift(
        one,
        _redaction_for(connection, deps, stack, [one.observed]),
        drift_policy.Policies({} if watch is None else watch.policy),
    )


def _resource_drift(
    one: drift_state.ObservedResource,
    redacts: redaction.Redaction | None,
    policies: drift_policy.Policies,
) -> contract.ResourceDrift:
    found = one.observed
    return contract.ResourceDrift(
        state=found.state,
        coverage=(
            observation.coverage_percent(found.compared, found.given)
            if one.is_observed
            else 0
        ),
        observed_at=found.observed_at if one.is_observed else None,
        is_vanished=found.is_vanished,
        reason=_reason(found, redacts),
        drifted_at=found.drifted_at,
        differences=_differences(one, redacts, policies),
    )


def _stack(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    found: drift_state.ObservedTree,
    part: Part,
    read_secrets: _ReadSecrets,
) -> contract.StackDriftFacts:
    member, listed = part
    redacts = _redaction_for(
        connection,
        deps,
        member.stack,
        [each.observed for each in listed],
        read_secrets,
    )
    policies = found.policies
    return contract.StackDriftFacts(
        stack=lookup.identity_of(member.stack),
        path=member.path,
        state=_overall(member.resources),
        coverage=drift_state.coverage_of(member.resources),
        counts=drift_state.counts_of(member.resources),
        resources=[
            {
                **shown,
                "name": each.row.name,
                "path": each.path,
                "type_name": each.row.type_name,
                "physical_id": (
                    each.row.shown_id
                    if redacts is None
                    else redacts.physical_id(each.row.physical_id)
                ),
                "age_s": _age(found.now, shown["observed_at"]),
                "policy": policies.of_resource(each.path),
                "uncovered": [
                    contract.UncoveredProperty(property=name, reason=reason)
                    for name, reason in coverage.list_uncovered(
                        deps.types.find(each.row.plugin_type),
                        each.row,
                        each.observed,
                        policies,
                        each.path,
                        is_current=each.is_current,
                    )
                ],
            }
            for each in listed
            for shown in [_resource_drift(each, redacts, policies)]
        ],
    )


def _redaction_for(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack.Stack,
    listed: collections.abc.Iterable[observation.Observation],
    read_secrets: _ReadSecrets = tree_secrets.read,
) -> redaction.Redaction | None:
    """Return what is redacted; ``None`` where no value is shown."""
    if not any(each.differences or each.reason for each in listed):
        return None
    return tree_secrets.redaction_of(
        connection,
        deps.templates.find,
        stack,
        secrets=read_secrets(connection, stack.root_id),
    )


def _differences(
    one: drift_state.ObservedResource,
    redacts: redaction.Redaction | None,
    policies: drift_policy.Policies,
) -> list[contract.DifferenceFacts]:
    """Return the differences, with the current policies."""
    if one.observed.state is not _State.DRIFTED or redacts is None:
        return []
    shown = redacts.differences(one.row.properties, one.observed.differences)
    return [
        contract.DifferenceFacts(
            property=each.property,
            expected=each.expected,
            live=each.live,
            policy=(
                each.policy
                if policies.has_places(one.path, each.property)
                else policies.of_property(one.path, each.property)
            ),
            places=_places(each),
        )
        for each in shown
    ]


def _places(
    shown: observation.Difference,
) -> list[contract.PlaceDifferenceFacts]:
    """Return the places at which the shown values differ."""
    found = [
        *drift_place.list_differences(
            shown.property, shown.expected, shown.live
        )
    ] or [
        drift_place.PlaceDifference(
            name=shown.property, expected=shown.expected, live=shown.live
        )
    ]
    return [
        contract.PlaceDifferenceFacts(
            place=each.name,
            kind=each.kind,
            index=each.index,
            expected=each.expected,
            live=each.live,
        )
        for each in found
    ]


def _reason(
    found: observation.Observation, redacts: redaction.Redaction | None
) -> str:
    if not found.reason or redacts is None:
        return ""
    return redacts.text(found.reason)


def _overall(
    resources: collections.abc.Sequence[drift_state.ObservedResource],
) -> str:
    return observation.combined_state(
        each.observed.state for each in resources
    )


def _age(now: float, then: float | None) -> float | None:
    return None if then is None else max(0.0, now - then)


def _states(
    words: collections.abc.Collection[str],
) -> frozenset[observation.State]:
    """Return the states that are selected.

    :raises orch.errors.Invalid: there is no such state
    """
    unknown = sorted(set(words) - {each.value for each in _State})
    if unknown:
        raise errors.Invalid(
            f"state must be one of {', '.join(_State)}, not"
            f" {unknown[0][:80]!r}."
        )
    return frozenset(_State(each) for each in words) or frozenset(_State)
