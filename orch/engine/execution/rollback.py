"""Build the operation that rolls back another one."""

from orch import clock
from orch import ids
from orch.flow.state import restoration
from orch.model import adoption
from orch.model import converge
from orch.model import operation as operation_model
from orch.model import repair
from orch.model import stack
from orch.model import states

_NOTHING = ""
"""Instead of the hash of what was last complete: there were no resources
before the creation that was undone, and nothing has been complete since."""


def rollback_of(
    stack: stack.Stack,
    failed: operation_model.Operation,
    now: clock.Timestamp,
) -> operation_model.Operation:
    """Return the operation that rolls back another one.

    After a creation nothing is left. After an update the stack is again what
    it was when it was last complete, and that is nothing if its creation was
    rolled back; if it never was complete, what the request before declared.
    Adopted physical resources are released and left in place; with an adoption
    the stack itself is removed.

    The rollback of an operation that converged converges too: it never returns
    to a physical resource that had vanished before. Where the operation was to
    repair some resources only, so is its rollback.
    """
    template_hash, environment_hash = None, None
    options: dict[str, object] = {
        adoption.RELEASES: failed.id,
        **adoption.verification_of(failed.options),
    }
    if failed.action is states.Action.ADOPT:
        options[adoption.ENDS] = True
    elif failed.action is not states.Action.CREATE:
        template_hash = stack.good_template_hash
        environment_hash = stack.good_environment_hash
        if template_hash is None:
            template_hash, environment_hash = previous_inputs(failed)
        elif template_hash == _NOTHING:
            template_hash, environment_hash = None, None
        if template_hash is not None and converge.is_convergence_requested(
            failed
        ):
            options[converge.OPTION] = True
            options |= repair.Repair.saved(failed.options)
    return operation_model.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=failed.stack_id,
        project_id=failed.project_id,
        depth=failed.depth,
        action=states.Action.ROLLBACK,
        state=states.OperationState.WAITING,
        options=options,
        template_hash=template_hash,
        environment_hash=environment_hash,
        context=failed.context,
        created_at=now,
    )


def rollback_columns(rollback: operation_model.Operation) -> dict[str, object]:
    """Return the columns of the stack that a rollback changes at once.

    A rollback to nothing does not change the template that is shown.
    """
    if rollback.template_hash is None:
        return {
            "good_template_hash": _NOTHING,
            "good_environment_hash": _NOTHING,
        }
    return {
        "template_hash": rollback.template_hash,
        "environment_hash": rollback.environment_hash,
        "updated_at": rollback.created_at,
    }


def previous_inputs(
    operation: operation_model.Operation,
) -> tuple[str | None, str | None]:
    """Return the content hashes of the inputs before an operation."""
    before = operation.options.get(restoration.BEFORE)
    if not isinstance(before, dict):
        return None, None
    return before["template_hash"], before["environment_hash"]
