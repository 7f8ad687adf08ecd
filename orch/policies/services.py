"""Who may ask about the service itself."""

from oslo_policy import policy

from orch.policies import base


def list_rules() -> list[policy.RuleDefault]:
    """Return the rules of groups ``service`` and ``build_info``."""
    return [
        base.rule(
            "service:index",
            base.ADMIN,
            "List the processes that report.",
            "GET /services",
        ),
        base.rule(
            "build_info:build_info",
            base.READER,
            "Show which revisions answer.",
            "GET /build_info",
        ),
    ]
