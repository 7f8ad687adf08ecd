"""The tables of what lifecycle plug-ins were asked, and have decided."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import lifecycle

LIFECYCLE_RUNS = base.table(
    "lifecycle_runs",
    sa.Column("operation_id", types.uuid(), primary_key=True),
    sa.Column("attempt", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("verb", sa.String(16), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("chain", types.JsonList(), nullable=False),
    sa.Column("stage", types.Word(lifecycle.Stage), nullable=False),
    sa.Column("ahead", sa.Integer(), nullable=False),
    sa.Column("passed", sa.Integer(), nullable=False),
    sa.Column("calls", types.SealedJson(), nullable=False),
    sa.Column("outcome", sa.String(16), nullable=False),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("is_refused", sa.Boolean(), nullable=False),
    sa.Column("began_at", types.moment(), nullable=False),
    # What follows is of a hold, and written apart: a user may answer it
    # while a worker writes how far the calls are.
    sa.Column("hold_plugin", types.label()),
    sa.Column("hold_text", types.FreeText()),
    sa.Column("hold_requested_at", types.moment()),
    sa.Column("hold_deadline_at", types.moment()),
    sa.Column("hold_left_s", sa.Double()),
    sa.Column("hold_answer", sa.String(16)),
    sa.Column("hold_answered_by", types.label()),
    sa.Column("hold_answered_at", types.moment()),
    sa.Column("hold_answer_text", types.FreeText()),
    sa.Column("hold_needs_other", sa.Boolean()),
    sa.Column("hold_is_separate", sa.Boolean()),
    # Written with the first changes, and read only for post-ops.
    sa.Column("tree_before", types.SealedBlob()),
    sa.Column("for_operation", types.uuid()),
    # Written by the operation that takes them.
    sa.Column("released_paths", types.JsonList()),
    sa.Index(None, "stack_id"),
    sa.Index(None, "stage", "began_at"),
    sa.Index(None, "for_operation"),
)

LIFECYCLE_DECISIONS = base.table(
    "lifecycle_decisions",
    sa.Column("root_id", types.uuid(), primary_key=True),
    sa.Column("path_digest", types.digest(), primary_key=True),
    sa.Column("plugin", types.label(), primary_key=True),
    sa.Column("path", types.FreeText(), nullable=False),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("value", types.SealedJson(), nullable=False),
    sa.Column("operation_id", types.uuid(), nullable=False),
    sa.Column("attempt", sa.Integer(), nullable=False),
    sa.Column("is_proven", sa.Boolean(), nullable=False),
    sa.Column("earlier", types.SealedJson(), nullable=False),
    sa.Index(None, "stack_id"),
    sa.Index(None, "plugin"),
)
"""A digest stands for the path: MySQL's keys are not of any length."""
