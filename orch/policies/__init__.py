"""Who may do what: the rules of oslo.policy, one module a noun."""

from oslo_policy import policy

from orch.policies import actions
from orch.policies import base
from orch.policies import cloudformation
from orch.policies import drift
from orch.policies import events
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

_NOUNS = (
    actions,
    cloudformation,
    drift,
    events,
    lifecycle,
    operations,
    plans,
    resource_types,
    resources,
    search,
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
