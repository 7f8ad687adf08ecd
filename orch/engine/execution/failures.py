"""What of an operation failed, what caused the rest before the rest."""

import collections.abc

from orch import ids
from orch.flow.state import store
from orch.graph import graph
from orch.model import resource
from orch.model import retry_exclusions
from orch.model import states

_NOT_NOW = 1
"""Rank of what failed in an earlier attempt, or was only interrupted."""


def list_failures(store: store.Store) -> tuple[dict[str, object], ...]:
    """Return the failures that the operation leaves, root causes first.

    A resource that failed after one that it depends on is taken for a
    consequence of it; in a deletion it is the other way round. What was not
    taken up again in this attempt comes last.
    """
    skip = retry_exclusions.RetryExclusions.of(store.operation.options).skip
    failed = [
        row
        for row in (*store.rows, *store.results.refused)
        if row.status is states.Status.FAILED
        and row.operation_id == store.operation.id
        and row.name not in skip
    ]
    if len(failed) > 1:
        failed = _ordered(store, failed)
    return tuple(_failure(row) for row in failed)


def find_stack_failure(store: store.Store, reason: str) -> dict[str, object]:
    """Return what made the whole operation fail; it is of no resource."""
    return {
        "name": store.stack.name,
        "path": "",
        "type": "",
        "resource_id": None,
        "physical_id": None,
        "action": store.operation.action,
        "reason": reason,
    }


def _ordered(
    store: store.Store, failed: collections.abc.Sequence[resource.Resource]
) -> list[resource.Resource]:
    places = {
        row_id: place for place, row_id in enumerate(store.results.failed)
    }
    depths = _depths(store.rows, {row.id for row in failed})

    def rank(row: resource.Resource) -> tuple[int, int, float]:
        if row.id not in places:
            return _NOT_NOW, depths.get(row.id, 0), row.updated_at
        return 0, depths.get(row.id, 0), places[row.id]

    return sorted(failed, key=rank)


def _depths(
    rows: collections.abc.Iterable[resource.Resource],
    failed: collections.abc.Set[ids.ResourceId],
) -> dict[ids.ResourceId, int]:
    """Return how many failures, one upon another, each may come from."""
    order_of = _graph(rows)
    depths: dict[ids.ResourceId, int] = {}
    for row_id in order_of.order():
        depths[row_id] = max(
            (
                depths[each] + (each in failed)
                for each in order_of.requires(row_id)
            ),
            default=0,
        )
    return depths


def _graph(
    rows: collections.abc.Iterable[resource.Resource],
) -> graph.Graph[ids.ResourceId]:
    """Return who can act only after whom."""
    by_name: dict[str, list[resource.Resource]] = {}
    order_of = graph.Graph[ids.ResourceId]()
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
        order_of.add(row.id)
    for row in (each for found in by_name.values() for each in found):
        for name in row.requires:
            for required in by_name.get(name, ()):
                if required.action is states.Action.DELETE:
                    order_of.connect(required.id, row.id)
                else:
                    order_of.connect(row.id, required.id)
    return order_of


def _failure(row: resource.Resource) -> dict[str, object]:
    return {
        "name": row.name,
        "path": f"resources.{row.name}",
        "type": row.type_name,
        "resource_id": row.id,
        "physical_id": row.physical_id,
        "action": row.action,
        "reason": row.status_reason,
    }
