"""Who may do what: the rules of oslo.policy, one module a noun."""

from oslo_policy import policy

from orch.policies import actions
from orch.policies import base
from orch.policies import cloudformation
from orch.policies import drift
from orch.policies import events
from orch.policies import leftovers
from orch.policies import lifecycle
from orch.policies import operations
from orch.policies import plans
from orch.policies import resource_types
from orch.policies import resources
from orch.policies import search
from orch.policies import services
from orch.policies import snapshots
from orch.policies import software_configs
from orch.policies import software_deployments
from orch.policies import stacks

_RULES: tuple[policy.RuleDefault, ...] = (
    *base.ROLES,
    *actions.RULES,
    *cloudformation.RULES,
    *drift.RULES,
    *events.RULES,
    *leftovers.RULES,
    *lifecycle.RULES,
    *operations.RULES,
    *plans.RULES,
    *resources.RULES,
    *search.RULES,
    *services.RULES,
    *snapshots.RULES,
    *software_configs.RULES,
    *software_deployments.RULES,
    *stacks.RULES,
)


def list_rules(*, is_open: bool = False) -> list[policy.RuleDefault]:
    """Return all rules, the roles first; the sample generator reads it.

    :param is_open: callers do not log in (``[api] auth`` is ``none``)
    """
    return [*_RULES, *resource_types.list_rules(is_open=is_open)]
