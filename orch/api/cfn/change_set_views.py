"""Saved plans in the words of CloudFormation: change sets."""

import collections.abc
import typing

from orch.api.cfn import views
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]

EMPTY: typing.Final = (
    "The submitted information didn't contain changes. No updates are to be"
    " performed."
)
"""Clients look for one of these sentences."""

_EXECUTION: typing.Final = {
    "COMPLETE": "EXECUTE_COMPLETE",
    "FAILED": "EXECUTE_FAILED",
    "SUPERSEDED": "EXECUTE_FAILED",
}
_ACTIONS: typing.Final = {
    "create": "Add",
    "adopt": "Import",
    "update": "Modify",
    "delete": "Remove",
    "retain": "Remove",
    "gone": "Remove",
}
"""By kind of change; the others change no physical resource."""


def arn(stack: contract.StackIdentity, facts: contract.SavedPlanFacts) -> str:
    """Return the id of a change set, which names its stack too."""
    return (
        f"arn:openstack:heat::{stack['project_id']}:changeSet"
        f"/{facts.get('name')}/{stack['stack_id']}/{facts['id']}"
    )


def summary(
    stack: contract.StackIdentity,
    facts: contract.SavedPlanFacts,
    operation_state: str | None,
) -> View:
    """Return a change set as lists show it.

    :param operation_state: of the operation that has run it; ``None`` where
        none has
    """
    is_empty = bool(facts.get("is_empty"))
    return {
        "StackId": views.arn(stack),
        "StackName": stack["stack_name"],
        "ChangeSetId": arn(stack, facts),
        "ChangeSetName": facts.get("name"),
        "Description": facts.get("description"),
        "CreationTime": timestamps.format_time(facts["created_at"]),
        "ExecutionStatus": _execution_status(facts, operation_state),
        "Status": "FAILED" if is_empty else "CREATE_COMPLETE",
        "StatusReason": EMPTY if is_empty else None,
    }


def _execution_status(
    facts: contract.SavedPlanFacts, operation_state: str | None
) -> str:
    if operation_state is not None:
        return _EXECUTION.get(operation_state, "EXECUTE_IN_PROGRESS")
    if facts.get("is_empty"):
        return "UNAVAILABLE"
    return "AVAILABLE" if facts["is_current"] else "OBSOLETE"


def changes(plan: contract.PlanFacts) -> list[tuple[str, View]]:
    """Return name and change of each resource that changes, by name.

    A replacement is one change, though a plan creates and deletes.
    """
    found: dict[str, contract.ChangeFacts] = {}
    known = [each for each in plan["changes"] if each["kind"] in _ACTIONS]
    removals = [each for each in known if _ACTIONS[each["kind"]] == "Remove"]
    others = [each for each in known if _ACTIONS[each["kind"]] != "Remove"]
    for each in (*removals, *others):
        found[each["resource_name"]] = each
    return [(name, _change(found[name])) for name in sorted(found)]


def _change(change: contract.ChangeFacts) -> View:
    is_replacement = change["replaces"] is not None
    action = "Modify" if is_replacement else _ACTIONS[change["kind"]]
    view: View = {
        "Action": action,
        "LogicalResourceId": change["resource_name"],
        "PhysicalResourceId": (
            change["replaces"] or change["physical_id"] or None
        ),
        "ResourceType": change["resource_type"],
        "Scope": [],
        "Details": [],
    }
    if action == "Modify":
        properties = change["properties"]
        may_replace = any(
            each.get("needs_replacement") for each in properties.values()
        )
        view["Replacement"] = (
            "True"
            if is_replacement
            else "Conditional"
            if may_replace
            else "False"
        )
        view["Scope"] = ["Properties"] if properties else []
        view["Details"] = list(_details(properties, change["is_certain"]))
    return {"Type": "Resource", "ResourceChange": view}


def _details(
    properties: collections.abc.Mapping[str, contract.PropertyChange],
    is_certain: bool,
) -> collections.abc.Iterator[View]:
    for name, each in properties.items():
        yield {
            "Target": {
                "Attribute": "Properties",
                "Name": name,
                "RequiresRecreation": (
                    "Always" if each.get("needs_replacement") else "Never"
                ),
            },
            "Evaluation": "Static" if is_certain else "Dynamic",
            "ChangeSource": "DirectModification",
        }
