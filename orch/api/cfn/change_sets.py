"""Actions on change sets, which are saved plans with a name."""

import re
import typing

from orch import errors as base_errors
from orch.api.cfn import change_set_views
from orch.api.cfn import errors
from orch.api.cfn import lookup
from orch.api.cfn import parameters
from orch.api.cfn import requests
from orch.api.cfn import stacks
from orch.api.cfn import views
from orch.api.handlers import backends
from orch.context import request
from orch.rpc import contract

NAME: typing.Final = "ChangeSetName"
PAGE: typing.Final = 100
_TYPE = "ChangeSetType"
_CREATE = "CREATE"
_UPDATE = "UPDATE"
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")
_ARN = re.compile(
    r"arn:openstack:heat::(?P<project>[^/]+):changeSet/(?P<name>[^/]+)"
    r"/(?P<stack_id>[^/]+)/(?P<plan_id>[^/]+)"
)

View = dict[str, object]


class ChangeSet(typing.NamedTuple):
    """A change set that a request names, and its stack."""

    stack: contract.StackIdentity
    facts: contract.SavedPlanFacts


def create(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Save a plan of a stack, or of the creation of one.

    Clients that save an update wait for the end of one. So a stack whose next
    update is its creation is refused, as Amazon refuses it.

    :raises orch.api.cfn.errors.InvalidValue: the name or the type is invalid
    :raises orch.api.cfn.errors.NotCreatedYet: the stack has only plans
    """
    name = given.get(NAME)
    if not _IDENTIFIER.fullmatch(name):
        raise errors.InvalidValue(
            f"{NAME} must be a letter, and up to 127 letters, digits and"
            " hyphens."
        )
    kind = given.find(_TYPE) or _UPDATE
    if kind not in (_CREATE, _UPDATE):
        raise errors.InvalidValue(f"{_TYPE} must be {_CREATE} or {_UPDATE}.")
    description = given.find("Description")
    if kind == _CREATE:
        asked = stacks.read_creation(backend, caller, given)
        facts = backend.plans.create_with_stack(
            caller,
            given.get(lookup.NAME),
            asked.inputs,
            _options(given, asked),
            name,
            description,
        )
        found = lookup.get_stack(backend, caller, given)
    else:
        found = lookup.get_stack(backend, caller, given)
        asked = stacks.read_update(backend, caller, given, found)
        planned: contract.PlanRequest = {
            "action": "update",
            "inputs": asked.inputs,
            "options": _options(given, asked),
            "plan_name": name,
        }
        if description is not None:
            planned["plan_description"] = description
        facts = backend.plans.create(caller, found["stack_id"], planned)
        if facts["action"] == _CREATE:
            backend.plans.delete(caller, found["stack_id"], facts["id"])
            raise errors.NotCreatedYet(
                f"Stack:{views.arn(found)} is not created yet, or its creation"
                " was denied, and cannot be updated: delete it, or save a"
                f" change set with {_TYPE}={_CREATE}."
            )
    return {
        "Id": change_set_views.arn(found, facts),
        "StackId": views.arn(found),
    }


def _options(
    given: parameters.Parameters, asked: stacks.StackRequest
) -> contract.StackOptions:
    """Return the options; what fails is rolled back unless it says not."""
    disables = requests.disables_rollback(given, "OnStackFailure")
    return {**asked.options, "disable_rollback": bool(disables)}


def describe(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Show a change set with a page of its changes, by resource."""
    found = _get(backend, caller, given)
    facts = backend.plans.show(
        caller, found.stack["stack_id"], found.facts["id"]
    )
    changes = change_set_views.changes(facts["plan"])
    after = given.place()
    if after is not None:
        changes = [each for each in changes if each[0] > after]
    page = changes[:PAGE]
    return {
        **_summary(backend, caller, found),
        "NotificationARNs": [],
        "Capabilities": [],
        "Tags": [],
        "Changes": [change for _, change in page],
        "NextToken": (
            parameters.token_of(page[-1][0]) if len(changes) > PAGE else None
        ),
    }


def list_change_sets(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """List the change sets of a stack, the newest first."""
    stack = lookup.get_stack(backend, caller, given)
    return {
        "Summaries": [
            _summary(backend, caller, ChangeSet(stack, each))
            for each in _list(backend, caller, stack)
        ]
    }


def execute(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Accept the operation of a change set.

    :raises orch.api.cfn.errors.InvalidChangeSetStatus: the stack has changed
        since, the change set is empty, or it has been executed
    """
    found = _get(backend, caller, given)
    if found.facts.get("is_empty"):
        raise errors.InvalidChangeSetStatus(change_set_views.EMPTY)
    options: contract.StackOptions = {}
    disable = given.boolean("DisableRollback")
    if disable is not None:
        options["disable_rollback"] = disable
    try:
        done = backend.plans.apply(
            caller, found.stack["stack_id"], found.facts["id"], options
        )
    except base_errors.Conflict as error:
        raise errors.InvalidChangeSetStatus(error.message) from error
    backend.start(caller, done)
    return {}


def delete(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> View:
    """Delete a change set; one that does not exist is no error."""
    try:
        found = _get(backend, caller, given)
        backend.plans.delete(
            caller, found.stack["stack_id"], found.facts["id"]
        )
    except (errors.ChangeSetNotFound, base_errors.NotFound):
        return {}
    return {}


def _summary(
    backend: backends.Backend,
    caller: request.RequestContext,
    found: ChangeSet,
) -> View:
    operation_id = found.facts.get("operation_id")
    state = None
    if operation_id is not None:
        shown = backend.operations.show(
            caller, found.stack["stack_id"], operation_id
        )
        state = shown["state"]
    return change_set_views.summary(found.stack, found.facts, state)


def _list(
    backend: backends.Backend,
    caller: request.RequestContext,
    stack: contract.StackIdentity,
) -> list[contract.SavedPlanFacts]:
    """Return the plans with a name, the newest first."""
    found = backend.plans.list(caller, stack["stack_id"])
    return [each for each in found if each.get("name")]


def _get(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> ChangeSet:
    """Return the change set of a name and a stack, or of an ARN.

    :raises orch.api.cfn.errors.ChangeSetNotFound: the stack has none such
    :raises orch.api.cfn.lookup.StackMissing: this caller has no such stack
    """
    name = given.get(NAME)
    arn = _ARN.fullmatch(name)
    if arn is not None:
        stack = lookup.get_named(backend, caller, arn["stack_id"])
    else:
        stack = lookup.get_stack(backend, caller, given)
    for each in _list(backend, caller, stack):
        if name in (each.get("name"), change_set_views.arn(stack, each)):
            return ChangeSet(stack, each)
    raise errors.ChangeSetNotFound(f"ChangeSet [{name[:300]}] does not exist")
