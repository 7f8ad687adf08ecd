"""Which incarnation of a resource is shown."""

import collections.abc

from orch.model import resource
from orch.model import states


def shown(
    rows: collections.abc.Iterable[resource.Resource],
) -> list[resource.Resource]:
    """Return one incarnation for each name that has any, in their order.

    What is to be replaced is shown until its replacement begins to exist, as
    in Heat, where only then there is one.
    """
    found = list(rows)
    older = {
        row.replaced_by: row
        for row in found
        if row.replaced_by is not None and not row.is_gone
    }
    return [
        older.get(row.id, row) if row.action is states.Action.INIT else row
        for row in found
        if row.is_current
    ]
