"""What notifications of a stack say: Heat's keys, and ours beside."""

import collections.abc
import typing

from orch import clock
from orch import ids
from orch.model import lifecycle
from orch.model import operation
from orch.model import resource
from orch.model import signal
from orch.model import stack
from orch.model import states

Statuses: typing.TypeAlias = collections.abc.Mapping[str, int]
"""How many resources have come to an action and status."""

INPUTS: typing.Final = "environment_hash"
"""Key of what a payload has in the outbox only: by it the parameters are
found that hold at this moment. It is a hash of secrets as well."""

MEMBER: typing.Final = "resource_name"
"""Key that only payloads of a single resource have."""

COMPLETED: typing.Final = "is_completed"
"""Key of what was set aside as consumers would have got it: nothing is added
to it when it leaves after all. No consumer sees it."""

ENDINGS: typing.Final = {
    states.Status.IN_PROGRESS: ("start", "info"),
    states.Status.COMPLETE: ("end", "info"),
    states.Status.FAILED: ("error", "error"),
}
"""The last part of an event type, and the priority, by status."""


APPROVALS: typing.Final = {
    None: ("start", "info"),
    lifecycle.APPROVED: ("end", "info"),
    lifecycle.REJECTED: ("error", "error"),
    lifecycle.EXPIRED: ("error", "error"),
}
"""The same of what needs an approval, by the answer."""


def of_stack(
    stack: stack.Stack,
    asked: operation.Operation,
    sequence: int,
    statuses: Statuses,
) -> dict[str, object]:
    """Return Heat's payload, its misspelt key included, and ours beside.

    As it waits in the outbox: :data:`INPUTS` is in it, and what is added
    when it leaves (``path``, ``parameters``, …) is not.

    :param asked: the operation as it stands at this moment
    :param sequence: number of the event that tells the same
    :param statuses: how many resources have come to which status
    """
    updated = stack.updated_at
    deleted = stack.deleted_at
    return {
        **_identity(stack, asked),
        "state": f"{stack.action}_{stack.status}",
        "state_reason": stack.status_reason,
        "create_at": clock.isoformat(stack.created_at),
        "updated_at": clock.isoformat(updated) if updated else None,
        "description": stack.description,
        "tags": list(stack.tags) or None,
        "name": stack.name,
        "created_at": clock.isoformat(stack.created_at),
        "deleted_at": clock.isoformat(deleted) if deleted else None,
        "action": stack.action,
        "status": stack.status,
        "timeout_mins": stack.timeout_s // 60 or None,
        "disable_rollback": stack.disable_rollback,
        "template_hash": stack.template_hash,
        INPUTS: stack.environment_hash,
        **of_operation(asked, sequence, statuses),
    }


def of_resource(
    row: resource.Resource,
    around: stack.Stack,
    asked: operation.Operation,
    sequence: int,
    physical_id: str | None,
    properties: collections.abc.Mapping[str, object] | None,
) -> dict[str, object]:
    """Return what is told of one resource, as it waits in the outbox.

    :param around: the stack that has it
    :param physical_id: as people may see it
    :param properties: as people may see them; ``None`` where they are not
        known
    """
    return {
        **of_member(
            around,
            asked,
            sequence,
            name=row.name,
            type_name=row.type_name,
            resource_id=row.id,
            physical_id=physical_id,
        ),
        "state": f"{row.action}_{row.status}",
        "state_reason": row.status_reason,
        "action": row.action,
        "status": row.status,
        "created_at": clock.isoformat(row.created_at),
        "updated_at": clock.isoformat(row.updated_at),
        "properties": None if properties is None else dict(properties),
    }


def of_signal(
    taken: signal.UnreportedSignal,
    around: stack.Stack,
    asked: operation.Operation,
    sequence: int,
) -> dict[str, object]:
    """Return what is told of a resource that a signal came for.

    What the signal says is not in it.
    """
    return {
        **of_member(
            around,
            asked,
            sequence,
            name=taken.resource_name,
            type_name=taken.resource_type,
            resource_id=taken.resource_id,
            physical_id=taken.physical_id,
        ),
        "state": f"{states.Action.SIGNAL}_{taken.status}",
        "state_reason": taken.reason,
        "action": states.Action.SIGNAL,
        "status": taken.status,
        "created_at": None,
        "updated_at": None,
        "properties": None,
    }


def of_member(
    around: stack.Stack,
    asked: operation.Operation,
    sequence: int,
    *,
    name: str,
    type_name: str,
    resource_id: ids.ResourceId | None,
    physical_id: str | None,
) -> dict[str, object]:
    """Return what says which resource of which stack is meant, and of whom.

    :param around: the stack that has it
    """
    return {
        **_identity(around, asked),
        "operation_id": asked.id,
        "traversal": asked.attempt,
        "sequence": sequence,
        "request_id": asked.context.get("request_id"),
        MEMBER: name,
        "resource_type": type_name,
        "resource_id": resource_id,
        "physical_resource_id": physical_id,
    }


def _identity(
    stack: stack.Stack, asked: operation.Operation
) -> dict[str, object]:
    """Return which stack is meant, whose it is, who asked, and the cause.

    Where the requester is not known, it is the owner of the stack.
    """
    origin = asked.origin
    username = origin.requester.user_name or stack.username
    return {
        "tenant_id": stack.project_id,
        "project_id": stack.project_id,
        "user_id": username,
        "username": username,
        "user_identity": origin.requester.user_id or stack.user_id,
        "cause": origin.cause,
        "policy_set_by": origin.policy_setter.label,
        "owner": stack.username,
        "owner_id": stack.user_id,
        "stack_identity": stack.id,
        "stack_name": stack.name,
        "parent_id": stack.parent_id,
        "parent_resource": stack.parent_resource,
        "root_id": stack.root_id,
        "depth": stack.depth,
    }


def of_hold(hold: lifecycle.Hold) -> dict[str, object]:
    """Return the part of a payload that tells who waits for an approval."""
    answered = hold.answered_at
    return {
        "plugin": hold.plugin,
        "text": hold.text,
        "deadline_at": clock.isoformat(hold.deadline_at),
        "answer": hold.answer,
        "answered_by": hold.answered_by,
        "answered_at": clock.isoformat(answered) if answered else None,
        "answer_text": hold.answer_text,
    }


def of_override(call: lifecycle.Call) -> dict[str, object]:
    """Return the part of a payload that tells who has overridden a denial."""
    return {
        "plugin": call.plugin,
        "text": call.error or call.text,
        "overridden_by": call.overridden_by,
        "reason": call.override_reason,
    }


def of_operation(
    asked: operation.Operation, sequence: int, statuses: Statuses
) -> dict[str, object]:
    """Return the part of a payload that tells of an operation.

    :param statuses: how many resources of the stack have come to which status
    """
    return {
        "operation_id": asked.id,
        "traversal": asked.attempt,
        "sequence": sequence,
        "request_id": asked.context.get("request_id"),
        "superseded_by": asked.superseded_by,
        "resource_counts": {
            "total": asked.total,
            "done": asked.done,
            "by_status": dict(statuses),
        },
        "failed_resources": [dict(each) for each in asked.failures],
    }
