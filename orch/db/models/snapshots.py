"""The table of snapshots."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import states

SNAPSHOTS = base.table(
    "snapshots",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("name", types.label()),
    sa.Column("operation_id", types.uuid(), nullable=False),
    sa.Column("status", types.Word(states.Status), nullable=False),
    sa.Column("status_reason", types.FreeText(), nullable=False),
    sa.Column("template_hash", types.digest(), nullable=False),
    sa.Column("environment_hash", types.digest(), nullable=False),
    sa.Column("data", types.SealedJson()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Index(None, "stack_id", "created_at"),
    sa.Index(None, "template_hash"),
    sa.Index(None, "environment_hash"),
)
