"""The table of events."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import states

# An event's id is derived from its key, see orch.ids.event_id.
EVENTS = base.table(
    "events",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column(
        "sequence", sa.BigInteger(), primary_key=True, autoincrement=False
    ),
    sa.Column("operation_id", types.uuid()),
    sa.Column("request_id", types.label()),
    sa.Column("resource_name", types.label(), nullable=False),
    sa.Column("resource_type", types.label(), nullable=False),
    sa.Column("resource_id", types.uuid()),
    sa.Column("physical_id", types.FreeText()),
    sa.Column("action", types.Word(states.Action), nullable=False),
    sa.Column("status", types.Word(states.Status), nullable=False),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
)
