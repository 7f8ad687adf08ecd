"""The actions that can be planned, each with its use case."""

import collections.abc
import dataclasses
import types
import typing

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine.acceptance import dry_run
from orch.engine.queries import lookup
from orch.engine.snapshots import requests
from orch.engine.stack_inputs import store
from orch.engine.stacks import actions
from orch.engine.stacks import retry
from orch.engine.stacks import update
from orch.model import saved_plan
from orch.model import states
from orch.rpc import contract

Deps = dependencies.Dependencies
UseCase = collections.abc.Callable[
    [Deps, request.RequestContext, str, contract.PlanRequest],
    contract.Accepted | None,
]

_UPDATE: typing.Final = "update"


def _options(request: contract.PlanRequest) -> contract.StackOptions:
    return request.get("options", {})


def _acting(action: states.Action) -> UseCase:
    return lambda deps, ctxt, stack_id, request: actions.submit_action(
        deps, ctxt, stack_id, action, _options(request)
    )


_USE_CASES: typing.Final[collections.abc.Mapping[str, UseCase]] = (
    types.MappingProxyType(
        {
            _UPDATE: lambda deps, ctxt, stack_id, request: (
                update.submit_update(
                    deps,
                    ctxt,
                    stack_id,
                    request.get("inputs", {}),
                    _options(request),
                )
            ),
            "delete": lambda deps, ctxt, stack_id, request: (
                actions.submit_delete(deps, ctxt, stack_id, _options(request))
            ),
            "rollback": lambda deps, ctxt, stack_id, request: (
                actions.submit_rollback(deps, ctxt, stack_id)
            ),
            "cancel_update": lambda deps, ctxt, stack_id, request: (
                actions.submit_cancel(deps, ctxt, stack_id, rolls_back=True)
            ),
            "retry": lambda deps, ctxt, stack_id, request: retry.submit_retry(
                deps, ctxt, stack_id, _options(request)
            ),
            "suspend": _acting(states.Action.SUSPEND),
            "resume": _acting(states.Action.RESUME),
            "check": _acting(states.Action.CHECK),
            "snapshot": lambda deps, ctxt, stack_id, request: (
                requests.accept_snapshot(
                    deps,
                    ctxt,
                    stack_id,
                    request.get("name"),
                    _options(request),
                )
            ),
            "restore": lambda deps, ctxt, stack_id, request: (
                requests.submit_restore(
                    deps,
                    ctxt,
                    stack_id,
                    request.get("snapshot_id", ""),
                    _options(request),
                )
            ),
        }
    )
)


def find_use_case(
    ctxt: request.RequestContext, stack_id: str, request: contract.PlanRequest
) -> dry_run.Ask:
    """Return the call of the use case of a request.

    :raises orch.errors.Invalid: the action is unknown
    """
    found = _USE_CASES.get(request["action"])
    if found is None:
        raise errors.Invalid(
            f"{request['action'][:80]} cannot be planned; name one of"
            f" {', '.join(_USE_CASES)}."
        )
    return lambda deps: found(deps, ctxt, stack_id, request)


def use_case_of_plan(
    ctxt: request.RequestContext,
    saved: saved_plan.SavedPlan,
    options: contract.StackOptions,
) -> dry_run.Ask:
    """Return the call of the use case of a saved plan.

    :param options: instead of those of its request
    """
    request = request_of_plan(saved)
    request["options"] = {**_options(request), **options}
    if request["action"] == _UPDATE:
        return lambda deps: _update_again(deps, ctxt, saved, request)
    return find_use_case(ctxt, saved.stack_id, request)


def request_of_plan(saved: saved_plan.SavedPlan) -> contract.PlanRequest:
    """Return the request of a plan, without its inputs."""
    return typing.cast(contract.PlanRequest, dict(saved.options))


def without_inputs(request: contract.PlanRequest) -> dict[str, object]:
    """Return a request without its inputs, which are stored as contents."""
    return {key: value for key, value in request.items() if key != "inputs"}


def _update_again(
    deps: Deps,
    ctxt: request.RequestContext,
    saved: saved_plan.SavedPlan,
    request: contract.PlanRequest,
) -> contract.Accepted | None:
    """Accept the update to the template that was planned."""
    assert saved.template_hash is not None
    assert saved.environment_hash is not None
    template_hash, environment_hash = (
        saved.template_hash,
        saved.environment_hash,
    )

    def work(connection: db_engine.Connection) -> update.UpdateRequest:
        stack = lookup.get_stack(connection, ctxt, saved.stack_id)
        wanted = dataclasses.replace(
            stack,
            template_hash=template_hash,
            environment_hash=environment_hash,
        )
        return update.UpdateRequest(
            stack,
            store.read_inputs(connection, wanted),
            deps.templates.load(connection, wanted),
        )

    found = deps.database.query(work)
    return update.accept_update(deps, ctxt, found, _options(request))
