"""Who may see the drift of stacks, and say what is done about it."""

from orch.policies import base

_PLACE = "/stacks/{stack_name}/{stack_id}/drift"

RULES = (
    base.rule(
        "drift:show",
        base.READER,
        "Show what has drifted in a stack.",
        f"GET {_PLACE}",
    ),
    base.rule(
        "drift:show_policy",
        base.READER,
        "Show what is done about the drift of a stack.",
        f"GET {_PLACE}/policy",
    ),
    base.rule(
        "drift:set_policy",
        base.MEMBER,
        "Set what is done about the drift of a stack.",
        f"PUT {_PLACE}/policy",
    ),
    base.rule(
        "drift:show_pause",
        base.READER,
        "Show whether the observer pauses for the project.",
        "GET /drift/pause",
    ),
    base.rule(
        "drift:pause",
        base.MEMBER,
        "Let the observer pause for the project, and go on.",
        "PUT /drift/pause",
        "DELETE /drift/pause",
    ),
    base.rule(
        "drift:pause_all_projects",
        base.CLOUD_ADMIN,
        "Let the observer pause for all projects, and go on.",
        "PUT /drift/pause?all_projects=true",
        "DELETE /drift/pause?all_projects=true",
    ),
    base.rule(
        "drift:history",
        base.READER,
        "Show what has drifted in a stack, and how it ended.",
        f"GET {_PLACE}/history",
    ),
    base.rule(
        "drift:template",
        base.READER,
        "Show a template of a stack in which its drift is wanted.",
        f"GET {_PLACE}/template",
    ),
)
