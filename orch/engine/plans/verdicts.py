"""Add the verdicts of lifecycle plug-ins to a plan."""

import dataclasses

from orch.context import request
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.lifecycle import dry_run
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import views
from orch.engine.plan_tree import nested
from orch.model import states
from orch.rpc import contract

_NEW = frozenset({states.Action.CREATE, states.Action.ADOPT})


def with_verdicts(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: nested.PlannedStack,
) -> contract.PlanFacts:
    """Return a plan as the API shows it, with the verdicts of plug-ins.

    Only plug-ins that answer previews are called. A denied plan is shown
    nevertheless.

    :raises orch.errors.AskAnother: the worker does not have the plug-ins in
        force
    """
    deps.plugins.check_active()
    facts = found.shown()
    facts["verdicts"] = _verdicts(deps, ctxt, found)
    return facts


def _verdicts(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: nested.PlannedStack,
) -> list[contract.VerdictFacts]:
    operation, stack = found.operation, found.loaded.stack
    verb = situation.verb_of(operation)
    previewers = dry_run.list_previewers(deps.plugin_order, verb)
    if not previewers:
        return []
    before, path = None, ""
    if operation.action not in _NEW:
        before, path = deps.database.query(
            lambda connection: (
                stacks.find(connection, stack.id),
                tree_paths.path_of(connection, stack),
            )
        )
    operation_of = views.show_preview(
        deps,
        ctxt,
        dataclasses.replace(
            situation.request_info(operation, verb),
            operation_id="",
            is_preview=True,
        ),
        before,
        found,
        path,
    )
    return [
        contract.VerdictFacts(
            plugin=each.plugin,
            ruling=each.shown_ruling,
            text=f"it failed: {each.error}" if each.error else each.text,
            enforcement=each.enforcement,
        )
        for each in dry_run.ask_plugins(
            deps.plugin_order,
            previewers,
            operation_of,
            deps.reads,
            deps.clock,
            found.redacts.text,
        )
        if each.shown_ruling != "allow"
    ]
