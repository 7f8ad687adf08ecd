"""The table of credentials, which outlive their stacks until revoked."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import credential

CREDENTIALS = base.table(
    "credentials",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("root_id", types.uuid(), nullable=False),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("user_id", types.label(), nullable=False),
    sa.Column("method", types.Word(credential.Method), nullable=False),
    sa.Column("state", types.Word(credential.State), nullable=False),
    sa.Column("sealed", types.FreeText(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("stale_at", types.moment()),
    sa.Column("due_at", types.moment(), nullable=False),
    sa.Column("tries", sa.Integer(), nullable=False),
    sa.Index(None, "root_id"),
    sa.Index(None, "due_at"),
)
