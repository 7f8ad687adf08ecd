"""Plan the updates that follow a move."""

import collections.abc

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import operation_factory
from orch.engine.execution import planning
from orch.engine.moves import model
from orch.engine.moves import rows as move_rows
from orch.engine.plan_tree import nested
from orch.engine.queries import lookup
from orch.engine.secrets import tree_secrets
from orch.model import stack
from orch.model import states
from orch.planner import plan
from orch.rpc import contract


def plan_update(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    side: model.Side,
    rows: nested.Rows,
) -> nested.PlannedStack:
    """Return the planned update of a root stack, with those of its children.

    :param rows: the rows of the two stacks after the move
    """
    stack, parsed_template = side.stack, side.parsed_template
    begun = operation_factory.new_operation(
        deps, ctxt, stack.id, states.Action.UPDATE, {}, has_credential=False
    )
    own = list(rows.get(stack.id, side.rows))
    loaded = planning.Loaded(stack, own, None, parsed_template)
    redacts = tree_secrets.find_redaction(deps, stack, parsed_template)
    return nested.plan_tree(deps, ctxt, loaded, begun, redacts, rows=rows)


def plan_children(
    top: nested.PlannedStack, way: collections.abc.Sequence[stack.Stack]
) -> collections.abc.Iterator[tuple[model.Side, nested.PlannedStack]]:
    """Yield the child stacks on a path: the new declaration and its plan.

    :param top: the plan of the root stack
    :param way: from the root stack to the child; the root is not yielded
    :raises orch.engine.moves.rows.CannotMove: the plan is not known before the
        run
    """
    for each in way[1:]:
        below = _below(top, each)
        yield below
        top = below[1]


def _below(
    top: nested.PlannedStack, wanted: stack.Stack
) -> tuple[model.Side, nested.PlannedStack]:
    name = wanted.parent_resource
    for change in top.planned.changes:
        if str(change.resource_id) != wanted.id:
            continue
        if change.kind is not plan.Kind.UPDATE or change.replacement_id:
            raise move_rows.CannotMove(
                f"Stack {wanted.name} would not stay: {change.kind.value}"
                f" {name}, {change.reason}. Give templates that leave {name}"
                " in its place."
            )
        given = top.children.find_inputs(change)
        planned = top.children.find(change)
        parsed_template = planned.loaded.parsed_template if planned else None
        if given is None or planned is None or parsed_template is None:
            break
        side = model.Side(
            wanted, given, parsed_template, tuple(planned.loaded.rows)
        )
        return side, planned
    raise move_rows.CannotMove(
        f"What stack {wanted.name} gets depends on values that come only with"
        f" an update, or that it cannot have: let {name} get values that are"
        " known already."
    )


def check_plans(wanted: model.Move) -> None:
    """Raise CannotMove if an update would change a resource that moves.

    :raises orch.engine.moves.rows.CannotMove: an update would change one
    """
    _check_untouched(
        wanted.plans[wanted.target.stack.id],
        {row.name for row in wanted.moved},
    )


def _check_untouched(
    top: nested.PlannedStack,
    names: collections.abc.Collection[str] | None = None,
) -> None:
    """Raise CannotMove if a plan changes resources, at any depth.

    A child stack may have to take over inputs of its parent: then it has an
    update that changes no resource.

    :param names: the resources to check; ``None`` for all
    :raises orch.engine.moves.rows.CannotMove: it changes one
    """
    parsed_template = top.loaded.parsed_template
    for change in top.planned.changes:
        if names is not None and change.name not in names:
            continue
        if change.kind in (plan.Kind.READ, plan.Kind.CLEAN_UP):
            continue
        if (
            change.kind is plan.Kind.UPDATE
            and not change.changed
            and parsed_template is not None
            and parsed_template.is_nested_stack(change.name)
        ):
            below = top.children.find(change)
            if below is not None:
                _check_untouched(below)
            continue
        raise move_rows.CannotMove(
            f"The target would {change.kind.value} {change.name}:"
            f" {change.reason}. What moves must be declared as it is."
        )


def plans_by_stack(wanted: model.Move) -> contract.MovePreview:
    """Return the updates as plans, by stack."""
    plans = {key: each.shown() for key, each in wanted.plans.items()}
    return contract.MovePreview(
        resources=dict(wanted.names),
        source=plans[wanted.source.stack.id],
        target=plans[wanted.target.stack.id],
        updates=[
            contract.MoveUpdate(
                identity=lookup.identity_of(each.stack),
                plan=plans[each.stack.id],
            )
            for each in wanted.outermost.values()
        ],
    )
