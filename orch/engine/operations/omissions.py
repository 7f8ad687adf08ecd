"""The resources that the last operation of a stack has left out."""

from orch.db import engine as db_engine
from orch.db.repositories import leftovers
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.model import leftover
from orch.model import resource
from orch.model import retry_exclusions
from orch.model import stack as stack_model
from orch.model import states
from orch.rpc import contract


def list_omitted(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> list[contract.OmittedFacts]:
    """Return what the last operation has skipped or orphaned, by name."""
    if stack.operation_id is None:
        return []
    operation = operations.get(connection, stack.operation_id)
    exclusions = retry_exclusions.RetryExclusions.of(operation.options)
    if exclusions == retry_exclusions.NOTHING:
        return []
    left = {
        each.name: each
        for each in leftovers.list_of_operation(connection, operation.id)
    }
    unfinished = _unfinished(connection, stack)
    found = [
        _facts(name, leftover.Cause.SKIPPED, unfinished.get(name), left)
        for name in exclusions.skip
    ]
    found += [
        _facts(name, leftover.Cause.ORPHANED, None, left)
        for name in exclusions.orphan - exclusions.skip
    ]
    return sorted(found, key=lambda each: each["name"])


def _unfinished(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> dict[str, resource.ResourceSummary]:
    """Return the rows that were skipped; a deletion leaves none."""
    return {
        row.name: row
        for row in resources.list_summaries(connection, stack.id)
        if row.status is states.Status.FAILED and not row.is_gone
    }


def _facts(
    name: str,
    cause: leftover.Cause,
    row: resource.ResourceSummary | None,
    left: dict[str, leftover.Leftover],
) -> contract.OmittedFacts:
    gone = left.get(name)
    reason, physical_id = "", None
    if row is not None:
        reason, physical_id = row.status_reason, row.physical_id
    elif gone is not None:
        reason, physical_id = gone.reason, gone.physical_id
    return contract.OmittedFacts(
        name=name,
        how=cause.value,
        reason=reason,
        physical_id=physical_id,
        leftover_id=None if gone is None else gone.id,
    )
