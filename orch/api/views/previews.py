"""What a creation or an update would do, as Heat's wire shows it."""

from orch.api.views import facts as facts_
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def update(facts: contract.UpdatePreview) -> View:
    """Return the resources by what happens to them, and the plan."""
    return {
        "resource_changes": {
            kind: [_resource(each) for each in found]
            for kind, found in facts["changes"].items()
        },
        "plan": facts_.view(facts["plan"], contract.PlanFacts),
    }


def previewed(facts: contract.Previewed) -> View | list[object]:
    """Return a resource that does not exist, with its properties.

    One that is a stack is the list of its resources.
    """
    if isinstance(facts, list):
        return [previewed(each) for each in facts]
    view = _resource(facts)
    view["properties"] = facts["properties"]
    return view


def _resource(facts: contract.ResourceFacts) -> View:
    """Return a resource in the form that Heat has here and nowhere else."""
    stack = facts["stack"]
    view: View = {
        "resource_name": facts["name"],
        "resource_type": facts["type_name"],
        "resource_action": facts["action"],
        "resource_status": facts["status"],
        "resource_status_reason": facts["status_reason"],
        "physical_resource_id": facts["physical_id"] or "",
        "creation_time": timestamps.format_time(facts.get("created_at")),
        "updated_time": timestamps.format_time(facts.get("updated_at")),
        "required_by": facts["required_by"],
        "description": facts["description"],
        "metadata": facts["metadata"],
        "attributes": facts["attributes"],
        "stack_name": stack["stack_name"],
        "stack_identity": _identity(stack, ""),
        "resource_identity": _identity(stack, f"/resources/{facts['name']}"),
    }
    if facts.get("parent_resource"):
        view["parent_resource"] = facts["parent_resource"]
    return view


def _identity(stack: contract.StackIdentity, path: str) -> View:
    return {
        "tenant": stack["project_id"],
        "stack_name": stack["stack_name"],
        "stack_id": stack["stack_id"],
        "path": path,
    }
