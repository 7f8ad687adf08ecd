"""The changes that bring a declared resource to its desired state."""

import dataclasses

from orch import ids
from orch.model import breakpoints
from orch.model import resource
from orch.model import states
from orch.planner import compare
from orch.planner import draft
from orch.planner import plan
from orch.template.resources import declaration as declarations


@dataclasses.dataclass(frozen=True, slots=True)
class ChangeBuilder:
    """Adds creations, updates and adoptions to one plan."""

    situation: draft.Situation
    work: draft.Draft

    def create(
        self,
        declared: declarations.Declaration,
        reason: str,
        replaces: resource.Resource | None = None,
    ) -> None:
        """Plan a new incarnation."""
        self._make(
            plan.Change(
                kind=_kind(declared),
                name=declared.name,
                type_name=declared.declared_type,
                resource_id=self._new_id(),
                requires=(),
                reason=reason,
                replaces=replaces.id if replaces else None,
                external_id=declared.external_id,
            )
        )

    def adopt(
        self,
        declared: declarations.Declaration,
        row: resource.Resource | None,
    ) -> None:
        """Plan that an existing physical resource becomes the stack's own.

        :param row: of a resource whose adoption was accepted, or begun
        """
        if row is not None and row.is_unfinished and row.physical_id is None:
            self._find(row)
            return
        began = row is not None and row.action is not states.Action.INIT
        self._make(
            plan.Change(
                kind=plan.Kind.ADOPT,
                name=declared.name,
                type_name=declared.declared_type,
                resource_id=row.id if row else self._new_id(),
                requires=(),
                reason="was begun" if began else "exists already",
                is_repeated=began,
                external_id=row.physical_id if row else None,
                takes_over=True,
                is_unfinished=row is not None and row.is_unfinished,
            )
        )

    def _find(self, row: resource.Resource) -> None:
        """Plan to find what a creation elsewhere may have made."""
        self._make(
            plan.Change(
                kind=plan.Kind.CREATE,
                name=row.name,
                type_name=row.type_name,
                resource_id=row.id,
                requires=(),
                reason="has an unknown outcome",
                is_repeated=True,
                is_outcome_unknown=row.is_outcome_unknown,
                only_finds=self.situation.needs_ids,
            )
        )

    def go_on(
        self,
        declared: declarations.Declaration,
        row: resource.Resource,
        *,
        preserves_properties: bool = False,
        replaces_failed: bool = False,
        replaces: ids.ResourceId | None = None,
    ) -> None:
        """Plan the creation of an incarnation that has a row already.

        :param replaces_failed: it is replaced where it has failed
        :param replaces: the incarnation that it replaced, if that exists
        """
        began = row.action is not states.Action.INIT
        self._make(
            plan.Change(
                kind=_kind(declared),
                name=row.name,
                type_name=row.type_name,
                resource_id=row.id,
                requires=(),
                reason=_reason_to_continue(row, replaces_failed),
                is_repeated=began,
                is_outcome_unknown=row.is_outcome_unknown,
                external_id=declared.external_id,
                preserves_properties=preserves_properties,
                replaces_failed=replaces_failed,
                is_certain=not replaces_failed,
                replaces=replaces,
            )
        )

    def leave_unchanged(
        self, declared: declarations.Declaration, row: resource.Resource
    ) -> None:
        """Plan no change: the resource has its desired state.

        Attributes that were not read until now are read first.
        """
        self.work.chosen.add(row.id)
        if self._has_unread(row):
            self._add(plan.Kind.READ, row, "has attributes not read yet")
        elif not self.settle(declared, row) and not self._hold(row):
            self.work.unchanged.append(row.name)

    def settle(
        self, declared: declarations.Declaration, row: resource.Resource
    ) -> bool:
        """Plan that a row takes on its current declaration.

        In its turn: only then do its requirements have their desired state.

        :returns: whether it has to
        """
        is_ours = declared.external_id is None
        is_same = row.type_name == declared.declared_type
        if (
            is_same
            and row.requires == declared.requires
            and (
                not is_ours or row.deletion_policy == declared.deletion_policy
            )
        ):
            return False
        self._add(plan.Kind.READ, row, "is declared otherwise now")
        return True

    def _hold(self, row: resource.Resource) -> bool:
        """Plan that the resource, or a dependent, waits at its breakpoint."""
        operation_id = self.situation.operation_id
        if operation_id is None:
            return False
        is_ahead = row.name in self.situation.held and not _is_passed(
            row, operation_id
        )
        if not is_ahead and not breakpoints.find_waiting(
            row, operation_id, "post"
        ):
            return False
        self._add(plan.Kind.READ, row, "is held at a breakpoint")
        return True

    def update(
        self,
        row: resource.Resource,
        found: compare.Comparison,
        restricted: tuple[str, ...] = (),
    ) -> None:
        """Plan that a resource is changed in place.

        :param restricted: what must not be done to it, so that it is refused
        """
        is_certain = found.verdict is not compare.Verdict.UNSURE
        self._add(
            plan.Kind.UPDATE,
            row,
            _reason(row, found),
            is_repeated=row.action is states.Action.UPDATE
            and row.status is not states.Status.COMPLETE,
            changed=found.changed,
            is_certain=is_certain,
            restricted=restricted,
            replacement_id=None if is_certain else self._new_id(),
            notes_only=found.is_stale and row.is_complete,
        )
        self.work.chosen.add(row.id)
        self.work.changing.add(row.name)
        if not is_certain or _reference_may_change(self.situation, row):
            self.work.moving.add(row.name)

    def take_back(
        self, older: resource.Resource, row: resource.Resource | None
    ) -> None:
        """Plan that an older incarnation is current again."""
        taken_by = row.id if row is not None else older.replaced_by
        assert taken_by is not None
        self.work.returns.append(plan.Return(older.name, older.id, taken_by))
        self.work.current[older.name] = older

    def _add(
        self,
        kind: plan.Kind,
        row: resource.Resource,
        reason: str,
        *,
        is_repeated: bool = False,
        changed: tuple[str, ...] = (),
        is_certain: bool = True,
        restricted: tuple[str, ...] = (),
        replacement_id: ids.ResourceId | None = None,
        notes_only: bool = False,
    ) -> None:
        self.work.add(
            plan.Change(
                kind=kind,
                name=row.name,
                type_name=row.type_name,
                resource_id=row.id,
                requires=(),
                reason=reason,
                is_repeated=is_repeated,
                changed=changed,
                is_certain=is_certain,
                restricted=restricted,
                replacement_id=replacement_id,
                notes_only=notes_only,
            )
        )

    def _has_unread(self, row: resource.Resource) -> bool:
        known = self.situation.known
        return known is not None and any(
            name not in row.attributes
            for name in known.attributes_read(row.name)
        )

    def _make(self, change: plan.Change) -> None:
        """Add a change that brings a resource about, and may move it."""
        self.work.add(change)
        self.work.chosen.add(change.resource_id)
        self.work.moving.add(change.name)
        self.work.changing.add(change.name)

    def _new_id(self) -> ids.ResourceId:
        return ids.ResourceId(self.situation.new_id())


def _is_passed(row: resource.Resource, operation_id: ids.OperationId) -> bool:
    """Whether an update has passed the breakpoint before it."""
    if row.operation_id == operation_id:
        return True
    known = breakpoints.states_of(row, operation_id)
    return known.get(breakpoints.BEFORE_UPDATE) == breakpoints.CLEARED


def _kind(declared: declarations.Declaration) -> plan.Kind:
    is_ours = declared.external_id is None
    return plan.Kind.CREATE if is_ours else plan.Kind.ADOPT


def _reason_to_continue(row: resource.Resource, replaces_failed: bool) -> str:
    if row.action is states.Action.INIT:
        return "is not there yet"
    if row.is_answerable:
        if row.is_answered:
            return f"was said to be {row.physical_id}, which is checked"
        return (
            "its outcome is unknown: it is looked for first, and made if it"
            " is not there"
        )
    if not replaces_failed:
        return "was begun"
    how = _describe_failure(row)
    return f"{how}: stays if it is usable by now, else is replaced"


def _describe_failure(row: resource.Resource) -> str:
    """Return which failure of a creation it is that is continued."""
    if row.status is not states.Status.FAILED:
        return "was begun"
    kind, colon, _ = row.status_reason.partition(":")
    named = f" ({kind})" if colon and kind.isidentifier() else ""
    return f"its creation failed{named}"


def _reason(row: resource.Resource, found: compare.Comparison) -> str:
    if row.action is states.Action.CHECK and not row.is_complete:
        return "its failed check is not confirmed"
    if row.status is not states.Status.COMPLETE:
        return f"{row.action.lower()} did not complete"
    if found.changed:
        return _describe_differences(found)
    if found.reason:
        return found.reason
    if found.unsure:
        return f"{', '.join(found.unsure)} may change"
    if found.verdict is compare.Verdict.UNSURE:
        return "may change"
    return "metadata changed"


def _describe_differences(found: compare.Comparison) -> str:
    """Return which properties differ, and what of it is drift."""
    changed = [name for name in found.changed if name not in found.drifted]
    parts = [f"{', '.join(changed)} changed"] if changed else []
    if found.drifted:
        parts.append(f"{', '.join(found.drifted)} drifted")
    return "; ".join(parts)


def _reference_may_change(
    situation: draft.Situation, row: resource.Resource
) -> bool:
    """Whether the type names its resources by their properties."""
    assert situation.known is not None
    return situation.known.plugin(row.plugin_type).names_by_properties
