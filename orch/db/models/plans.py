"""The table of saved plans."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import states

PLANS = base.table(
    "plans",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("action", types.Word(states.Action), nullable=False),
    sa.Column("options", types.SealedJson(), nullable=False),
    sa.Column("template_hash", types.digest()),
    sa.Column("environment_hash", types.digest()),
    sa.Column("basis", types.FreeText(), nullable=False),
    sa.Column("changes", types.SealedJson(), nullable=False),
    sa.Column("context", types.Json(), nullable=False),
    sa.Column("operation_id", types.uuid()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Index(None, "stack_id", "created_at"),
)
