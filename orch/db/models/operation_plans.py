"""The table of what operations that have begun are to do.

Rows of their own: those of operations are written with each tick, and a plan
is written once an attempt.
"""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

OPERATION_PLANS = base.table(
    "operation_plans",
    sa.Column("operation_id", types.uuid(), primary_key=True),
    sa.Column("attempt", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("size", sa.Integer(), nullable=False),
    sa.Column("steps", types.blob(), nullable=False),
    sa.Index(None, "stack_id"),
)
