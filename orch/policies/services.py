"""Who may ask about the service itself."""

from orch.policies import base

RULES = (
    base.rule(
        "service:index",
        base.ADMIN_OR_SYSTEM_READER,
        "List the processes that report.",
        "GET /services",
        is_of_system=True,
    ),
    base.rule(
        "build_info:build_info",
        base.READER_ANYWHERE,
        "Show which revisions answer.",
        "GET /build_info",
        is_of_system=True,
    ),
)
