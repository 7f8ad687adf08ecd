"""Create or change declared resources that differ from desired state."""

import contextlib
import dataclasses

from orch import errors
from orch import ids
from orch.graph import graph
from orch.model import adoption
from orch.model import marked
from orch.model import resource
from orch.model import states
from orch.planner import compare
from orch.planner import draft
from orch.planner import plan
from orch.planner import sorting
from orch.planner.steps import changes
from orch.planner.steps import delete
from orch.planner.steps import planned_world
from orch.template.resources import declaration as declarations

_UNSURE = compare.Comparison(compare.Verdict.UNSURE)
_RENAMED = compare.Comparison(
    compare.Verdict.REFUSE, changed=(plan.EXTERNAL_ID,)
)
_REPLACED = compare.Comparison(
    compare.Verdict.REPLACE, reason="is new with each update"
)
_ON_REQUEST = compare.Comparison(
    compare.Verdict.REPLACE, reason="is replaced on request"
)
_VANISHED = compare.VANISHED
_BEFORE_ADOPTION = frozenset({states.Action.INIT, states.Action.ADOPT})


def apply(situation: draft.Situation, work: draft.Draft) -> None:
    """Plan the change of each declared resource, in their order.

    A resource in its desired state stays. A creation that was interrupted
    continues with its row and the properties of its start: the physical
    resource that it may have left is found by token, and changed afterwards
    where its desired state differs by now. So does one that failed and left a
    physical resource, which may be good by now. Where it is not, or cannot be
    changed in place, it is repeated under a new row, after the remains are
    removed. What cannot be changed in place is replaced; when an incarnation
    that it replaced itself still exists and fits, that one is current again.
    An external resource (``external_id``) is adopted, and never changed or
    removed; no resource can become one, or refer to another.
    """
    settler = DeclaredChanges(situation, work)
    for name in _order(situation):
        if name not in situation.exclusions.skip:
            settler.settle(situation.desired[name])


class DeclaredChanges:
    """Decides the changes of declared resources, each after its needs."""

    def __init__(self, situation: draft.Situation, work: draft.Draft) -> None:
        self._situation = situation
        self._work = work
        self._make = changes.ChangeBuilder(situation, work)
        self._world = (
            planned_world.PlannedWorld(situation.known, work)
            if situation.known
            else None
        )
        self._older: dict[str, list[resource.Resource]] = {}
        for row in situation.existing:
            if row.replaced_by is not None and row.is_in_place:
                self._older.setdefault(row.name, []).append(row)

    def settle(self, declared: declarations.Declaration) -> None:
        """Plan the change of one declared resource."""
        row = self._work.current.get(declared.name)
        if self._is_to_be_left(declared, row):
            self._work.chosen.update(
                each.id
                for each in self._situation.existing
                if each.name == declared.name
            )
            return
        if row is not None and _is_to_be_another(declared, row):
            self._make.update(row, _RENAMED, (plan.EXTERNAL_ID,))
            return
        if declared.external_id is not None:
            self._settle_external(declared, row)
            return
        if self._is_to_adopt(declared, row):
            self._make.adopt(declared, row)
            self._show_new(declared)
            return
        found = None
        if row is not None and row.id in self._situation.exclusions.replaced:
            found = _ON_REQUEST
        elif row is not None and self._goes_on_inside(declared, row):
            self._make.go_on(declared, row)
            return
        elif row is not None and (
            _is_usable(declared, row) or self._is_stack(declared, row)
        ):
            if row.may_be_good and self._return(declared, row):
                return
            found = self._compare(declared, row)
            if not _is_to_be_replaced(row, found):
                self._stay(declared, row, found)
                return
        if row is not None and _must_stay(declared, row, found):
            self._make.update(row, found or _REPLACED, ("replace",))
            return
        if not self._return(declared, row):
            self._make_anew(declared, row, found)

    def _settle_external(
        self,
        declared: declarations.Declaration,
        row: resource.Resource | None,
    ) -> None:
        """Adopt an external resource, unless the stack has it already."""
        if row is None:
            self._make.create(declared, "is not there yet")
        elif row.external_id != declared.external_id:
            self._make.create(
                declared, "has another physical resource now", row
            )
        elif row.is_complete:
            self._make.leave_unchanged(declared, row)
        else:
            self._make.go_on(declared, row)

    def _is_to_adopt(
        self,
        declared: declarations.Declaration,
        row: resource.Resource | None,
    ) -> bool:
        """Whether a physical resource is to become the stack's own.

        An adoption that was accepted once goes on in whatever comes later,
        as long as the type stays.
        """
        is_requested = (
            self._situation.needs_ids
            or declared.name in self._situation.adopts
        )
        if row is None:
            return is_requested
        if row.is_in_place or not _is_of_type(declared, row):
            return False
        if row.is_unfinished:
            is_adoption = self._situation.action is states.Action.ADOPT
            return is_adoption or row.is_unadopted
        if row.action not in _BEFORE_ADOPTION or _is_adopted(row):
            return False
        return row.is_unadopted or is_requested

    def _stay(
        self,
        declared: declarations.Declaration,
        row: resource.Resource,
        found: compare.Comparison,
    ) -> None:
        """Continue an incarnation, and change it where it has to be."""
        is_same = found.verdict is compare.Verdict.SAME
        if not row.is_in_place and self._only_waits(row):
            self._make.go_on(declared, row)
        elif not row.is_in_place and not self._is_stack(declared, row):
            self._make.go_on(
                declared,
                row,
                preserves_properties=True,
                replaces_failed=not is_same or _has_failed_before(row),
            )
            if not is_same:
                self._make.update(row, found)
            else:
                self._make.settle(declared, row)
        elif is_same and row.is_complete:
            self._make.leave_unchanged(declared, row)
        else:
            self._make.update(row, found, _restricted(declared, found))

    def _is_to_be_left(
        self,
        declared: declarations.Declaration,
        row: resource.Resource | None,
    ) -> bool:
        """Whether a repair of other resources is to leave it as it is."""
        survey = self._situation.survey
        if survey is None or survey.narrowed_to is None:
            return False
        if row is None:
            return not any(
                each.name == declared.name and each.id in survey.narrowed_to
                for each in self._situation.existing
            )
        return survey.is_exempt(row)

    def _goes_on_inside(
        self, declared: declarations.Declaration, row: resource.Resource
    ) -> bool:
        """Whether an unfinished child stack becomes the desired one."""
        return (
            row.action is states.Action.CREATE
            and not row.is_complete
            and self._is_stack(declared, row)
        )

    def _is_stack(
        self, declared: declarations.Declaration, row: resource.Resource
    ) -> bool:
        """Whether the current incarnation is a child stack, in any state.

        Its failed resources are repaired in it: it is never replaced for
        that.
        """
        known = self._situation.known
        if known is None or row.physical_id is None or row.is_gone:
            return False
        if row.action is states.Action.DELETE or not _is_of_type(
            declared, row
        ):
            return False
        plugin = known.plugin(row.plugin_type)
        return plugin.is_nested_stack or plugin.resumes_creation

    def _return(
        self,
        declared: declarations.Declaration,
        row: resource.Resource | None,
    ) -> bool:
        """Make a replaced incarnation current again, if one fits."""
        for older in reversed(self._older.get(declared.name, ())):
            if not _is_of_type(declared, older) or _is_adopted(older):
                continue
            before = self._work.current.get(declared.name)
            self._work.current[declared.name] = older
            found = self._compare(declared, older)
            if found.verdict in (compare.Verdict.SAME, compare.Verdict.MODIFY):
                self._make.take_back(older, row)
                self._stay(declared, older, found)
                return True
            if before is None:
                del self._work.current[declared.name]
            else:
                self._work.current[declared.name] = before
        return False

    def _make_anew(
        self,
        declared: declarations.Declaration,
        row: resource.Resource | None,
        found: compare.Comparison | None,
    ) -> None:
        if row is None:
            self._make.create(declared, self._why_missing(declared.name))
        elif not _is_of_type(declared, row):
            self._make.create(declared, "is of another type now", row)
        elif found is not None and found.is_vanished:
            self._clear(row, found.reason)
            self._make.create(declared, found.reason, row)
        elif found is not None:
            names = ", ".join(found.replacing or found.changed)
            why = found.reason or f"{names} cannot be changed in place"
            if delete.is_failed_remnant(row):
                self._clear(row, why)
            self._make.create(declared, why, row)
        elif row.is_there:
            if delete.is_failed_remnant(row):
                self._clear(row, "failed")
            self._make.create(declared, "failed before", row)
        elif row.action is states.Action.DELETE:
            self._make.create(declared, "was removed before", row)
        else:
            self._make.go_on(declared, row, replaces=self._replaced_by(row))
        self._show_new(declared)

    def _why_missing(self, name: str) -> str:
        """Return why nothing stands for a name."""
        released = [
            row.status_reason
            for row in self._situation.existing
            if row.name == name
            and row.is_gone
            and row.status_reason.startswith(adoption.TAKEN_OVER)
        ]
        if not released:
            return "is not there yet"
        reason = released[-1]
        return f"was {reason[0].lower()}{reason[1:]}"

    def _clear(self, row: resource.Resource, reason: str) -> None:
        """Remove the remains of an incarnation before the next is created."""
        self._work.add(delete.new_removal(self._situation, row, reason))
        self._work.chosen.add(row.id)

    def _replaced_by(self, row: resource.Resource) -> ids.ResourceId | None:
        """Return the incarnation that this one replaced, if that exists."""
        for older in self._older.get(row.name, ()):
            if older.replaced_by == row.id:
                return older.id
        return None

    def _compare(
        self, declared: declarations.Declaration, row: resource.Resource
    ) -> compare.Comparison:
        """Compare the desired state with the existing one.

        A value that cannot be computed now is left to the run, which reports
        it.
        """
        known = self._situation.known
        if known is None or self._world is None:
            return compare.Comparison(compare.Verdict.SAME)
        plugin = known.plugin(row.plugin_type)
        if plugin.is_new_each_update and self._is_earlier(row):
            return _REPLACED
        self._note_unread(row)
        try:
            after = known.properties(declared.name, self._world)
            metadata = known.metadata(declared.name, self._world)
        except errors.OrchError:
            return _VANISHED if self._situation.is_vanished(row) else _UNSURE
        if _is_begun(row):
            # It goes on by what the template says now of how to look.
            row = dataclasses.replace(
                row,
                properties=plugin.lookup_properties(row.properties, after),
            )
        survey = self._situation.survey
        found = compare.compare_resource(plugin, row, after, metadata, survey)
        if found.verdict is not compare.Verdict.SAME and not found.is_vanished:
            self._work.differences[declared.name] = plan.Difference(
                row.properties if found.before is None else found.before,
                marked.merge(after, found.put_back),
                found.changed + found.unsure,
                found.replacing,
            )
        return found

    def _note_unread(self, row: resource.Resource) -> None:
        """Note that a row is used because the live state was not read."""
        survey = self._situation.survey
        reason = None if survey is None else survey.find_error(row)
        if reason is not None:
            self._work.unread.append(plan.Unread(row.name, row.id, reason))

    def _only_waits(self, row: resource.Resource) -> bool:
        """Whether its creation made nothing with its properties.

        A resource that waits for signals of another one may at any moment
        wait for others.
        """
        known = self._situation.known
        if known is None:
            return False
        return known.plugin(row.plugin_type).listens_to is not None

    def _is_earlier(self, row: resource.Resource) -> bool:
        """Whether an update finds what an earlier operation created."""
        return (
            self._situation.action is states.Action.UPDATE
            and row.operation_id != self._situation.operation_id
        )

    def _show_new(self, declared: declarations.Declaration) -> None:
        known = self._situation.known
        if not self._situation.shows_all or known is None:
            return
        if declared.name in self._work.differences or self._world is None:
            return
        # A value that cannot be computed fails in the run, which reports it.
        with contextlib.suppress(errors.OrchError):
            after = known.properties(declared.name, self._world)
            self._work.differences[declared.name] = plan.Difference(
                None, after
            )


def _is_to_be_another(
    declared: declarations.Declaration, row: resource.Resource
) -> bool:
    """Whether a complete resource is to refer to another id.

    Source: Heat, which refuses that.
    """
    return (
        row.is_complete
        and _is_of_type(declared, row)
        and row.external_id != declared.external_id
    )


def _must_stay(
    declared: declarations.Declaration,
    row: resource.Resource,
    found: compare.Comparison | None,
) -> bool:
    """Whether a resource would be replaced, and must not be."""
    if "replace" not in declared.restricted_actions or not row.is_in_place:
        return False
    return found is not None or not _is_of_type(declared, row)


def _restricted(
    declared: declarations.Declaration, found: compare.Comparison
) -> tuple[str, ...]:
    """Return the restricted actions that apply to a change."""
    if found.verdict is compare.Verdict.UNSURE:
        return declared.restricted_actions
    return tuple(
        action for action in declared.restricted_actions if action == "update"
    )


def _is_usable(
    declared: declarations.Declaration, row: resource.Resource
) -> bool:
    """Whether the incarnation may stay, if its values are right.

    One whose creation failed may be good by now: the run finds out.
    """
    if not _is_of_type(declared, row) or _is_adopted(row):
        return False
    return row.is_in_place or _is_begun(row) or row.may_be_good


def _is_to_be_replaced(
    row: resource.Resource, found: compare.Comparison
) -> bool:
    """Whether a resource cannot stay with its desired state.

    Of one that was never complete that may be refused nothing either.
    """
    if found.verdict is compare.Verdict.REFUSE:
        return row.may_be_good
    return found.verdict is compare.Verdict.REPLACE


def _has_failed_before(row: resource.Resource) -> bool:
    """Whether it is what an earlier attempt left of a creation."""
    return row.may_be_good or (row.physical_id is not None and row.attempt > 1)


def _is_begun(row: resource.Resource) -> bool:
    """Whether its creation may still succeed."""
    if row.action is not states.Action.CREATE:
        return False
    if row.status is states.Status.IN_PROGRESS:
        return True
    return row.is_outcome_unknown


def _is_of_type(
    declared: declarations.Declaration, row: resource.Resource
) -> bool:
    return row.plugin_type == declared.type_name


def _is_adopted(row: resource.Resource) -> bool:
    """Whether it is an external resource, which is never ours to make."""
    return row.external_id is not None


def _order(situation: draft.Situation) -> list[str]:
    """Return the declared names, each after what it requires."""
    names = graph.Graph[str]()
    for name, declared in situation.desired.items():
        names.add(name)
        for each in declared.requires:
            if each in situation.desired:
                names.connect(name, each)
    return sorting.sort_nodes(names)
