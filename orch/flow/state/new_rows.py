"""Make the rows of new resources, the only place where that is done.

No row is made of a type that the caller may not have: the rule of the type is
checked here, whichever request, signal or repair the operation comes from.
"""

from orch import clock
from orch import ids
from orch.model import operation as operation_model
from orch.model import resource
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


def mapped_type(declared: declaration.Declaration) -> str | None:
    """Return the type that serves a resource, where it is not as written."""
    is_mapped = declared.type_name != declared.declared_type
    return declared.type_name if is_mapped else None
