"""What may be planned: each action, and the use case that accepts it."""

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
from orch.engine.snapshots import create
from orch.engine.snapshots import restore
from orch.engine.stack_inputs import store
from orch.engine.stacks import action as stack_action
from orch.engine.stacks import cancel
from orch.engine.stacks import delete
from orch.engine.stacks import retry
from orch.engine.stacks import rollback
from orch.engine.stacks import update
from orch.model import saved_plan
from orch.model import states
from orch.rpc import contract

Deps = dependencies.Dependencies
Ask = collections.abc.Callable[
    [Deps, request.RequestContext, str, contract.PlanWish],
    contract.Accepted | None,
]

_UPDATE: typing.Final = "update"


def _options(wish: contract.PlanWish) -> contract.StackOptions:
    return wish.get("options", {})


def _acting(action: states.Action) -> Ask:
    return lambda deps, ctxt, stack_id, wish: stack_action.submit(
        deps, ctxt, stack_id, action, _options(wish)
    )


_ASKS: typing.Final[collections.abc.Mapping[str, Ask]] = (
    types.MappingProxyType(
        {
            _UPDATE: lambda deps, ctxt, stack_id, wish: update.submit(
                deps, ctxt, stack_id, wish.get("inputs", {}), _options(wish)
            ),
            "delete": lambda deps, ctxt, stack_id, wish: delete.submit(
                deps, ctxt, stack_id, _options(wish)
            ),
            "rollback": lambda deps, ctxt, stack_id, wish: rollback.submit(
                deps, ctxt, stack_id
            ),
            "cancel_update": lambda deps, ctxt, stack_id, wish: cancel.submit(
                deps, ctxt, stack_id, rolls_back=True
            ),
            "retry": lambda deps, ctxt, stack_id, wish: retry.submit(
                deps, ctxt, stack_id, _options(wish)
            ),
            "suspend": _acting(states.Action.SUSPEND),
            "resume": _acting(states.Action.RESUME),
            "check": _acting(states.Action.CHECK),
            "snapshot": lambda deps, ctxt, stack_id, wish: create.accept(
                deps, ctxt, stack_id, wish.get("name"), _options(wish)
            ),
            "restore": lambda deps, ctxt, stack_id, wish: restore.submit(
                deps,
                ctxt,
                stack_id,
                wish.get("snapshot_id", ""),
                _options(wish),
            ),
        }
    )
)


def ask(
    ctxt: request.RequestContext, stack_id: str, wish: contract.PlanWish
) -> dry_run.Ask:
    """Return what calls the use case of a wish.

    :raises orch.errors.Invalid: there is no such action
    """
    found = _ASKS.get(wish["action"])
    if found is None:
        raise errors.Invalid(
            f"{wish['action'][:80]} cannot be planned; name one of"
            f" {', '.join(_ASKS)}."
        )
    return lambda deps: found(deps, ctxt, stack_id, wish)


def ask_again(
    ctxt: request.RequestContext, kept: saved_plan.KeptPlan
) -> dry_run.Ask:
    """Return what calls the use case of a kept plan, with what was kept."""
    wish = wish_of(kept)
    if wish["action"] == _UPDATE:
        return lambda deps: _update_again(deps, ctxt, kept, wish)
    return ask(ctxt, kept.stack_id, wish)


def wish_of(kept: saved_plan.KeptPlan) -> contract.PlanWish:
    """Return what a plan was asked for, without its inputs."""
    return typing.cast(contract.PlanWish, dict(kept.options))


def without_inputs(wish: contract.PlanWish) -> dict[str, object]:
    """Return what is kept of a wish; its inputs are contents."""
    return {key: value for key, value in wish.items() if key != "inputs"}


def _update_again(
    deps: Deps,
    ctxt: request.RequestContext,
    kept: saved_plan.KeptPlan,
    wish: contract.PlanWish,
) -> contract.Accepted | None:
    """Ask for the update to the template that was planned."""
    assert kept.template_hash is not None
    assert kept.environment_hash is not None
    template_hash, environment_hash = kept.template_hash, kept.environment_hash

    def work(connection: db_engine.Connection) -> update.Wish:
        subject = lookup.get(connection, ctxt, kept.stack_id)
        wanted = dataclasses.replace(
            subject,
            template_hash=template_hash,
            environment_hash=environment_hash,
        )
        return update.Wish(
            subject,
            store.read_inputs(connection, wanted),
            deps.templates.load(connection, wanted),
        )

    found = deps.database.query(work)
    return update.accept(deps, ctxt, found, _options(wish))
