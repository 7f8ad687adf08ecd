"""Store observations of resources, with history, events and notifications.

The observer, a running operation, and users who accept drift store here what
is known. The caller owns the transaction, and has locked the watch of the tree
or the stacks before.
"""

import collections.abc
import dataclasses
import functools
import typing

from orch import clock
from orch import ids
from orch.db import changes
from orch.db import engine as db_engine
from orch.db.repositories import drift_acceptances
from orch.db.repositories import drift_history
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.events import drifts
from orch.events import recorder
from orch.flow.state import submit
from orch.model import drift_history as history_model
from orch.model import observation
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.planner import drift
from orch.planner import drift_history as history
from orch.plugin import registry

_State = observation.State


class Redacts(typing.Protocol):
    """Redacts what was observed in one stack."""

    def differences(
        self,
        values: observation.Values,
        found: collections.abc.Iterable[observation.Difference],
        /,
    ) -> tuple[observation.Difference, ...]:
        """Return differences, by the marks of a resource's stored values."""

    def text(self, text: str, /) -> str:
        """Return a reason without what is sensitive in the stack."""


RedactionOf = collections.abc.Callable[[stack_model.Stack], Redacts]
RedactionIn = collections.abc.Callable[[db_engine.Connection], RedactionOf]
"""Returns what redacts drift of stacks in one transaction."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class StackObservations:
    """The observed resources of one stack.

    :ivar given_up: resources that are not repaired or accepted, reported once
    """

    stack: stack_model.Stack
    resources: tuple[drift.ObservedResource, ...]
    given_up: tuple[drifts.Change, ...] = ()

    @property
    def observations(self) -> list[observation.Observation]:
        """The observations to store."""
        return [each.after for each in self.resources]

    def give_up(
        self,
        reason: str,
        changed: collections.abc.Mapping[
            ids.ResourceId, collections.abc.Mapping[str, typing.Any]
        ],
        known: str,
    ) -> "StackObservations":
        """Return them with the reason why drift is not repaired or accepted.

        It is reported of resources that have had no such reason before.

        :param changed: other columns of their observations, by resource
        :param known: how such reasons begin
        """
        return dataclasses.replace(
            self,
            resources=tuple(
                dataclasses.replace(
                    one,
                    after=dataclasses.replace(
                        one.after, reason=reason, **changed[one.row.id]
                    ),
                )
                if one.row.id in changed
                else one
                for one in self.resources
            ),
            given_up=(
                *self.given_up,
                *(
                    drifts.Change(
                        kind=drifts.Kind.GIVEN_UP,
                        row=one.row,
                        path=one.path,
                        reason=reason,
                    )
                    for one in self.resources
                    if one.row.id in changed
                    and not (
                        one.before and one.before.reason.startswith(known)
                    )
                ),
            ),
        )

    @functools.cached_property
    def changes(self) -> list[drifts.Change]:
        """The drift to report, values not redacted.

        Where there is none, the resources of which something else is known.
        """
        found = [
            change for one in self.resources for change in _changes_of(one)
        ]
        return [*found, *self.given_up] or [
            drifts.Change(
                kind=drifts.Kind.OBSERVED, row=each.row, path=each.path
            )
            for each in self.resources
            if each.state_before != each.after.state
        ]

    @property
    def has_facts(self) -> bool:
        """Whether more is to be stored than the observations."""
        return bool(self.changes) or any(
            each.accepted for each in self.resources
        )

    @property
    def is_changed(self) -> bool:
        """Whether a resource is not as it was in the last observation."""
        return any(
            each.kind is not drifts.Kind.OBSERVED for each in self.changes
        )


class DriftRecords:
    """Stores what was observed, and builds the facts about it."""

    def __init__(
        self, redaction_in: RedactionIn, types: registry.Types, limit: int
    ) -> None:
        """Store nothing yet.

        :param redaction_in: returns what redacts drift in a transaction
        :param types: compare values for the history
        :param limit: entries of the history of one tree
        """
        self._redaction_in = redaction_in
        self._types = types
        self._limit = limit

    def save(
        self,
        connection: db_engine.Connection,
        root_id: ids.StackId,
        look: history_model.Look,
        members: collections.abc.Sequence[StackObservations],
        now: clock.Timestamp,
    ) -> None:
        """Store baselines, observations and history of stacks of one tree."""
        redaction_of = self._redaction_in(connection)
        for one in (one for each in members for one in each.resources):
            if one.accepted:
                drift_acceptances.accept(
                    connection, one.row, acceptance_of(one, now)
                )
        observations.save_many(
            connection,
            [
                one
                for each in members
                for one in _redact_reasons(redaction_of, each)
            ],
        )
        changes.note(
            connection, [each.stack.id for each in members if each.changes]
        )
        known = drift_history.list_open(connection, root_id)
        ended: dict[tuple[ids.ResourceId, str], history_model.End] = {}
        begun: list[history_model.Entry] = []
        for each in members:
            begun += _begun(redaction_of, root_id, look, each, known, now)
            _rebase(connection, redaction_of, each, known)
            for one in each.resources:
                found = history.find_ended(
                    one,
                    known.get(one.row.id, ()),
                    self._types.find(one.row.plugin_type),
                )
                for name, how in found.items():
                    ended[one.row.id, name] = how
        drift_history.end_many(connection, root_id, ended, now)
        if begun:
            drift_history.insert_many(connection, begun)
            drift_history.trim(connection, root_id, self._limit)

    def record(
        self,
        connection: db_engine.Connection,
        stack: stack_model.Stack,
        changes: collections.abc.Sequence[drifts.Change],
        now: clock.Timestamp,
    ) -> None:
        """Store the events and notifications of drift beside an operation.

        :param stack: locked, and idle
        """
        if not changes or stack.operation_id is None:
            return
        facts = self.build_facts(
            connection,
            stack,
            operations.get(connection, stack.operation_id),
            changes,
            submit.find_newest_event(connection, stack.id),
            now,
        )
        facts.store(connection)

    def build_facts(
        self,
        connection: db_engine.Connection,
        stack: stack_model.Stack,
        operation: operation_model.Operation,
        changes: collections.abc.Sequence[drifts.Change],
        newest: int,
        now: clock.Timestamp,
    ) -> recorder.Facts:
        """Return the events and notifications of drift.

        They have the stored drift of the stack.

        :param newest: number of the newest event of the stack
        """
        if any(each.differences for each in changes):
            redacts = self._redaction_in(connection)(stack)
            changes = [
                dataclasses.replace(
                    each,
                    differences=redacts.differences(
                        each.row.properties, each.differences
                    ),
                )
                for each in changes
            ]
        return drifts.build_facts(
            facts_about(connection, stack, operation, newest, now), changes
        )


def _redact_reasons(
    redaction_of: RedactionOf, member: StackObservations
) -> list[observation.Observation]:
    """Return what was observed, with redacted errors of plug-ins."""
    if not any(one.has_error for one in member.resources):
        return member.observations
    redacts = redaction_of(member.stack)
    return [
        dataclasses.replace(one.after, reason=redacts.text(one.after.reason))
        if one.has_error
        else one.after
        for one in member.resources
    ]


def _begun(
    redaction_of: RedactionOf,
    root_id: ids.StackId,
    look: history_model.Look,
    member: StackObservations,
    known: collections.abc.Mapping[ids.ResourceId, set[str]],
    now: clock.Timestamp,
) -> list[history_model.Entry]:
    """Return the new entries of one stack, with redacted values."""
    begun = [
        (one, found)
        for one in member.resources
        if (found := history.list_begun(one, known.get(one.row.id, ())))
    ]
    if not begun:
        return []
    redacts = redaction_of(member.stack)
    return [
        history_model.Entry(
            id=ids.new(),
            root_id=root_id,
            stack_id=one.row.stack_id,
            resource_id=one.row.id,
            path=one.path,
            property=each.property,
            expected=each.expected,
            live=each.live,
            found_by=look,
            found_at=now,
        )
        for one, found in begun
        for each in redacts.differences(one.row.properties, found)
    ]


def _rebase(
    connection: db_engine.Connection,
    redaction_of: RedactionOf,
    member: StackObservations,
    known: collections.abc.Mapping[ids.ResourceId, set[str]],
) -> None:
    """Set the expected values of drift that lasts on a new baseline."""
    rebased = [
        (one.row, found)
        for one in member.resources
        if (found := history.list_rebased(one, known.get(one.row.id, ())))
    ]
    if not rebased:
        return
    redacts = redaction_of(member.stack)
    drift_history.set_expected(
        connection,
        {
            row.id: redacts.differences(row.properties, found)
            for row, found in rebased
        },
    )


def facts_about(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
    newest: int,
    now: clock.Timestamp,
) -> drifts.NotifiedStack:
    """Return what facts about the drift of a stack say of the stack."""
    return drifts.NotifiedStack(
        stack=stack,
        operation=operation,
        newest=newest,
        drift=observations.summarize(connection, stack, is_of_tree=False),
        statuses=resources.count_by_status(connection, stack.id),
        now=now,
    )


def acceptance_of(
    one: drift.ObservedResource, now: clock.Timestamp
) -> observation.Acceptance:
    """Return the acceptance of the accepted drift of a resource."""
    return observation.Acceptance(
        id=ids.new(),
        root_id=one.after.root_id,
        stack_id=one.row.stack_id,
        resource_id=one.row.id,
        baseline_before=one.row.baseline,
        baseline_after=one.new_baseline,
        differences=one.all_differences,
        accepted_at=now,
        drifted_at=(one.before and one.before.drifted_at) or now,
    )


def _changes_of(
    one: drift.ObservedResource,
) -> collections.abc.Iterator[drifts.Change]:
    """Yield what has become of the drift of a resource."""
    kind = _kind(one.before, one.after)
    if one.accepted:
        names = ", ".join(each.property for each in one.accepted)
        yield drifts.Change(
            kind=drifts.Kind.ACCEPTED,
            row=one.row,
            path=one.path,
            differences=one.accepted,
            reason=f"Its drift was accepted as its policy says: {names}",
        )
        if kind is drifts.Kind.CLEARED:
            return
    if kind is not None:
        yield drifts.Change(
            kind=kind,
            row=one.row,
            path=one.path,
            differences=one.after.differences,
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
