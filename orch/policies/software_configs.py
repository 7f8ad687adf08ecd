"""Who may do what with software configs."""

from orch.policies import base

_CONFIGS = "/software_configs"
_CONFIG = f"{_CONFIGS}/{{config_id}}"

RULES = (
    base.rule(
        "software_configs:global_index",
        base.DENY_ALL,
        "List the software configs of all projects.",
        f"GET {_CONFIGS}?global_tenant=true",
        is_of_system=True,
    ),
    base.rule(
        "software_configs:index",
        base.READER_ANYWHERE,
        "List software configs; with a token for the whole system only"
        " those of all projects together.",
        f"GET {_CONFIGS}",
        is_of_system=True,
    ),
    base.rule(
        "software_configs:create",
        base.MEMBER,
        "Store a software config.",
        f"POST {_CONFIGS}",
    ),
    base.rule(
        "software_configs:show",
        base.READER,
        "Show a software config.",
        f"GET {_CONFIG}",
    ),
    base.rule(
        "software_configs:delete",
        base.MEMBER,
        "Remove a software config.",
        f"DELETE {_CONFIG}",
    ),
)
