"""Drift, as the wire shows it."""

from orch.api import links
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def requested(facts: contract.DriftRequested) -> View:
    """Return that a tree is to be looked at."""
    return {"requested_at": timestamps.format_time(facts["requested_at"])}


def full(base_url: str, facts: contract.DriftFacts) -> View:
    """Return what was seen of a stack and of those in it."""
    return {
        "state": facts["state"],
        "coverage": facts["coverage"],
        "resource_counts": facts["counts"],
        "requested_at": timestamps.format_time(facts["requested_at"]),
        "observed_at": timestamps.format_time(facts["observed_at"]),
        "age": facts["age_s"],
        "due_at": timestamps.format_time(facts["due_at"]),
        "in_progress": facts["in_progress"],
        "stacks": [_stack(base_url, each) for each in facts["stacks"]],
    }


def summary(facts: contract.DriftSummary) -> View:
    """Return the same in short."""
    return {
        "state": facts["state"],
        "coverage": facts["coverage"],
        "observed_at": timestamps.format_time(facts["observed_at"]),
        "drifted": facts["drifted"],
    }


def resource_drift(facts: contract.ResourceDrift) -> View:
    """Return what was seen of one resource, shown with it."""
    return {
        "state": facts["state"],
        "coverage": facts["coverage"],
        "observed_at": timestamps.format_time(facts["observed_at"]),
        "is_vanished": facts["is_vanished"],
        "reason": facts["reason"],
        "drifted_at": timestamps.format_time(facts["drifted_at"]),
        "differences": [_difference(one) for one in facts["differences"]],
    }


def template(facts: contract.DriftTemplate) -> View:
    """Return a template in which drift is wanted."""
    return {
        "template": facts["template"],
        "changes": [
            {"path": each["path"], "property": each["property"]}
            for each in facts["changes"]
        ],
        "omitted": [
            {
                "path": each["path"],
                "property": each["property"],
                "reason": each.get("reason", ""),
            }
            for each in facts["omitted"]
        ],
    }


def _stack(base_url: str, facts: contract.StackDriftFacts) -> View:
    identity = facts["stack"]
    return {
        "id": identity["stack_id"],
        "stack_name": identity["stack_name"],
        "path": facts["path"],
        "state": facts["state"],
        "coverage": facts["coverage"],
        "resource_counts": facts["counts"],
        "links": [links.link("self", links.stack(base_url, identity))],
        "resources": [_resource(each) for each in facts["resources"]],
    }


def _resource(facts: contract.DriftResourceFacts) -> View:
    return {
        "resource_name": facts["name"],
        "path": facts["path"],
        "resource_type": facts["type_name"],
        "physical_resource_id": facts["physical_id"] or "",
        "state": facts["state"],
        "is_vanished": facts["is_vanished"],
        "coverage": facts["coverage"],
        "reason": facts["reason"],
        "observed_at": timestamps.format_time(facts["observed_at"]),
        "age": facts["age_s"],
        "drifted_at": timestamps.format_time(facts["drifted_at"]),
        "policy": facts["policy"],
        "differences": [_difference(one) for one in facts["differences"]],
    }


def _difference(facts: contract.DifferenceFacts) -> View:
    return {
        "property": facts["property"],
        "expected": facts["expected"],
        "live": facts["live"],
        "policy": facts["policy"],
    }
