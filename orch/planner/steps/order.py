"""Who waits for whom: makers after what they need, removals the other way."""

from orch.model import resource
from orch.model import states
from orch.planner import draft


def apply(situation: draft.Situation, work: draft.Draft) -> None:
    """Add the edges between the changes of resources that need each other.

    A resource is made after everything it requires, and removed before it;
    the remains of a failed incarnation are removed before the next is made.
    """
    for name, key in work.creates.items():
        requires = situation.desired[name].requires
        work.edges[key].extend(
            work.creates[each] for each in requires if each in work.creates
        )
    rows = {row.id: row for row in situation.existing}
    for name, keys in work.deletes.items():
        for key in keys:
            row = rows[work.changes[key].resource_id]
            _remove_before_required(row, key, work)
            if name in work.creates and _is_in_the_way(row):
                work.edges[work.creates[name]].append(key)


def _is_in_the_way(row: resource.Resource) -> bool:
    """Answer whether it is the remains of a failure, of no use to anybody."""
    return (
        row.status is states.Status.FAILED
        or row.action is states.Action.DELETE
    )


def _remove_before_required(
    row: resource.Resource, key: str, work: draft.Draft
) -> None:
    for required in row.requires:
        for removal in work.deletes.get(required, ()):
            work.edges[removal].append(key)
