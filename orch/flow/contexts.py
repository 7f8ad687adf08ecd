"""What a plug-in may know of a resource, from the rows."""

from orch import ids
from orch.context import request
from orch.model import resource as model_resource
from orch.model import stack
from orch.plugin import resource


def context_of(
    subject: stack.Stack,
    row: model_resource.Resource,
    asked_by: request.RequestContext,
    heard: model_resource.Resource | None = None,
) -> resource.Context:
    """Return the context of one incarnation as its row stands now.

    :param asked_by: who asked for the operation, or for the reading
    :param heard: the resource that this one listens to
    """
    return resource.Context(
        request=asked_by,
        stack_id=subject.id,
        stack_name=subject.name,
        name=row.name,
        token=row.id,
        attempt=row.attempt,
        physical_name=f"{subject.name}-{row.name}-{ids.short(row.id)}",
        physical_id=row.physical_id,
        properties=row.acting_properties,
        metadata=row.metadata,
        data=row.data,
        attributes=row.attributes,
        started_at=row.started_at or row.created_at,
        stack_project=subject.project_id,
        signals=(heard or row).signals,
        has_heard=heard is not None,
    )
