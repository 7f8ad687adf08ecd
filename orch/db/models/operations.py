"""The table of operations, each with the lease of its worker."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import states

OPERATIONS = base.table(
    "operations",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("action", types.Word(states.Action), nullable=False),
    sa.Column("state", types.Word(states.OperationState), nullable=False),
    sa.Column("options", types.SealedJson(), nullable=False),
    sa.Column("template_hash", types.digest()),
    sa.Column("environment_hash", types.digest()),
    sa.Column("context", types.Json(), nullable=False),
    sa.Column("depth", sa.Integer(), nullable=False),
    sa.Column("attempt", sa.Integer(), nullable=False),
    sa.Column("owner", types.label()),
    sa.Column("fence", sa.BigInteger(), nullable=False),
    sa.Column("lease_expires_at", types.moment()),
    sa.Column("deadline_at", types.moment()),
    sa.Column("superseded_by", types.uuid()),
    sa.Column("is_cancelled", sa.Boolean(), nullable=False),
    sa.Column("next_try_at", types.moment()),
    sa.Column("total", sa.Integer(), nullable=False),
    sa.Column("done", sa.Integer(), nullable=False),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("failures", types.JsonList(), nullable=False),
    sa.Column("attempts", types.JsonList(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("started_at", types.moment()),
    sa.Column("finished_at", types.moment()),
    sa.Index(None, "state", "lease_expires_at"),
    sa.Index(None, "stack_id", "created_at"),
)
