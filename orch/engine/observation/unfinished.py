"""What a repair that failed has left undone.

A thing that was to be made anew and could not be has no physical id: a look
at it shows nothing, and it is its failed repair that says what is wanted.
"""

import collections.abc

from orch import ids
from orch.engine.lifecycle import paths
from orch.engine.observation import loading
from orch.model import drift_policy
from orch.model import observation
from orch.model import operation
from orch.model import repair
from orch.model import resource
from orch.model import states

Repairs = collections.abc.Mapping[ids.ResourceId, repair.Names | None]


def find(tree: loading.Tree, policy: observation.Values) -> Repairs:
    """Return what the last operation, a repair, was to put back.

    What vanished and could not be made is told by its row, and by that of
    what vanished, which stands for its name no more: without it the update
    would go back to a thing that is not there. What policies do not say to
    repair any more is left out.

    :param policy: of the tree, as its watch has it
    :returns: as :class:`orch.model.repair.Repair`; empty where the last
        operation is no repair that failed
    """
    asked = repair_of(tree)
    if asked is None:
        return {}
    policies = drift_policy.Policies(policy)
    found: dict[ids.ResourceId, repair.Names | None] = {}
    for loaded in tree.stacks:
        for row in loaded.rows:
            path = paths.below(loaded.path, row.name)
            wanted = _wanted(row, path, asked, policies)
            if wanted is None or wanted:
                found[row.id] = wanted
    if None in found.values():
        current = {row.id for each in tree.stacks for row in each.rows}
        gone = asked.only.keys() - current
        found.update(dict.fromkeys(gone))
    return found


def repair_of(tree: loading.Tree) -> repair.Repair | None:
    """Return what the last operation of the root was to put back.

    :returns: ``None`` where that is no repair, or none that failed
    """
    for loaded in tree.stacks:
        if loaded.subject.id == tree.root.id and _has_failed(loaded.asked):
            assert loaded.asked is not None
            return repair.Repair.of(loaded.asked.options)
    return None


def _has_failed(asked: operation.Operation | None) -> bool:
    return asked is not None and asked.state is states.OperationState.FAILED


def _wanted(
    row: resource.Resource,
    path: str,
    asked: repair.Repair,
    policies: drift_policy.Policies,
) -> repair.Names | None:
    """Return what is to be put back of a thing; empty for nothing."""
    names = asked.only.get(row.id)
    if names is not None:
        return tuple(
            name
            for name in names
            if policies.of_property(path, name) is observation.Policy.REPAIR
        )
    # One that stands is looked at: what is seen of it says what is wanted.
    is_wanted = policies.of_resource(path) is observation.Policy.REPAIR
    return None if is_wanted and _never_stood(row) else ()


def _never_stood(row: resource.Resource) -> bool:
    """Answer whether the making of a thing has failed."""
    return (
        row.status is states.Status.FAILED
        and row.action is not states.Action.CHECK
        and not row.is_standing
    )
