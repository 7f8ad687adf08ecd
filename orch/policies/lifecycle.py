"""Who may see which lifecycle plug-ins there are, and what they hold."""

from orch.policies import base

RULES = (
    base.rule(
        "lifecycle:list",
        base.READER_ANYWHERE,
        "List the lifecycle plug-ins in their order.",
        "GET /lifecycle/plugins",
        is_of_system=True,
    ),
    base.rule(
        "lifecycle:override",
        base.ADMIN,
        "Override denials of soft-mandatory lifecycle plug-ins, by the"
        " header Lifecycle-Override of any request that changes a stack.",
        "POST /stacks",
        "PUT /stacks/{stack_name}/{stack_id}",
        "PATCH /stacks/{stack_name}/{stack_id}",
        "DELETE /stacks/{stack_name}/{stack_id}",
        "POST /stacks/{stack_name}/{stack_id}/actions",
    ),
    base.rule(
        "lifecycle:holds",
        base.READER,
        "List what lifecycle plug-ins hold in the project.",
        "GET /lifecycle/holds",
    ),
    base.rule(
        "lifecycle:all_holds",
        base.CLOUD_ADMIN,
        "List what lifecycle plug-ins hold in all projects.",
        "GET /lifecycle/holds?all_projects=true",
    ),
)
