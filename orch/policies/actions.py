"""Who may ask for an action on a stack."""

from orch.policies import base

_PLACE = "POST /stacks/{stack_name}/{stack_id}/actions"

RULES = (
    base.rule(
        "actions:retry",
        base.MEMBER,
        "Retry a failed operation; no other rule is checked then.",
        _PLACE,
        "POST /stacks",
        "PUT /stacks/{stack_name}/{stack_id}",
        "PATCH /stacks/{stack_name}/{stack_id}",
        "DELETE /stacks/{stack_name}/{stack_id}?retry=true",
        "POST /stacks/{stack_name}/{stack_id}/snapshots",
        "POST /stacks/{stack_name}/{stack_id}/snapshots/{snapshot_id}/restore",
    ),
    base.rule("actions:suspend", base.MEMBER, "Suspend a stack.", _PLACE),
    base.rule("actions:resume", base.MEMBER, "Resume a stack.", _PLACE),
    base.rule(
        "actions:check",
        base.MEMBER,
        "Compare a stack with the world.",
        _PLACE,
    ),
    base.rule(
        "actions:observe",
        base.MEMBER,
        "Observe the physical resources of a stack, and store their state.",
        _PLACE,
    ),
    base.rule(
        "actions:accept_drift",
        base.MEMBER,
        "Accept the observed state of resources as their baseline.",
        _PLACE,
    ),
    base.rule(
        "actions:undo_accept_drift",
        base.MEMBER,
        "Undo the acceptance of drift.",
        _PLACE,
    ),
    base.rule(
        "actions:cancel_update",
        base.MEMBER,
        "Stop an update and go back.",
        _PLACE,
    ),
    base.rule(
        "actions:cancel_without_rollback",
        base.MEMBER,
        "Stop the operation in progress where it is.",
        _PLACE,
    ),
    base.rule(
        "actions:approve",
        base.ADMIN,
        "Approve an operation that a lifecycle plug-in holds.",
        _PLACE,
    ),
    base.rule(
        "actions:reject",
        base.ADMIN,
        "Let an operation fail that a lifecycle plug-in holds.",
        _PLACE,
    ),
)
