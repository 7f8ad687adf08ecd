"""The table of abandonments, which outlive their stacks."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

ABANDONMENTS = base.table(
    "abandonments",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("basis", types.FreeText(), nullable=False),
    sa.Column("document", types.SealedJson(), nullable=False),
    sa.Column("operation_id", types.uuid()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("receiver_id", types.label()),
    sa.Column("offered_at", types.moment()),
    sa.Column("stack_name", types.label()),
    sa.Column("resource_count", sa.Integer()),
    sa.Column("taken_by", types.uuid()),
    sa.Index(None, "stack_id", "created_at"),
    sa.Index(None, "created_at"),
    sa.Index(None, "receiver_id", "offered_at"),
    sa.Index(None, "project_id", "offered_at"),
)

# One row a thing that only one at a time may decide upon.
DECISIONS = base.table(
    "decisions",
    sa.Column("name", types.label(), primary_key=True),
)
