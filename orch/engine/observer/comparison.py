"""Compare a tree with what was read of it, and apply its drift policies."""

import collections.abc
import dataclasses

from orch import ids
from orch.engine import tree_paths
from orch.engine.drift import state as drift_state
from orch.engine.observer import reality_reader
from orch.engine.observer import tree_loader
from orch.events import drifts
from orch.model import drift_policy
from orch.model import observation
from orch.model import resource
from orch.planner import drift
from orch.planner import survey
from orch.plugin import reality
from orch.plugin import registry

_State = observation.State
_Policy = observation.Policy
Differences = tuple[observation.Difference, ...]

NOT_COMPLETE = "It was never made, or its making has failed"
NOT_OURS = "It does not belong to the stack"
IGNORED = "It has vanished, which its policy says to ignore"
BLOCKED = "It is not repaired, as that would change what policies leave"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StackComparison:
    """The observations of one stack of a tree.

    :ivar baselines: accepted values: new baselines, with their rows
    :ivar changes: drift to report, values not redacted yet; where there is
        none, resources of which something else is known
    """

    loaded: tree_loader.Loaded
    observations: tuple[observation.Observation, ...]
    baselines: tuple[tuple[resource.Resource, reality.Reality], ...] = ()
    changes: tuple[drifts.Change, ...] = ()

    @property
    def has_facts(self) -> bool:
        """Whether more is to be stored than the observations."""
        return bool(self.baselines or self.changes)

    @property
    def is_changed(self) -> bool:
        """Whether a resource is not as it was in the last observation."""
        return bool(self.baselines) or any(
            each.kind is not drifts.Kind.OBSERVED for each in self.changes
        )


@dataclasses.dataclass(frozen=True, slots=True)
class _ResourceComparison:
    """The drift of one resource, once its policies are applied."""

    drift_result: drift.DriftResult
    accepted: Differences = ()


class Comparison:
    """Compare one tree with what was read of its physical resources."""

    def __init__(
        self,
        tree: tree_loader.Tree,
        answers: reality_reader.Answers,
        types: registry.Types,
        policy: observation.Values,
    ) -> None:
        """Compare nothing yet.

        :param policy: the policy of the tree, as its watch has it
        """
        self._tree = tree
        self._answers = answers
        self._types = types
        self._policies = drift_policy.Policies(policy)
        self._holders = tree.holders

    def observed(self) -> list[StackComparison]:
        """Return the comparisons of stacks with no operation in progress."""
        return [
            self._of_stack(each)
            for each in self._tree.stacks
            if not each.is_busy
        ]

    def _of_stack(self, loaded: tree_loader.Loaded) -> StackComparison:
        observed: list[observation.Observation] = []
        baselines: list[tuple[resource.Resource, reality.Reality]] = []
        changes: list[drifts.Change] = []
        known: list[drifts.Change] = []
        for row in loaded.rows:
            path = tree_paths.below(loaded.path, row.name)
            one = self._of_row(row, path)
            before = self._tree.observed.get(row.id)
            after = self._observation(row, one.drift_result, before)
            observed.append(after)
            kind = _kind(before, after)
            if one.accepted:
                live = {each.property: each.live for each in one.accepted}
                baselines.append((row, {**(row.baseline or {}), **live}))
                changes.append(_accepted(row, path, one.accepted))
                if kind is drifts.Kind.CLEARED:
                    continue
            if kind is not None:
                changes.append(
                    drifts.Change(
                        kind=kind,
                        row=row,
                        path=path,
                        differences=after.differences,
                    )
                )
            elif _state_known(row, before) != after.state:
                known.append(
                    drifts.Change(
                        kind=drifts.Kind.OBSERVED, row=row, path=path
                    )
                )
        return StackComparison(
            loaded=loaded,
            observations=tuple(observed),
            baselines=tuple(baselines),
            changes=tuple(changes or known),
        )

    def _of_row(
        self, row: resource.Resource, path: str
    ) -> _ResourceComparison:
        drift_result = self._find_drift(row)
        if drift_result.is_vanished:
            if self._policies.of_resource(path) is _Policy.IGNORE:
                drift_result = drift.DriftResult(
                    state=_State.UNKNOWN,
                    given=drift_result.given,
                    reason=IGNORED,
                )
            return _ResourceComparison(drift_result)
        found = [
            self._policies.sort(path, each)
            for each in drift_result.differences
        ]
        counted, accepted = (
            tuple(
                each
                for each in differences
                if each is not None and self._is_difference(row, each)
            )
            for differences in (
                [each.counted for each in found],
                [each.accepted for each in found],
            )
        )
        blocked = [name for each in found for name in each.blocked]
        if drift_result.state is _State.DRIFTED:
            drift_result = dataclasses.replace(
                drift_result,
                state=_State.DRIFTED if counted else _State.IN_SYNC,
                reason=f"{BLOCKED}: {', '.join(blocked)}"
                if counted and blocked
                else "",
            )
        return _ResourceComparison(
            dataclasses.replace(drift_result, differences=counted), accepted
        )

    def _is_difference(
        self, row: resource.Resource, difference: observation.Difference
    ) -> bool:
        """Whether the type takes what is left of a difference for one."""
        plugin = self._types.find(row.plugin_type)
        return plugin is None or not plugin.is_like(
            difference.property, difference.expected, difference.live
        )

    def _find_drift(self, row: resource.Resource) -> drift.DriftResult:
        if row.id in self._holders:
            return drift.DriftResult(state=_State.NOTHING)
        plugin = self._types.find(row.plugin_type)
        if plugin is None:
            return _unknown(row, f"No plug-in serves {row.plugin_type}")
        if drift.has_no_physical_resource(plugin):
            return drift.DriftResult(state=_State.NOTHING)
        if row.external_id is not None:
            return drift.DriftResult(state=_State.NOTHING, reason=NOT_OURS)
        if not survey.is_reportable(row):
            return _unknown(row, NOT_COMPLETE)
        return drift.find_drift(plugin, row, self._answers.get(row.id))

    def _observation(
        self,
        row: resource.Resource,
        drift_result: drift.DriftResult,
        before: observation.Observation | None,
    ) -> observation.Observation:
        """Return the observation to store.

        A resource that cannot be read now keeps its earlier drift.
        """
        now = self._tree.read_at
        since = None if before is None else before.drifted_at
        differences = drift_result.differences
        drifted_at = None
        if drift_result.state is _State.DRIFTED:
            drifted_at = since or now
        elif drift_result.state is _State.UNKNOWN and before is not None:
            drifted_at, differences = since, before.differences
        answer = self._answers.get(row.id)
        return observation.Observation(
            root_id=self._tree.root.id,
            stack_id=row.stack_id,
            resource_id=row.id,
            state=drift_result.state,
            is_vanished=drift_result.is_vanished,
            live=(
                dict(answer)
                if isinstance(answer, collections.abc.Mapping)
                else None
            ),
            differences=differences,
            compared=drift_result.compared,
            given=drift_result.given,
            reason=drift_result.reason,
            observed_at=now,
            drifted_at=drifted_at,
        )


def readable_rows(tree: tree_loader.Tree) -> list[resource.Resource]:
    """Return the rows of a tree whose physical resources are to be read."""
    return [
        row
        for each in tree.stacks
        if not each.is_busy
        for row in each.rows
        if survey.is_reportable(row) and row.id not in tree.holders
    ]


def repairs_of(
    observed: collections.abc.Iterable[StackComparison],
    policy: observation.Values,
) -> dict[ids.ResourceId, tuple[str, ...] | None]:
    """Return the repairs that policies demand.

    A physical resource that exists and in which a check has found fault is
    left to users: an update would replace it.

    :returns: names of properties by resource; ``None`` for a physical resource
        that is to be created anew
    """
    policies = drift_policy.Policies(policy)
    found: dict[ids.ResourceId, tuple[str, ...] | None] = {}
    for each in observed:
        rows = {row.id: row for row in each.loaded.rows}
        for one in each.observations:
            if one.state is not _State.DRIFTED:
                continue
            row = rows[one.resource_id]
            path = tree_paths.below(each.loaded.path, row.name)
            if one.is_vanished:
                if policies.of_resource(path) is _Policy.REPAIR:
                    found[one.resource_id] = None
                continue
            if not survey.is_readable(row):
                continue
            due = tuple(
                difference.property
                for difference in one.differences
                if difference.policy is _Policy.REPAIR
            )
            if due:
                found[one.resource_id] = due
    return found


def _unknown(row: resource.Resource, reason: str) -> drift.DriftResult:
    return drift.DriftResult(
        state=_State.UNKNOWN,
        given=len(drift.list_given_properties(row)),
        reason=reason,
    )


def _state_known(
    row: resource.Resource, before: observation.Observation | None
) -> observation.State | None:
    """Return the state that was current until now, if there is one."""
    return (
        None
        if before is None
        else drift_state.current_observation(row, before).state
    )


def _accepted(
    row: resource.Resource, path: str, accepted: Differences
) -> drifts.Change:
    names = ", ".join(each.property for each in accepted)
    return drifts.Change(
        kind=drifts.Kind.ACCEPTED,
        row=row,
        path=path,
        differences=accepted,
        reason=f"Its drift was accepted as its policy says: {names}",
    )


def _kind(
    before: observation.Observation | None, after: observation.Observation
) -> drifts.Kind | None:
    """Return the kind of drift change to report; ``None`` for no change."""
    had_drifted = before is not None and before.drifted_at is not None
    if after.state in (_State.IN_SYNC, _State.NOTHING):
        return drifts.Kind.CLEARED if had_drifted else None
    if after.state is not _State.DRIFTED:
        return None
    if after.is_vanished:
        was_gone = before is not None and before.is_vanished
        return None if was_gone else drifts.Kind.VANISHED
    if not had_drifted:
        return drifts.Kind.DETECTED
    assert before is not None
    if _values(before) == _values(after) and not before.is_vanished:
        return None
    return drifts.Kind.CHANGED


def _values(observed: observation.Observation) -> list[tuple[object, ...]]:
    return [
        (each.property, each.expected, each.live)
        for each in observed.differences
    ]
