"""List the failures of an operation, root causes first."""

import collections.abc

from orch import ids
from orch.flow.state import store
from orch.graph import graph
from orch.model import resource
from orch.model import retry_exclusions
from orch.model import states

_NOT_NOW = 1
"""Rank of failures of an earlier attempt, and of interruptions."""


def list_failures(store: store.Store) -> tuple[dict[str, object], ...]:
    """Return the failures of an operation, root causes first.

    A failed resource that depends on another failed one is taken for its
    consequence; in a deletion it is the other way round. Resources that this
    attempt did not retry come last.
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
    """Return the failure of a whole operation, which is of no resource."""
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
    """Return the length of the chain of failures before each resource."""
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
    """Return the graph of resources that have to wait for others."""
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
