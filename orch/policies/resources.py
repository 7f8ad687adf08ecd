"""Who may look at resources, and who may signal them."""

from orch.policies import base

_RESOURCES = "/stacks/{stack_name}/{stack_id}/resources"

RULES = (
    base.rule(
        "resource:index",
        base.READER,
        "List the resources of a stack.",
        f"GET {_RESOURCES}",
    ),
    base.rule(
        "resource:show",
        base.READER,
        "Show a resource.",
        f"GET {_RESOURCES}/{{resource_name}}",
    ),
    base.rule(
        "resource:metadata",
        base.READER_OR_STACK_USER,
        "Show the metadata of a resource.",
        f"GET {_RESOURCES}/{{resource_name}}/metadata",
    ),
    base.rule(
        "resource:signal",
        base.MEMBER_OR_STACK_USER,
        "Send a signal to a resource, or clear a breakpoint of it.",
        f"POST {_RESOURCES}/{{resource_name}}/signal",
    ),
    base.rule(
        "resource:revoke_addresses",
        base.MEMBER,
        "Let the addresses of a resource take no signals any more.",
        f"DELETE {_RESOURCES}/{{resource_name}}/signal",
    ),
    base.rule(
        "resource:mark_unhealthy",
        base.MEMBER,
        "Say that a resource is not well, or is so again.",
        f"PATCH {_RESOURCES}/{{resource_name_or_physical_id}}",
    ),
    base.rule(
        "resource:answer_outcome",
        base.MEMBER,
        "Answer the unknown outcome of a creation.",
        f"POST {_RESOURCES}/{{resource_name}}/outcome",
    ),
)
