"""Drift, as the wire shows it."""

from orch.api import links
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def asked(facts: contract.DriftAsked) -> View:
    """Return that a tree is to be looked at."""
    return {"asked_at": timestamps.text(facts["asked_at"])}


def full(base_url: str, facts: contract.DriftFacts) -> View:
    """Return what was seen of a stack and of those in it."""
    return {
        "state": facts["state"],
        "coverage": facts["coverage"],
        "resources": facts["counts"],
        "asked_at": timestamps.text(facts["asked_at"]),
        "observed_at": timestamps.text(facts["observed_at"]),
        "age": facts["age_s"],
        "due_at": timestamps.text(facts["due_at"]),
        "is_under_way": facts["is_under_way"],
        "stacks": [_stack(base_url, each) for each in facts["stacks"]],
    }


def summary(facts: contract.DriftSummary) -> View:
    """Return the same in short."""
    return {
        "state": facts["state"],
        "coverage": facts["coverage"],
        "observed_at": timestamps.text(facts["observed_at"]),
        "drifted": facts["drifted"],
    }


def of_resource(facts: contract.ResourceDrift) -> View:
    """Return what was seen of one resource, shown with it."""
    return {
        "state": facts["state"],
        "coverage": facts["coverage"],
        "observed_at": timestamps.text(facts["observed_at"]),
        "is_vanished": facts["is_vanished"],
        "reason": facts["reason"],
        "drifted_at": timestamps.text(facts["drifted_at"]),
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
        "left_out": [
            {
                "path": each["path"],
                "property": each["property"],
                "reason": each.get("reason", ""),
            }
            for each in facts["left_out"]
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
        "resources": facts["counts"],
        "links": [links.link("self", links.stack(base_url, identity))],
        "things": [_thing(each) for each in facts["things"]],
    }


def _thing(facts: contract.ThingFacts) -> View:
    return {
        "resource_name": facts["name"],
        "path": facts["path"],
        "resource_type": facts["type_name"],
        "physical_resource_id": facts["physical_id"] or "",
        "state": facts["state"],
        "is_vanished": facts["is_vanished"],
        "coverage": facts["coverage"],
        "reason": facts["reason"],
        "observed_at": timestamps.text(facts["observed_at"]),
        "age": facts["age_s"],
        "drifted_at": timestamps.text(facts["drifted_at"]),
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
