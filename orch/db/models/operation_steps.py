"""The table of how steps ended of which no resource tells.

They read, forget, or turned out to be something else, or nothing; all others
are told by the events of their resource.
"""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

OPERATION_STEPS = base.table(
    "operation_steps",
    sa.Column("operation_id", types.uuid(), primary_key=True),
    sa.Column("attempt", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("resource_id", types.uuid(), primary_key=True),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Index(None, "stack_id"),
)
