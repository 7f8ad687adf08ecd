"""Who may store states of stacks and go back to them."""

from orch.policies import base

_SNAPSHOTS = "/stacks/{stack_name}/{stack_id}/snapshots"
_SNAPSHOT = f"{_SNAPSHOTS}/{{snapshot_id}}"

RULES = (
    base.rule(
        "stacks:snapshot",
        base.MEMBER,
        "Store the state of a stack.",
        f"POST {_SNAPSHOTS}",
    ),
    base.rule(
        "stacks:list_snapshots",
        base.READER,
        "List the snapshots of a stack.",
        f"GET {_SNAPSHOTS}",
    ),
    base.rule(
        "stacks:show_snapshot",
        base.READER,
        "Show a snapshot.",
        f"GET {_SNAPSHOT}",
    ),
    base.rule(
        "stacks:delete_snapshot",
        base.MEMBER,
        "Remove a snapshot.",
        f"DELETE {_SNAPSHOT}",
    ),
    base.rule(
        "stacks:restore_snapshot",
        base.MEMBER,
        "Bring a stack back to a snapshot.",
        f"POST {_SNAPSHOT}/restore",
    ),
)
