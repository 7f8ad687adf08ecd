"""Who may do what with software deployments."""

from orch.policies import base

_DEPLOYMENTS = "/software_deployments"
_DEPLOYMENT = f"{_DEPLOYMENTS}/{{deployment_id}}"

RULES = (
    base.rule(
        "software_deployments:index",
        base.READER,
        "List software deployments.",
        f"GET {_DEPLOYMENTS}",
    ),
    base.rule(
        "software_deployments:create",
        base.MEMBER,
        "Store a software deployment.",
        f"POST {_DEPLOYMENTS}",
    ),
    base.rule(
        "software_deployments:show",
        base.READER,
        "Show a software deployment.",
        f"GET {_DEPLOYMENT}",
    ),
    base.rule(
        "software_deployments:update",
        base.MEMBER,
        "Change a software deployment.",
        f"PUT {_DEPLOYMENT}",
    ),
    base.rule(
        "software_deployments:delete",
        base.MEMBER,
        "Remove a software deployment.",
        f"DELETE {_DEPLOYMENT}",
    ),
    base.rule(
        "software_deployments:metadata",
        base.READER_OR_STACK_USER,
        "Show what the agent of a server has to apply.",
        f"GET {_DEPLOYMENTS}/metadata/{{server_id}}",
    ),
)
