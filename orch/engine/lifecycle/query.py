"""Queries of lifecycle plug-ins and of their verdicts on operations."""

import collections.abc

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.db.repositories import lifecycle as stored_lifecycle
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.queries import lookup
from orch.model import lifecycle
from orch.model import stack
from orch.plugin import lifecycle_order
from orch.rpc import contract

Runs = collections.abc.Sequence[lifecycle.Run]
RunsOf = collections.abc.Mapping[ids.OperationId, Runs]


def list_plugins(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> list[contract.LifecyclePluginFacts]:
    """Return the plug-ins in force, in the order of their calls.

    :raises orch.errors.AskAnother: this worker does not have them
    """
    deps.plugins.check_active()
    number = deps.plugins.number
    return [_plugin(each, number) for each in deps.plugin_order.members]


def runs_of(connection: db_engine.Connection, stack_id: ids.StackId) -> RunsOf:
    """Return the calls around the operations of a stack; one SELECT."""
    found: dict[ids.OperationId, list[lifecycle.Run]] = {}
    for run in stored_lifecycle.list_of_stack(connection, stack_id):
        found.setdefault(run.operation_id, []).append(run)
    return found


def calls_of(runs: Runs) -> list[contract.CallFacts]:
    """Return all calls, those of the first attempt first."""
    return [
        contract.CallFacts(
            plugin=call.plugin,
            attempt=run.attempt,
            verb=run.verb,
            phase=call.phase,
            ruling=call.ruling,
            text=call.text,
            error=call.error,
            began_at=call.began_at,
            seconds=call.seconds,
            is_repeat=call.is_repeat,
            enforcement=call.enforcement,
            overridden_by=call.overridden_by,
            override_reason=call.override_reason,
        )
        for run in runs
        for call in run.calls
    ]


def hold_of(runs: Runs, attempt: int) -> contract.HoldFacts | None:
    """Return the hold of an attempt, open or answered."""
    found = [
        run.hold
        for run in runs
        if run.attempt == attempt and run.hold is not None
    ]
    return hold_facts(found[-1]) if found else None


def list_holds(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> list[contract.OpenHoldFacts]:
    """Return the open holds of the caller's project, the oldest first.

    Operations of child stacks are among them.
    """
    return deps.database.query(
        lambda connection: _read_holds(connection, ctxt.project_id or "")
    )


def list_all_holds(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> list[contract.OpenHoldFacts]:
    """Return the open holds of all projects, the oldest first."""
    return deps.database.query(
        lambda connection: _read_holds(connection, None)
    )


def _read_holds(
    connection: db_engine.Connection, project_id: str | None
) -> list[contract.OpenHoldFacts]:
    runs = stored_lifecycle.list_held_of_project(connection, project_id)
    roots = {
        stacks.get(connection, each).root_id
        for each in sorted({run.stack_id for run in runs})
    }
    trees = {each.id: each for each in stacks.list_trees(connection, roots)}
    found = []
    for run in runs:
        stack = trees[run.stack_id]
        root = trees.get(stack.root_id)
        if root is None or run.hold is None:
            continue
        operation = operations.get(connection, run.operation_id)
        found.append(
            contract.OpenHoldFacts(
                path=path_of(trees.get, stack, root.id),
                stack=lookup.identity_of(stack),
                root=lookup.identity_of(root),
                project_id=stack.project_id,
                operation_id=operation.id,
                action=operation.action.value,
                cause=operation.origin.cause,
                requested_by=operation.requested_by,
                policy_set_by=operation.origin.policy_setter.label,
                hold=hold_facts(run.hold),
            )
        )
    return found


def list_child_holds(
    connection: db_engine.Connection, stack: stack.Stack
) -> list[contract.ChildHoldFacts]:
    """Return the open holds of the child stacks of a stack."""
    held = stored_lifecycle.list_held(connection, stack.root_id)
    if not held:
        return []
    tree = {
        each.id: each for each in stacks.list_tree(connection, stack.root_id)
    }
    found = []
    for run in held:
        child = tree.get(run.stack_id)
        # A stack that was purged since, or whose parent was, has no path.
        path = path_of(tree.get, child, stack.id)
        if child is not None and run.hold is not None and path:
            found.append(
                contract.ChildHoldFacts(
                    path=path,
                    stack=lookup.identity_of(child),
                    hold=hold_facts(run.hold),
                )
            )
    return found


def verdicts_of_newest(
    connection: db_engine.Connection, stack: stack.Stack
) -> list[contract.VerdictFacts]:
    """Return the verdicts on the newest operation, other than allow.

    A plug-in that gave no answer has denied it; one that fails open warns.
    """
    if stack.operation_id is None:
        return []
    found = stored_lifecycle.find(connection, stack.operation_id)
    if found is None:
        return []
    return [
        contract.VerdictFacts(
            plugin=call.plugin,
            ruling=call.shown_ruling,
            text=call.text or call.error or "",
            enforcement=call.enforcement,
            overridden_by=call.overridden_by,
            override_reason=call.override_reason,
        )
        for call in found.verdicts
        if call.phase == lifecycle.PRE
    ]


def decisions_for(
    connection: db_engine.Connection, stack: stack.Stack, name: str
) -> dict[str, object]:
    """Return the decisions for a resource, by plug-in."""
    path = tree_paths.below(tree_paths.path_of(connection, stack), name)
    found = decisions.list_for(connection, stack.root_id, path)
    return {each.plugin: each.value for each in found}


def path_of(
    find: collections.abc.Callable[[ids.StackId], stack.Stack | None],
    child: stack.Stack | None,
    parent_id: ids.StackId,
) -> list[str]:
    """Return the path from a stack down to a stack in its tree.

    :param find: returns a stack by its id
    :returns: names of resources; empty where the stack is not below
    """
    path: list[str] = []
    while child is not None and child.id != parent_id:
        if child.parent_id is None or child.parent_resource is None:
            return []
        path.insert(0, child.parent_resource)
        child = find(child.parent_id)
    return [] if child is None else path


def hold_facts(found: lifecycle.Hold) -> contract.HoldFacts:
    """Return a hold as the contract has it."""
    return contract.HoldFacts(
        plugin=found.plugin,
        text=found.text,
        requested_at=found.requested_at,
        deadline_at=found.deadline_at,
        answer=found.answer,
        answered_by=found.answered_by,
        answered_at=found.answered_at,
        answer_text=found.answer_text,
        needs_other=found.needs_other,
    )


def _plugin(
    member: lifecycle_order.OrderedPlugin, number: int
) -> contract.LifecyclePluginFacts:
    plugin = member.plugin
    return contract.LifecyclePluginFacts(
        name=plugin.name,
        ordinal=plugin.ordinal,
        before=list(plugin.before),
        after=list(plugin.after),
        scope=plugin.scope.value,
        verbs=None if plugin.verbs is None else sorted(plugin.verbs),
        supports_preview=plugin.supports_preview,
        time_limit_s=member.time_limit_s,
        is_fail_open=member.is_fail_open,
        is_legacy=member.is_legacy,
        enforcement=member.enforcement.value,
        load_error=member.load_error,
        settings_number=number,
    )
