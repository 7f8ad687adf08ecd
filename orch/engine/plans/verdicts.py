"""Add the verdicts of lifecycle plug-ins to a plan."""

import collections.abc
import dataclasses
import functools

from orch.context import request
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import releases
from orch.engine import tree_paths
from orch.engine.judged_requests import hooks
from orch.engine.lifecycle import dry_run
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import views
from orch.engine.plan_tree import nested
from orch.flow.state import restoration
from orch.plugin import lifecycle_operation
from orch.rpc import contract


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
    operation = found.operation
    asked = dataclasses.replace(
        situation.request_info(operation, situation.verb_of(operation)),
        operation_id="",
        is_preview=True,
    )
    verdicts = _ask(
        deps,
        asked.verb,
        lambda: _show_planned(deps, ctxt, asked, found),
        found.redacts.text,
    )
    sources = deps.database.query(
        lambda connection: releases.find_sources(connection, operation)
    )
    for root, paths in sources:
        released = dataclasses.replace(
            asked, action="RELEASE", verb="release", paths=tuple(paths)
        )
        verdicts += _ask(
            deps,
            released.verb,
            functools.partial(
                hooks.show_unchanged, deps, ctxt, released, root, (), None
            ),
            hooks.redactor_of(deps, root),
            f"Release from stack {root.name}: ",
        )
    return verdicts


def _show_planned(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    asked: lifecycle_operation.OperationRequest,
    found: nested.PlannedStack,
) -> situation.OperationOf:
    """Return the planned operation as plug-ins see it."""
    stack = found.loaded.stack
    begins = restoration.begins_stack(found.operation)
    before, path = deps.database.query(
        lambda connection: (
            None if begins else stacks.find(connection, stack.id),
            tree_paths.path_of(connection, stack),
        )
    )
    return views.show_preview(deps, ctxt, asked, before, found, path)


def _ask(
    deps: dependencies.Dependencies,
    verb: str,
    show: collections.abc.Callable[[], situation.OperationOf],
    redact: hook_call.Redact,
    prefix: str = "",
) -> list[contract.VerdictFacts]:
    """Return the verdicts on a verb, except those that allow it.

    :param show: returns the operation as plug-ins see it
    :param prefix: of the texts
    """
    previewers = dry_run.list_previewers(deps.plugin_order, verb)
    if not previewers:
        return []
    return [
        contract.VerdictFacts(
            plugin=each.plugin,
            ruling=each.shown_ruling,
            text=prefix
            + (f"it failed: {each.error}" if each.error else each.text),
            enforcement=each.enforcement,
        )
        for each in dry_run.ask_plugins(
            deps.plugin_order,
            previewers,
            show(),
            deps.reads,
            deps.clock,
            redact,
        )
        if each.shown_ruling != "allow"
    ]
