"""All actions by name."""

import collections.abc
import types

from orch.api.cfn import parameters
from orch.api.cfn import resources
from orch.api.cfn import stacks
from orch.api.cfn import templates
from orch.context import request

Action = collections.abc.Callable[
    [request.RequestContext, parameters.Parameters], dict[str, object]
]
"""Returns what the answer tells; an empty map where it tells nothing."""


def table(
    of_stacks: stacks.Stacks,
    of_resources: resources.Resources,
    of_templates: templates.Templates,
) -> collections.abc.Mapping[str, Action]:
    """Return what serves each action; rule ``cloudformation:{name}``."""
    return types.MappingProxyType(
        {
            "ListStacks": of_stacks.list,
            "CreateStack": of_stacks.create,
            "DescribeStacks": of_stacks.describe,
            "DeleteStack": of_stacks.delete,
            "UpdateStack": of_stacks.update,
            "CancelUpdateStack": of_stacks.cancel,
            "DescribeStackEvents": of_resources.events,
            "ValidateTemplate": of_templates.validate,
            "GetTemplate": of_templates.get,
            "EstimateTemplateCost": of_templates.estimate,
            "DescribeStackResource": of_resources.detail,
            "DescribeStackResources": of_resources.describe,
            "ListStackResources": of_resources.list,
        }
    )
