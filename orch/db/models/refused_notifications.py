"""The table of notifications that the bus refuses while it takes others."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

REFUSED_NOTIFICATIONS = base.table(
    "refused_notifications",
    sa.Column("number", types.number(), primary_key=True, autoincrement=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("sequence", sa.BigInteger(), nullable=False),
    sa.Column("event_type", types.label(), nullable=False),
    sa.Column("priority", sa.String(16), nullable=False),
    sa.Column("context", types.Json(), nullable=False),
    sa.Column("payload", types.Json(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("topic", types.label()),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("refused_at", types.moment(), nullable=False),
)
