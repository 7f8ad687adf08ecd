"""Declared resources that do not stand complete are made."""

from orch import ids
from orch.model import resource
from orch.model import states
from orch.planner import draft
from orch.planner import plan
from orch.planner.steps import delete
from orch.template import declaration as declarations


def apply(situation: draft.Situation, work: draft.Draft) -> None:
    """Add a creation for each declared resource that is not complete.

    A creation that was interrupted goes on with its row: the thing it may
    have left is looked for by token. One that failed and left something
    begins anew under a new row, after the remains are removed. A thing that
    is ours only to look at (``external_id``) is adopted, and never removed.
    """
    for name, declaration in situation.desired.items():
        row = work.current.get(name)
        if row is None:
            _create(situation, work, declaration, "is not there yet")
        elif _is_complete(row):
            work.unchanged.append(name)
        elif _has_remains(row) and declaration.external_id is None:
            _replace(situation, work, declaration, row)
        else:
            _go_on(work, declaration, row)


def _is_complete(row: resource.Resource) -> bool:
    return (
        row.status is states.Status.COMPLETE
        and row.action is not states.Action.INIT
    )


def _has_remains(row: resource.Resource) -> bool:
    return row.status is states.Status.FAILED and row.physical_id is not None


def _create(
    situation: draft.Situation,
    work: draft.Draft,
    declaration: declarations.Declaration,
    reason: str,
    replaces: ids.ResourceId | None = None,
) -> None:
    work.add(
        plan.Change(
            kind=_kind(declaration),
            name=declaration.name,
            type_name=declaration.declared_type,
            resource_id=ids.ResourceId(situation.new_id()),
            requires=(),
            reason=reason,
            replaces=replaces,
            external_id=declaration.external_id,
        )
    )


def _kind(declaration: declarations.Declaration) -> plan.Kind:
    is_ours = declaration.external_id is None
    return plan.Kind.CREATE if is_ours else plan.Kind.ADOPT


def _go_on(
    work: draft.Draft,
    declaration: declarations.Declaration,
    row: resource.Resource,
) -> None:
    began = row.action is not states.Action.INIT
    work.add(
        plan.Change(
            kind=_kind(declaration),
            name=row.name,
            type_name=row.type_name,
            resource_id=row.id,
            requires=(),
            reason="was begun" if began else "is not there yet",
            is_repeated=began,
            is_outcome_unknown=row.is_outcome_unknown,
            external_id=declaration.external_id,
        )
    )


def _replace(
    situation: draft.Situation,
    work: draft.Draft,
    declaration: declarations.Declaration,
    row: resource.Resource,
) -> None:
    work.add(delete.removal(row, "failed"))
    _create(situation, work, declaration, "failed before", row.id)
