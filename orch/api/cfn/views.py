"""Stacks, resources and events in the words of CloudFormation.

What is ``None`` is left out of the answer.
"""

import json
import typing

from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]

REVIEW: typing.Final = "REVIEW_IN_PROGRESS"
"""Status of a stack that has change sets and no resources yet."""

_PSEUDO = ("OS::", "AWS::")


def arn(identity: contract.StackIdentity) -> str:
    """Return the id of a stack as clients know it."""
    return (
        f"arn:openstack:heat::{identity['project_id']}:stacks"
        f"/{identity['stack_name']}/{identity['stack_id']}"
    )


def stack_arn(facts: contract.StackFacts) -> str:
    """Return the id of the stack that the facts are of."""
    return arn(
        {
            "project_id": facts["project_id"],
            "stack_name": facts["name"],
            "stack_id": facts["id"],
        }
    )


def stack_status(facts: contract.StackFacts) -> str:
    """Return the status of a stack in the words that clients wait for.

    A rollback is that of an update once the stack has been updated.
    """
    action, status = facts["action"], facts["status"]
    if action == "INIT":
        return REVIEW
    if action == "ROLLBACK" and facts.get("updated_at") is not None:
        action = "UPDATE_ROLLBACK"
    return f"{action}_{status}"


def summary(facts: contract.StackFacts) -> View:
    """Return a stack as lists show it."""
    return {
        "StackId": stack_arn(facts),
        "StackName": facts["name"],
        "TemplateDescription": _text(facts.get("description")),
        "CreationTime": timestamps.format_time(facts.get("created_at")),
        "LastUpdatedTime": timestamps.format_time(facts.get("updated_at")),
        "DeletionTime": timestamps.format_time(facts.get("deleted_at")),
        "StackStatus": stack_status(facts),
        "StackStatusReason": facts.get("status_reason"),
    }


def stack(facts: contract.StackFacts) -> View:
    """Return a stack with all that is known of it."""
    view = summary(facts)
    del view["TemplateDescription"]
    description = facts.get("template_description", facts.get("description"))
    parameters = facts.get("parameters", {})
    return {
        **view,
        "Description": _text(description),
        "DisableRollback": facts.get("disable_rollback", True),
        "TimeoutInMinutes": facts.get("timeout_mins"),
        "NotificationARNs": [],
        "Capabilities": [],
        "Parameters": [
            {"ParameterKey": name, "ParameterValue": _text(value)}
            for name, value in parameters.items()
            if not name.startswith(_PSEUDO)
        ],
        "Outputs": [
            {
                "OutputKey": each["key"],
                "OutputValue": _text(each.get("value")),
                "Description": each.get("description") or None,
            }
            for each in facts.get("outputs", [])
        ],
        "Tags": [_tag(each) for each in facts.get("tags", [])],
    }


def resource(facts: contract.ResourceFacts, moment: str) -> View:
    """Return a resource.

    :param moment: what the time of its last change is called
    """
    return {
        "LogicalResourceId": facts["name"],
        "PhysicalResourceId": facts.get("physical_id") or "",
        "ResourceType": facts["type_name"],
        moment: timestamps.format_time(facts["updated_at"]),
        "ResourceStatus": f"{facts['action']}_{facts['status']}",
        "ResourceStatusReason": facts.get("status_reason"),
    }


def stack_of(facts: contract.ResourceFacts) -> View:
    """Return which stack a resource belongs to."""
    return {
        "StackId": arn(facts["stack"]),
        "StackName": facts["stack"]["stack_name"],
    }


def resource_detail(facts: contract.ResourceFacts) -> View:
    """Return a resource with all that clients in servers poll for."""
    return {
        **stack_of(facts),
        **resource(facts, "LastUpdatedTimestamp"),
        "Description": facts.get("description") or None,
        "Metadata": json.dumps(facts.get("metadata", {})),
    }


def event(facts: contract.EventFacts) -> View:
    """Return an event."""
    return {
        "EventId": facts["id"],
        "StackId": arn(facts["stack"]),
        "StackName": facts["stack"]["stack_name"],
        "LogicalResourceId": facts["resource_name"],
        "PhysicalResourceId": facts.get("physical_id") or "",
        "ResourceType": facts["resource_type"],
        "Timestamp": timestamps.format_time(facts["created_at"]),
        "ResourceStatus": f"{facts['action']}_{facts['status']}",
        "ResourceStatusReason": facts.get("reason"),
    }


def declared_parameter(name: str, told: dict[str, object]) -> View:
    """Return a parameter that a template declares."""
    default = told.get("Default")
    return {
        "ParameterKey": name,
        "DefaultValue": None if default is None else _text(default),
        "ParameterType": _text(told.get("Type")) or None,
        "NoEcho": str(told.get("NoEcho", "false")).lower() == "true",
        "Description": _text(told.get("Description")),
    }


def _tag(text: str) -> View:
    key, _, value = text.partition("=")
    return {"Key": key, "Value": value}


def _text(value: object) -> str:
    """Return a value as clients read it: all are texts."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
