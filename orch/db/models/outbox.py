"""The table of notifications that wait for the bus."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

OUTBOX = base.table(
    "outbox",
    sa.Column("number", types.number(), primary_key=True, autoincrement=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("sequence", sa.BigInteger(), nullable=False),
    sa.Column("event_type", types.label(), nullable=False),
    sa.Column("priority", sa.String(16), nullable=False),
    sa.Column("context", types.Json(), nullable=False),
    sa.Column("payload", types.Json(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("topic", types.label()),
    sa.Index(None, "topic", "number"),
)
