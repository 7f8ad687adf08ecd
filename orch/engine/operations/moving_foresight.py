"""What the two stacks do once all has moved."""

import dataclasses

from orch.context import request
from orch.engine import dependencies
from orch.engine import planning
from orch.engine.operations import asked
from orch.engine.operations import inner_plans
from orch.engine.operations import moving_rows
from orch.engine.operations import moving_wishes
from orch.engine.operations import template_masks
from orch.model import operation
from orch.model import resource
from orch.model import states
from orch.planner import plan
from orch.rpc import contract


@dataclasses.dataclass(frozen=True, slots=True)
class _Foreseen:
    """The update of one of the stacks."""

    begun: operation.Operation
    loaded: planning.Loaded
    planned: plan.Plan


def check(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    wanted: moving_wishes.Move,
) -> None:
    """Return only if the updates touch nothing of what moves.

    :raises moving_rows.CannotMove: they would
    """
    _target(deps, ctxt, wanted)


def show(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    wanted: moving_wishes.Move,
) -> contract.MovePreview:
    """Return the updates as plans.

    :raises moving_rows.CannotMove: as :func:`check` does
    """
    left = moving_rows.left(wanted.source.rows, wanted.moving)
    shown = []
    for side, found in (
        (wanted.source, _foresee(deps, ctxt, wanted.source, left)),
        (wanted.target, _target(deps, ctxt, wanted)),
    ):
        masks = template_masks.of(deps, side.subject, side.bound)
        shown.append(
            inner_plans.shown(
                deps, ctxt, found.planned, found.loaded, found.begun, masks
            )
        )
    return contract.MovePreview(
        resources=dict(wanted.names), source=shown[0], target=shown[1]
    )


def _target(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    wanted: moving_wishes.Move,
) -> _Foreseen:
    """Return the update of the target.

    :raises moving_rows.CannotMove: it would touch what moves
    """
    rows = [*wanted.target.rows, *wanted.moved]
    found = _foresee(deps, ctxt, wanted.target, rows)
    names = {row.name for row in wanted.moved}
    for change in found.planned.changes:
        if change.name not in names or change.kind is plan.Kind.READ:
            continue
        is_inner = wanted.target.bound.holds_stack(change.name)
        if (
            change.kind is not plan.Kind.UPDATE
            or change.changed
            or not is_inner
        ):
            raise moving_rows.CannotMove(
                f"The target would {change.kind.value} {change.name}:"
                f" {change.reason}. What moves must be declared as it stands."
            )
    return found


def _foresee(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    side: moving_wishes.Side,
    rows: list[resource.Resource],
) -> _Foreseen:
    begun = asked.new(deps, ctxt, side.subject.id, states.Action.UPDATE, {})
    loaded = planning.Loaded(side.subject, rows, None, side.bound)
    types = deps.types_of(side.subject, side.bound, ctxt, rows)
    planned = planning.build(loaded, begun, types, shows_all=True)
    return _Foreseen(begun, loaded, planned)
