"""Shows what was seen of stacks in the world, hidden values covered."""

import collections.abc

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import observations
from orch.db.repositories import watches
from orch.engine import dependencies
from orch.engine.operations import drift_pages
from orch.engine.operations import lookup
from orch.engine.operations import masks as masks_
from orch.engine.operations import seen as seen_
from orch.engine.operations import template_masks
from orch.model import drift_policy
from orch.model import observation
from orch.model import resource
from orch.model import stack
from orch.rpc import contract

_State = observation.State


def show(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    states: collections.abc.Collection[str] = (),
    *,
    limit: int | None = None,
    marker: str | None = None,
) -> contract.DriftFacts:
    """Return what was seen of a stack and of those in it.

    :param states: of resources that are listed; none for all
    :param limit: resources that are listed at most; ``None`` for all
    :param marker: path of the resource behind which the list begins
    :raises orch.errors.NotFound: this caller has no such stack
    :raises orch.errors.Invalid: there is no such state
    """
    wanted = _states(states)

    def work(connection: db_engine.Connection) -> contract.DriftFacts:
        subject = lookup.get(connection, ctxt, stack_id)
        found = seen_.load(connection, deps, subject)
        things = [one for each in found.members for one in each.things]
        page = drift_pages.cut(
            found.members,
            lambda each: each.seen.state in wanted,
            limit,
            marker,
        )
        watch = found.watch
        return contract.DriftFacts(
            state=_overall(things),
            coverage=seen_.coverage_of(things),
            counts=seen_.counts_of(things),
            asked_at=watch.asked_at,
            observed_at=watch.observed_at,
            age_s=_age(found.now, watch.observed_at),
            due_at=watch.due_at,
            is_under_way=watches.is_under_way(watch, found.now),
            stacks=[
                _stack(connection, deps, found, each) for each in page.parts
            ],
            last=page.last,
        )

    return deps.database.query(work)


def summary(
    connection: db_engine.Connection, subject: stack.Stack
) -> contract.DriftSummary:
    """Return in short what was seen; of a root with all that is in it."""
    watch = watches.find(connection, subject.root_id)
    if watch is None or watch.observed_at is None:
        return contract.DriftSummary(
            state=_State.UNKNOWN, coverage=0, observed_at=None, drifted=0
        )
    counts = observations.count(connection, subject)
    return contract.DriftSummary(
        state=observation.overall(each.state for each in counts),
        coverage=observation.coverage(
            sum(each.covered for each in counts),
            sum(each.given for each in counts),
        ),
        observed_at=watch.observed_at,
        drifted=sum(
            each.resources for each in counts if each.state is _State.DRIFTED
        ),
    )


def of_resource(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    subject: stack.Stack,
    row: resource.Resource,
) -> contract.ResourceDrift:
    """Return what was seen of one resource."""
    found = observations.find(connection, row.stack_id, row.id)
    if found is None:
        return contract.ResourceDrift(
            state=_State.UNKNOWN,
            coverage=0,
            observed_at=None,
            is_vanished=False,
            reason=seen_.NOT_SEEN,
            drifted_at=None,
            differences=[],
        )
    found = seen_.as_it_counts(row, found)
    covers = _covers(connection, deps, subject, [found])
    return contract.ResourceDrift(
        state=found.state,
        coverage=observation.coverage(found.covered, found.given),
        observed_at=found.observed_at,
        is_vanished=found.is_vanished,
        reason=_reason(found, covers),
        drifted_at=found.drifted_at,
        differences=_differences(row, found, covers, None, ""),
    )


def _stack(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    found: seen_.Seen,
    part: drift_pages.Part,
) -> contract.StackDriftFacts:
    member, listed = part.member, part.things
    covers = _covers(
        connection, deps, member.subject, [each.seen for each in listed]
    )
    policies = found.policies
    return contract.StackDriftFacts(
        stack=lookup.identity_of(member.subject),
        path=member.path,
        state=_overall(member.things),
        coverage=seen_.coverage_of(member.things),
        counts=seen_.counts_of(member.things),
        things=[
            contract.ThingFacts(
                name=each.row.name,
                path=each.path,
                type_name=each.row.type_name,
                physical_id=each.row.physical_id,
                state=each.seen.state,
                is_vanished=each.seen.is_vanished,
                coverage=(
                    observation.coverage(each.seen.covered, each.seen.given)
                    if each.is_seen
                    else 0
                ),
                reason=_reason(each.seen, covers),
                observed_at=each.seen.observed_at if each.is_seen else None,
                age_s=(
                    _age(found.now, each.seen.observed_at)
                    if each.is_seen
                    else None
                ),
                drifted_at=each.seen.drifted_at,
                policy=policies.of_resource(each.path),
                differences=_differences(
                    each.row, each.seen, covers, policies, each.path
                ),
            )
            for each in listed
        ],
    )


def _covers(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    subject: stack.Stack,
    listed: collections.abc.Iterable[observation.Observation],
) -> masks_.Masks | None:
    """Return what covers values; ``None`` where there are none to show."""
    if not any(each.differences or each.reason for each in listed):
        return None
    return template_masks.around(connection, deps.templates.find, subject)


def _differences(
    row: resource.Resource,
    found: observation.Observation,
    covers: masks_.Masks | None,
    policies: drift_policy.Policies | None,
    path: str,
) -> list[contract.DifferenceFacts]:
    """Return what has drifted, with the policies of now."""
    if found.state is not _State.DRIFTED or covers is None:
        return []
    shown = template_masks.shown_differences(covers, row, found.differences)
    return [
        contract.DifferenceFacts(
            property=each.property,
            expected=each.expected,
            live=each.live,
            policy=(
                each.policy
                if policies is None
                else policies.of_property(path, each.property)
            ),
        )
        for each in shown
    ]


def _reason(
    found: observation.Observation, covers: masks_.Masks | None
) -> str:
    if not found.reason or covers is None:
        return ""
    if covers.is_blind:
        return masks_.HIDDEN
    return covers.covered(found.reason)


def _overall(things: collections.abc.Sequence[seen_.Thing]) -> str:
    return observation.overall(each.seen.state for each in things)


def _age(now: float, then: float | None) -> float | None:
    return None if then is None else max(0.0, now - then)


def _states(
    words: collections.abc.Collection[str],
) -> frozenset[observation.State]:
    """Return the states that are asked for.

    :raises orch.errors.Invalid: there is no such state
    """
    unknown = sorted(set(words) - {each.value for each in _State})
    if unknown:
        raise errors.Invalid(
            f"state must be one of {', '.join(_State)}, not"
            f" {unknown[0][:80]!r}."
        )
    return frozenset(_State(each) for each in words) or frozenset(_State)
