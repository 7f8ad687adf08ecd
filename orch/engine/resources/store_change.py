"""Store what a request makes of a resource, outside of any operation."""

import dataclasses

from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.engine import dependencies
from orch.engine.notifications import audience
from orch.engine.secrets import tree_secrets
from orch.events import recorder
from orch.flow.state import submit as flow_submit
from orch.model import resource
from orch.model import stack
from orch.model import states


def store_change(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    before: resource.Resource,
    after: resource.Resource,
) -> resource.Resource:
    """Store the resource, and an event if its state or reason differs.

    The reason is stored redacted, as those of operations are.

    Consumers are notified too: no operation of the stack reports it.

    :param stack: locked, without an operation in progress
    :returns: the resource as it is stored
    """
    now = deps.clock.now()
    reason = after.status_reason
    if reason != before.status_reason:
        reason = tree_secrets.redact_said(
            connection, deps.templates.find, stack, reason
        )
    after = dataclasses.replace(after, status_reason=reason, updated_at=now)
    resources.save_many(connection, [after])
    if _state_of(before) == _state_of(after):
        return after
    assert stack.operation_id is not None
    notes = recorder.Recorder(
        flow_submit.find_newest_event(connection, stack.id),
        operations.get(connection, stack.operation_id),
        audience.transaction_audience(connection, deps.templates.find, stack),
    )
    notes.record_resource(after, now)
    notes.take().store(connection)
    return after


def _state_of(
    row: resource.Resource,
) -> tuple[states.Action, states.Status, str]:
    return row.action, row.status, row.status_reason
