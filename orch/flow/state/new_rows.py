"""Make the rows of new resources, the only place where that is done.

No resource is made of a type that the caller may not have: the rule of the
type is checked here, whichever request, signal or repair the operation comes
from.
"""

from orch import clock
from orch import ids
from orch.model import leftover
from orch.model import operation as operation_model
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.template.resources import declaration


def new_row(
    row_id: ids.ResourceId,
    declared: declaration.Declaration,
    operation: operation_model.Operation,
    now: clock.Timestamp,
    check_type: declaration.CheckType,
) -> resource.Resource:
    """Return the row of a declared resource, of which nothing exists.

    :param operation: the operation that makes the resource
    :param check_type: checks the types for the caller of the operation
    :raises orch.errors.Forbidden: a type is refused
    """
    declared.check_types(check_type)
    return resource.Resource(
        id=row_id,
        stack_id=operation.stack_id,
        name=declared.name,
        type_name=declared.declared_type,
        mapped_type=mapped_type(declared),
        requires=declared.requires,
        deletion_policy=declared.deletion_policy,
        created_at=now,
        updated_at=now,
        operation_id=operation.id,
    )


def row_to_sweep(
    left: leftover.Leftover, sweeping: stack.Stack
) -> resource.Resource:
    """Return the row of a leftover in the stack whose deletion removes it.

    It has the id that it had. Its type is not checked: a caller who may
    delete a stack may delete resources of any type.
    """
    return resource.Resource(
        id=left.id,
        stack_id=sweeping.id,
        name=left.name,
        type_name=left.type_name,
        mapped_type=left.mapped_type,
        action=states.Action.CREATE,
        status=states.Status.FAILED,
        status_reason=left.reason,
        physical_id=left.physical_id,
        attempt=left.attempt,
        is_outcome_unknown=left.is_outcome_unknown,
        properties=left.properties,
        attributes=left.attributes,
        data=left.data,
        metadata=left.metadata,
        created_at=left.created_at,
        updated_at=sweeping.created_at,
    )


def mapped_type(declared: declaration.Declaration) -> str | None:
    """Return the type that serves a resource, where it is not as written."""
    is_mapped = declared.type_name != declared.declared_type
    return declared.type_name if is_mapped else None
