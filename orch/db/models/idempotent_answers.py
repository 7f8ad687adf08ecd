"""The table of answers to requests that may come again."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

IDEMPOTENT_ANSWERS = base.table(
    "kept_answers",
    sa.Column("project_id", types.label(), primary_key=True),
    sa.Column("key", types.label(), primary_key=True),
    sa.Column("digest", types.digest(), nullable=False),
    sa.Column("request_id", types.label(), nullable=False),
    sa.Column("answer", types.SealedJson()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Index(None, "project_id", "created_at"),
    sa.Index(None, "created_at"),
)
