"""The order of changes: creations after requirements, removals before."""

import collections.abc

from orch import ids
from orch.model import resource
from orch.model import states
from orch.planner import draft
from orch.planner import plan
from orch.planner.steps import delete


def apply(situation: draft.Situation, work: draft.Draft) -> None:
    """Add the edges between the changes of resources that need each other.

    A resource is made or changed after everything it requires, and removed
    after everything that required it. Removals begin when all else is
    complete; only the remains of a failed incarnation are removed at once,
    before the next is made, unless others were made on them, since it was
    skipped; and what is left of one that has vanished, as the next may need
    its name or its addresses.
    """
    _make_after_required(situation, work)
    rows = {row.id: row for row in situation.existing}
    removed = {
        work.changes[key].resource_id: key
        for keys in work.deletes.values()
        for key in keys
    }
    in_the_way = {
        row_id: key
        for row_id, key in removed.items()
        if rows[row_id].name in work.creates
        and (
            delete.is_failed_remnant(rows[row_id])
            or work.changes[key].is_vanished
        )
    }
    leant_on = _leant_on(rows, work) if in_the_way else set()
    at_once = {
        key
        for row_id, key in in_the_way.items()
        if work.changes[key].is_vanished or row_id not in leant_on
    }
    for key in at_once:
        work.edges[work.creates[work.changes[key].name]].append(key)
    for row_id, key in removed.items():
        row = rows[row_id]
        edges = work.edges if row.is_complete else work.weak
        for each in _required(row, rows, work):
            removal = removed.get(each.id)
            if removal and (removal in at_once) == (key in at_once):
                edges.setdefault(removal, []).append(key)
    later = [key for key in removed.values() if key not in at_once]
    if later and work.creates:
        _clean_up_after_all(work, later)


def _make_after_required(
    situation: draft.Situation, work: draft.Draft
) -> None:
    for name, key in work.creates.items():
        declared = situation.desired.get(name)
        requires = declared.requires if declared is not None else ()
        work.edges[key].extend(
            work.creates[each] for each in requires if each in work.creates
        )


def _required(
    row: resource.Resource,
    rows: collections.abc.Mapping[ids.ResourceId, resource.Resource],
    work: draft.Draft,
) -> list[resource.Resource]:
    """Return the existing incarnations that one was created upon.

    Names alone would not do: while two incarnations exist of each name the
    old ones may depend on each other in one way and the new ones in the
    other. Where no incarnation is known it is the current one of the name.
    """
    if row.action is states.Action.INIT:
        return []
    found = [rows[each] for each in row.required_ids if each in rows]
    if row.replaced_by is None:
        known = {each.name for each in found}
        found += [
            work.current[name]
            for name in row.requires
            if name not in known and name in work.current
        ]
    return found


def _leant_on(
    rows: collections.abc.Mapping[ids.ResourceId, resource.Resource],
    work: draft.Draft,
) -> set[ids.ResourceId]:
    """Return the incarnations that an existing one was created upon.

    One whose creation is in progress, or is continued, counts: it will be
    completed.
    """
    return {
        required
        for row in rows.values()
        if row.is_in_place or _is_being_created(row, work)
        for required in row.required_ids
    }


def _is_being_created(row: resource.Resource, work: draft.Draft) -> bool:
    if not row.is_there or row.action is not states.Action.CREATE:
        return False
    key = plan.change_key(plan.Kind.CREATE, row.name, row.id)
    return row.status is states.Status.IN_PROGRESS or key in work.changes


def _clean_up_after_all(
    work: draft.Draft, later: collections.abc.Iterable[str]
) -> None:
    gate = plan.new_clean_up()
    work.changes[gate.key] = gate
    makers = [
        key
        for key, change in work.changes.items()
        if change.kind not in plan.REMOVING and key != gate.key
    ]
    work.edges[gate.key] = makers
    for key in later:
        work.edges[key].append(gate.key)
