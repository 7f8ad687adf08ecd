"""The table of software configs."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

SOFTWARE_CONFIGS = base.table(
    "software_configs",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("name", types.FreeText()),
    sa.Column("group", types.FreeText()),
    sa.Column("config", types.SealedJson()),
    sa.Column("inputs", types.SealedJsonList(), nullable=False),
    sa.Column("outputs", types.JsonList(), nullable=False),
    sa.Column("options", types.SealedJson(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Index(None, "project_id", "created_at"),
)
