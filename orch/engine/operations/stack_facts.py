"""What travels of a stack."""

from orch.model import stack
from orch.rpc import contract


def summary(subject: stack.Stack) -> contract.StackFacts:
    """Return what lists show; a description is not among it."""
    return contract.StackFacts(
        id=subject.id,
        name=subject.name,
        project_id=subject.project_id,
        action=subject.action.value,
        status=subject.status.value,
        status_reason=subject.status_reason,
        created_at=subject.created_at,
        updated_at=subject.updated_at,
        deleted_at=subject.deleted_at,
        disable_rollback=subject.disable_rollback,
        timeout_mins=subject.timeout_s // 60 or None,
        username=subject.username,
        user_id=subject.user_id,
        parent_id=subject.parent_id,
        root_id=subject.root_id,
        tags=list(subject.tags),
    )


def full(subject: stack.Stack) -> contract.StackFacts:
    """Return all that the row of a stack says."""
    facts = summary(subject)
    facts["revision"] = subject.revision
    facts["description"] = subject.description
    facts["template_description"] = subject.description
    return facts
