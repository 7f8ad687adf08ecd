"""The tables of the change feed: which stacks have changed, in order."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

CHANGE_RECORDS = base.table(
    "change_records",
    sa.Column("number", types.number(), primary_key=True, autoincrement=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("is_tree", sa.Boolean(), nullable=False),
)

CHANGED_STACKS = base.table(
    "changed_stacks",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("position", types.number(), nullable=False),
    sa.Index(None, "position"),
)

CHANGE_FEED = base.table(
    "change_feed",
    sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("feed_id", types.uuid(), nullable=False),
    sa.Column("position", types.number(), nullable=False),
    sa.Column("complete_from", types.number(), nullable=False),
)
