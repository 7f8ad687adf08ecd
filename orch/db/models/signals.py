"""Tables of undelivered signals, and of resources that take no more."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import states

# Nearly always empty: signals that no event tells of yet.
UNREPORTED_SIGNALS = base.table(
    "untold_signals",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("resource_id", types.uuid(), nullable=False),
    sa.Column("resource_name", types.label(), nullable=False),
    sa.Column("resource_type", types.label(), nullable=False),
    sa.Column("physical_id", types.FreeText()),
    sa.Column("status", types.Word(states.Status), nullable=False),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
)

# Resources whose sealed addresses are opened no more.
REVOKED_ADDRESSES = base.table(
    "revoked_addresses",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("resource_id", types.uuid(), primary_key=True),
    sa.Column("revoked_at", types.moment(), nullable=False),
)
