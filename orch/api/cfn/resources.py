"""Actions on the resources and events of a stack."""

import typing

from orch import errors as base_errors
from orch.api.cfn import errors
from orch.api.cfn import lookup
from orch.api.cfn import parameters
from orch.api.cfn import views
from orch.api.handlers import backends
from orch.context import request
from orch.rpc import contract

PAGE: typing.Final = 100
_PHYSICAL = "PhysicalResourceId"
_LOGICAL = "LogicalResourceId"

View = dict[str, object]


def list_resources(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """List the resources of a stack by name."""
    found = lookup.get_stack(backend, caller, given)
    rows = backend.resources.list(caller, found["stack_id"], filters={})
    after = given.place()
    if after is not None:
        rows = [row for row in rows if row["name"] > after]
    rows.sort(key=lambda row: row["name"])
    more = len(rows) > PAGE
    return {
        "StackResourceSummaries": [
            views.resource(row, "LastUpdatedTimestamp") for row in rows[:PAGE]
        ],
        "NextToken": (
            parameters.token_of(rows[PAGE - 1]["name"]) if more else None
        ),
    }


def describe(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Show the resources of a stack, or of that of a physical id."""
    name, physical = given.find(lookup.NAME), given.find(_PHYSICAL)
    if name is not None and physical is not None:
        raise errors.InvalidCombination(
            f"{lookup.NAME} and {_PHYSICAL} exclude each other."
        )
    if physical is not None:
        stack_id = _stack_of(backend, caller, physical)
    else:
        stack_id = lookup.get_stack(backend, caller, given)["stack_id"]
    logical = given.find(_LOGICAL)
    filters = {} if logical is None else {"name": [logical]}
    found = backend.resources.list(caller, stack_id, filters=filters)
    if logical is not None and not found:
        raise _missing(logical)
    return {
        "StackResources": [
            {**views.stack_of(row), **views.resource(row, "Timestamp")}
            for row in found
        ]
    }


def _stack_of(
    backend: backends.Backend, caller: request.RequestContext, physical: str
) -> str:
    try:
        return backend.resources.find_stack(caller, physical)["stack_id"]
    except base_errors.NotFound as error:
        raise lookup.StackMissing(
            f"Stack for {physical[:300]} does not exist"
        ) from error


def detail(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Show one resource with its metadata."""
    name = given.get(_LOGICAL)
    found = lookup.get_stack(backend, caller, given)
    try:
        facts = backend.resources.show(caller, found["stack_id"], name)
    except base_errors.NotFound as error:
        raise _missing(name) from error
    return {"StackResourceDetail": views.resource_detail(facts)}


def events(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """List what has happened to a stack, the newest first."""
    found = lookup.get_stack(backend, caller, given)
    query: contract.EventQuery = {
        "limit": PAGE,
        "marker": given.place(),
        "sort_keys": ["event_time"],
        "sort_dir": "desc",
    }
    listed = backend.events.list(caller, found["stack_id"], query=query)
    more = len(listed) == PAGE
    return {
        "StackEvents": [views.event(each) for each in listed],
        "NextToken": (parameters.token_of(listed[-1]["id"]) if more else None),
    }


def _missing(name: str) -> base_errors.NotFound:
    return base_errors.NotFound(f"Resource {name[:255]} does not exist")
