"""Forget signals that report a failure, when that is retried."""

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import signals
from orch.model import states
from orch.plugin import registry


def forget_failures(
    connection: db_engine.Connection,
    stack_id: ids.StackId,
    types: registry.Types,
) -> None:
    """Forget what failed the last operation of a stack by a signal.

    Signals of success stay, and so does a failure that nothing has failed of
    yet. Call it in the transaction that accepts the retry.
    """
    rows = resources.list_(connection, stack_id)
    heard = {
        name
        for row in rows
        if row.status is states.Status.FAILED
        for name in (row.name, *row.requires)
    }
    for row in rows:
        plugin = types.find(row.plugin_type) if row.name in heard else None
        if plugin is None or not plugin.takes_signals:
            continue
        known = signals.lock_data(connection, row) or {}
        left = plugin.forget_failures(known)
        if left != known:
            signals.save_data(connection, row, left)
