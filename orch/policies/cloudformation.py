"""Who may use the CloudFormation-compatible API."""

from oslo_policy import policy

from orch.policies import base

_ACTIONS = (
    ("CancelUpdateStack", base.MEMBER, "Cancel the update of a stack."),
    ("CreateChangeSet", base.MEMBER, "Save a change set of a stack."),
    ("CreateStack", base.MEMBER, "Create a stack."),
    ("DeleteChangeSet", base.MEMBER, "Delete a change set."),
    ("DeleteStack", base.MEMBER, "Delete a stack."),
    ("DescribeChangeSet", base.READER, "Show a change set."),
    ("DescribeStackEvents", base.READER, "List the events of a stack."),
    (
        "DescribeStackResource",
        base.READER_OR_STACK_USER,
        "Show a resource; servers of a stack poll for its metadata.",
    ),
    ("DescribeStackResources", base.READER, "Show the resources of a stack."),
    ("DescribeStacks", base.READER, "Show stacks."),
    ("EstimateTemplateCost", base.READER, "Estimate the cost of a template."),
    ("ExecuteChangeSet", base.MEMBER, "Execute a change set."),
    ("GetTemplate", base.READER, "Show a stack's template."),
    (
        "GetTemplateSummary",
        base.READER,
        "Show the parameters that a template declares.",
    ),
    ("ListChangeSets", base.READER, "List the change sets of a stack."),
    ("ListStackResources", base.READER, "List the resources of a stack."),
    ("ListStacks", base.READER, "List stacks."),
    ("UpdateStack", base.MEMBER, "Update a stack."),
    ("ValidateTemplate", base.READER, "Validate a template."),
)

RULES = tuple(
    policy.DocumentedRuleDefault(
        f"cloudformation:{action}",
        check,
        description,
        [{"method": "POST", "path": f"/v1/?Action={action}"}],
        scope_types=["project"],
    )
    for action, check, description in _ACTIONS
)
