"""Compare a tree with what was read of it, and find what to repair."""

import collections.abc

from orch import ids
from orch.engine import tree_paths
from orch.engine.observer import reality_reader
from orch.engine.observer import tree_loader
from orch.flow.state import drift_records
from orch.model import drift_policy
from orch.model import observation
from orch.model import resource
from orch.planner import drift
from orch.planner import survey
from orch.plugin import registry

_Policy = observation.Policy
Members = collections.abc.Iterable[drift_records.StackObservations]


def compare_tree(
    tree: tree_loader.Tree,
    answers: reality_reader.Answers,
    types: registry.Types,
    policy: observation.Values,
) -> list[drift_records.StackObservations]:
    """Return the observations of stacks with no operation in progress.

    :param policy: the policy of the tree, as its watch has it
    """
    comparison = drift.Comparison(
        tree.root.id, types, policy, tree.read_at, tree.holders
    )
    return [
        drift_records.StackObservations(
            stack=each.stack,
            operation=each.operation,
            resources=tuple(
                comparison.compare(
                    row,
                    tree_paths.below(each.path, row.name),
                    answers.get(row.id),
                    tree.observed.get(row.id),
                )
                for row in each.rows
            ),
        )
        for each in tree.stacks
        if not each.is_busy
    ]


def readable_rows(tree: tree_loader.Tree) -> list[resource.Resource]:
    """Return the rows of a tree whose physical resources are to be read."""
    return [
        row
        for each in tree.stacks
        if not each.is_busy
        for row in each.rows
        if survey.is_reportable(row) and row.id not in tree.holders
    ]


def repairs_of(
    members: Members, policy: observation.Values
) -> dict[ids.ResourceId, tuple[str, ...] | None]:
    """Return the repairs that policies demand.

    A physical resource that exists and in which a check has found fault is
    left to users: an update would replace it.

    :returns: names of properties by resource; ``None`` for a physical resource
        that is to be created anew
    """
    policies = drift_policy.Policies(policy)
    found: dict[ids.ResourceId, tuple[str, ...] | None] = {}
    for one in (one for each in members for one in each.resources):
        if one.after.state is not observation.State.DRIFTED:
            continue
        if one.after.is_vanished:
            if policies.of_resource(one.path) is _Policy.REPAIR:
                found[one.row.id] = None
            continue
        due = tuple(
            each.property
            for each in one.after.differences
            if each.policy is _Policy.REPAIR
        )
        if due and survey.is_readable(one.row):
            found[one.row.id] = due
    return found
