"""Stacks and outputs, as the wire shows them."""

import typing

from orch.api import links
from orch.api.views import facts as facts_
from orch.api.views import failures
from orch.api.views import previews
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]

ACCEPTED: typing.Final[View] = {
    "code": "202 Accepted",
    "title": "Accepted",
    "message": "The request is accepted for processing.",
}
"""What an accepted update answers; clients look at the status alone."""


def identity_of(facts: contract.StackFacts) -> contract.StackIdentity:
    """Return which stack the facts are of."""
    return {
        "project_id": facts.get("project_id", ""),
        "stack_name": facts["name"],
        "stack_id": facts.get("id", ""),
    }


def created(base_url: str, identity: contract.StackIdentity) -> View:
    """Return what an accepted create answers."""
    href = links.stack(base_url, identity)
    return {
        "id": identity["stack_id"],
        "links": [links.link("self", href)],
    }


def summary(
    base_url: str, facts: contract.StackFacts, *, with_project: bool
) -> View:
    """Return a stack as lists show it.

    :param with_project: say whose it is, which only an admin is told
    """
    href = links.stack(base_url, identity_of(facts))
    view: View = {
        "id": facts.get("id", ""),
        "links": [links.link("self", href)],
        "stack_name": facts["name"],
        "description": facts.get("description", ""),
        "stack_status": f"{facts['action']}_{facts['status']}",
        "stack_status_reason": facts.get("status_reason", ""),
        "creation_time": timestamps.format_time(facts.get("created_at")),
        "updated_time": timestamps.format_time(facts.get("updated_at")),
        "deletion_time": timestamps.format_time(facts.get("deleted_at")),
        "stack_owner": facts.get("username"),
        "parent": facts.get("parent_id"),
        "stack_user_project_id": None,
        "tags": facts.get("tags") or None,
    }
    if "blocked" in facts:
        view["blocked"] = facts_.view(facts["blocked"], contract.BlockedFacts)
    if with_project:
        view["project"] = facts.get("project_id")
    return view


def full(base_url: str, facts: contract.StackFacts) -> View:
    """Return a stack with all that is known of it.

    ``outputs``, ``failed_resources``, ``verdicts``, ``drift`` and
    ``omitted`` are there when the facts have them.
    """
    view = summary(base_url, facts, with_project=False)
    view.update(
        {
            "template_description": facts.get(
                "template_description", facts.get("description", "")
            ),
            "parameters": facts.get("parameters", {}),
            "capabilities": [],
            "notification_topics": [],
            "disable_rollback": facts.get("disable_rollback", True),
            "timeout_mins": facts.get("timeout_mins"),
        }
    )
    if "outputs" in facts:
        view["outputs"] = [output(one) for one in facts["outputs"]]
    if "failed_resources" in facts:
        view["failed_resources"] = failures.many(
            base_url, facts["failed_resources"]
        )
    if "verdicts" in facts:
        view["verdicts"] = facts_.views(
            facts["verdicts"], contract.VerdictFacts
        )
    if "drift" in facts:
        view["drift"] = facts_.view(facts["drift"], contract.DriftSummary)
    if "omitted" in facts:
        view["omitted"] = facts_.views(facts["omitted"], contract.OmittedFacts)
    return view


def preview(base_url: str, facts: contract.StackFacts) -> View:
    """Return a stack that does not exist, with its resources."""
    view = full(base_url, facts)
    view["resources"] = [previews.previewed(one) for one in facts["resources"]]
    view["plan"] = facts_.view(facts["plan"], contract.PlanFacts)
    return view


def output_name(facts: contract.OutputFacts) -> View:
    """Return an output without its value.

    Heat's tests compare whole outputs, so ``sensitive`` is there only where
    it is true. An output from a worker of an earlier release may be.
    """
    view: View = {
        "output_key": facts["key"],
        "description": facts.get("description", ""),
    }
    if facts.get("sensitive", True):
        view["sensitive"] = True
    return view


def output(facts: contract.OutputFacts) -> View:
    """Return an output with its value, or with why it has none."""
    view = output_name(facts)
    view["output_value"] = facts.get("value")
    if facts.get("error"):
        view["output_error"] = facts["error"]
    return view
