"""Actions on stacks."""

import re
import typing

from orch import errors as base_errors
from orch.api.cfn import errors
from orch.api.cfn import lookup
from orch.api.cfn import parameters
from orch.api.cfn import requests
from orch.api.cfn import views
from orch.api.handlers import backends
from orch.api.handlers import stack_request
from orch.api.openapi import bodies
from orch.api.schemas import checker
from orch.api.schemas import stacks as schema
from orch.context import request
from orch.rpc import contract

PAGE: typing.Final = 100
_PAGE_IN_FULL = 20
_STATUS = re.compile(
    r"(?P<action>[A-Z]+(?:_[A-Z]+)*)_(?P<status>COMPLETE|FAILED|IN_PROGRESS)"
)
"""Clients also ask for Amazon's own, which no stack here ever has."""
_ACTIONS: typing.Final = {"REVIEW": "INIT", "UPDATE_ROLLBACK": "ROLLBACK"}
"""Ours for Amazon's, where they differ."""
_DELETED = "DELETE_COMPLETE"
_CREATION: typing.Final = checker.Checker(bodies.CREATE)
_UPDATE: typing.Final = checker.Checker(bodies.UPDATE)

View = dict[str, object]


class StackRequest(typing.NamedTuple):
    """What describes a stack, and how the operation on it runs."""

    inputs: contract.StackInputs
    options: contract.StackOptions


def list_stacks(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """List the stacks, the newest first, or those of some statuses.

    A page may hold fewer than the next one.
    """
    wanted = given.texts("StackStatusFilter")
    query = _page(backend, given, PAGE)
    if wanted:
        query["filters"] = _filters(wanted)
        query["show_deleted"] = _DELETED in wanted
    found = backend.stacks.list(caller, query)
    shown = [views.summary(each) for each in found]
    return {
        "StackSummaries": [
            each
            for each in shown
            if not wanted or each["StackStatus"] in wanted
        ],
        "NextToken": _next(found, PAGE),
    }


def describe(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Show one stack, or all of them."""
    if given.find(lookup.NAME) is not None:
        found = lookup.get_stack(backend, caller, given)
        facts = backend.stacks.show(caller, found["stack_id"])
        return {"Stacks": [views.stack(facts)]}
    listed = backend.stacks.list(caller, _page(backend, given, _PAGE_IN_FULL))
    shown = []
    for each in listed:
        try:
            facts = backend.stacks.show(caller, each["id"])
        except base_errors.NotFound:
            continue
        shown.append(views.stack(facts))
    return {"Stacks": shown, "NextToken": _next(listed, _PAGE_IN_FULL)}


def create(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Accept a stack."""
    asked = read_creation(backend, caller, given)
    done = backend.stacks.create(
        caller, given.get(lookup.NAME), asked.inputs, asked.options
    )
    backend.start(caller, done)
    return {"StackId": views.arn(done["identity"])}


def read_creation(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> StackRequest:
    """Return the inputs and options of a new stack.

    :raises orch.errors.Invalid: a parameter is wrong or missing
    """
    body = requests.create_body(given)
    _CREATION.check(body)
    return StackRequest(
        stack_request.read_inputs(backend, caller, body),
        schema.options_of(body),
    )


def update(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Accept that a stack becomes another."""
    found = lookup.get_stack(backend, caller, given)
    asked = read_update(backend, caller, given, found)
    done = backend.stacks.update(
        caller, found["stack_id"], asked.inputs, asked.options
    )
    backend.start(caller, done)
    return {"StackId": views.arn(found)}


def read_update(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
    found: contract.StackIdentity,
) -> StackRequest:
    """Return the new inputs and options of a stack.

    :raises orch.errors.Invalid: a parameter is wrong or missing
    """
    body, is_of_parts = requests.update_body(given)
    if is_of_parts:
        facts = backend.stacks.show(caller, found["stack_id"], False)
        stored = facts.get("parameters", {})
        body["clear_parameters"] = requests.list_unnamed(given, stored)
    _UPDATE.check(body)
    inputs = stack_request.read_inputs(
        backend, caller, body, needs_template=not is_of_parts
    )
    options = schema.update_options_of(body, is_patch=is_of_parts)
    return StackRequest(inputs, options)


def cancel(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Let an update that is under way go back to what was before."""
    found = lookup.get_stack(backend, caller, given)
    facts = backend.stacks.show(caller, found["stack_id"], False)
    if (facts["action"], facts["status"]) != ("UPDATE", "IN_PROGRESS"):
        raise errors.Misunderstood(
            "CancelUpdateStack cannot be called from current stack status"
            f" {facts['action']}_{facts['status']}"
        )
    done = backend.stacks.cancel(caller, found["stack_id"], True)
    backend.start(caller, done)
    return {}


def delete(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Accept the end of a stack; one that is gone is no error."""
    given.get(lookup.NAME)
    try:
        found = lookup.get_stack(backend, caller, given)
    except lookup.StackMissing:
        return {}
    done = backend.stacks.delete(caller, found["stack_id"])
    backend.start(caller, done)
    return {}


def _page(
    backend: backends.Backend, given: parameters.Parameters, size: int
) -> contract.StackQuery:
    return {
        "limit": size,
        "marker": given.place(),
        "sort_keys": ["created_at"],
        "sort_dir": "desc",
        "not_tags_any": list(backend.limits.hidden_stack_tags),
    }


def _next(found: list[contract.StackFacts], size: int) -> str | None:
    if len(found) < size:
        return None
    return parameters.token_of(found[-1]["id"])


def _filters(wanted: list[str]) -> dict[str, list[str]]:
    """Return what lets at least the wanted ones pass.

    :raises orch.api.cfn.errors.InvalidValue: one is no status of a stack
    """
    filters: dict[str, list[str]] = {"action": [], "status": []}
    for each in wanted:
        found = _STATUS.fullmatch(each)
        if found is None:
            raise errors.InvalidValue(
                f"StackStatusFilter: {each[:80]!r} is no status of a stack."
            )
        action, status = found["action"], found["status"]
        filters["action"].append(_ACTIONS.get(action, action))
        filters["status"].append(
            "COMPLETE" if each == views.REVIEW else status
        )
    return filters
