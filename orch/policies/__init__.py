"""Who may do what: the rules of oslo.policy, one module a noun."""

from oslo_policy import policy

from orch.policies import actions
from orch.policies import base
from orch.policies import events
from orch.policies import operations
from orch.policies import plans
from orch.policies import resources
from orch.policies import services
from orch.policies import snapshots
from orch.policies import software_configs
from orch.policies import software_deployments
from orch.policies import stacks

_NOUNS = (
    actions,
    events,
    operations,
    plans,
    resources,
    services,
    snapshots,
    software_configs,
    software_deployments,
    stacks,
)


def list_rules() -> list[policy.RuleDefault]:
    """Return all rules, the roles first; the sample generator reads it."""
    rules = base.list_rules()
    for noun in _NOUNS:
        rules.extend(noun.list_rules())
    return rules
