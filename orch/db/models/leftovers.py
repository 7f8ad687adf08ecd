"""The table of left-over physical resources, which outlive their stacks."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import leftover

LEFTOVERS = base.table(
    "leftovers",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("stack_name", types.label(), nullable=False),
    sa.Column("holder_name", types.label(), nullable=False),
    sa.Column("path", types.FreeText(), nullable=False),
    sa.Column("name", types.label(), nullable=False),
    sa.Column("type_name", types.label(), nullable=False),
    sa.Column("mapped_type", types.label()),
    sa.Column("physical_id", types.FreeText()),
    sa.Column("id_scope", types.digest()),
    sa.Column("attempt", sa.Integer(), nullable=False),
    sa.Column("is_outcome_unknown", sa.Boolean(), nullable=False),
    sa.Column("cause", types.Word(leftover.Cause), nullable=False),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("properties", types.MarkedJson(), nullable=False),
    sa.Column("attributes", types.MarkedJson(), nullable=False),
    sa.Column("data", types.SealedJson(), nullable=False),
    sa.Column("metadata", types.MarkedJson(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("left_at", types.moment(), nullable=False),
    sa.Column("operation_id", types.uuid()),
    sa.Column("sweep_id", types.uuid()),
    sa.Index(None, "project_id", "left_at"),
    sa.Index(None, "stack_id"),
    sa.Index(None, "sweep_id"),
)
