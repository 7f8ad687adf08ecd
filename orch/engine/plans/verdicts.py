"""Adds to a plan what lifecycle plug-ins would say of it."""

import dataclasses

from orch.context import request
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.lifecycle import dry_run
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import request_info
from orch.engine.lifecycle import views
from orch.engine.plan_tree import nested
from orch.model import states
from orch.plugin import lifecycle_operation
from orch.rpc import contract

_NEW = frozenset({states.Action.CREATE, states.Action.ADOPT})


def shown(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: nested.Planned,
) -> contract.PlanFacts:
    """Return a plan as it is shown, with the verdicts of plug-ins on it.

    Only those are asked that answer previews. What is denied is shown all
    the same.
    """
    facts = found.shown()
    facts["verdicts"] = _verdicts(deps, ctxt, found)
    return facts


def _verdicts(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: nested.Planned,
) -> list[contract.VerdictFacts]:
    asked, subject = found.asked, found.loaded.subject
    verb = request_info.verb_of(asked)
    if not dry_run.has_any(deps.roster, verb, subject.depth):
        return []
    before = None
    if asked.action not in _NEW:
        before = deps.database.query(
            lambda connection: stacks.find(connection, subject.id)
        )
    seen = lifecycle_operation.Pattern(
        dataclasses.replace(
            request_info.asked_of(asked, verb),
            operation_id="",
            is_preview=True,
        ),
        views.Foreseen(deps, ctxt, before, found),
    )
    return [
        contract.VerdictFacts(
            plugin=each.plugin,
            ruling=each.ruling,
            text=hook_call.cut(found.masks.covered(each.text)),
        )
        for each in dry_run.judge(
            deps.roster, subject.depth, seen, deps.reads, deps.clock
        )
    ]
