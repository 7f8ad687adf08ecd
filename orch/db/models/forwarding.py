"""The tables of abandoned stacks, their signal addresses and signals."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import forwarding
from orch.model import states

# Abandonments outlive their stacks.
ABANDONMENTS = base.table(
    "abandonments",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("basis", types.FreeText(), nullable=False),
    sa.Column("document", types.SealedJson(), nullable=False),
    sa.Column("operation_id", types.uuid()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("receiver_id", types.label()),
    sa.Column("offered_at", types.moment()),
    sa.Column("stack_name", types.label()),
    sa.Column("resource_count", sa.Integer()),
    sa.Column("taken_by", types.uuid()),
    sa.Index(None, "stack_id", "created_at"),
    sa.Index(None, "created_at"),
    sa.Index(None, "receiver_id", "offered_at"),
    sa.Index(None, "project_id", "offered_at"),
)

# One row a thing that only one at a time may decide upon.
DECISIONS = base.table(
    "decisions",
    sa.Column("name", types.label(), primary_key=True),
)

FORWARDED_ADDRESSES = base.table(
    "forwarded_addresses",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("resource_id", types.uuid(), primary_key=True),
    sa.Column("origin_id", types.uuid(), nullable=False),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("path", types.JsonList(), nullable=False),
    sa.Column("type_name", types.label(), nullable=False),
    sa.Column("kind", types.Word(forwarding.Kind), nullable=False),
    sa.Column("old_address", types.SealedText(), nullable=False),
    sa.Column("server_id", types.label()),
    sa.Column("new_address", types.SealedText()),
    sa.Column("host", types.label()),
    sa.Column("metadata", types.SealedJson(), nullable=False),
    sa.Column("agent", types.SealedJson()),
    sa.Column("new_agent", types.SealedJson()),
    sa.Column("waiting", sa.Integer(), nullable=False),
    sa.Column("next_number", sa.Integer(), nullable=False),
    sa.Column("attempts", sa.Integer(), nullable=False),
    sa.Column("next_at", types.moment()),
    sa.Column("problem", types.FreeText(), nullable=False),
    sa.Column("used_at", types.moment()),
    sa.Column("notified_at", types.moment()),
    sa.Column("announced_at", types.moment()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("successor_id", types.uuid()),
    sa.Index(None, "resource_id"),
    sa.Index(None, "origin_id"),
    sa.Index(None, "server_id"),
    sa.Index(None, "next_at"),
    sa.Index(None, "created_at"),
)

# Nearly always empty: signals that are on their way.
FORWARDED_SIGNALS = base.table(
    "forwarded_signals",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("resource_id", types.uuid(), primary_key=True),
    sa.Column("number", sa.Integer(), primary_key=True),
    sa.Column("signal_id", types.label(), nullable=False),
    sa.Column("details", types.SealedJson()),
    sa.Column("hops", sa.Integer(), nullable=False),
    sa.Column("came_at", types.moment(), nullable=False),
)

# Ids of signals that were taken: none of them is taken twice.
TAKEN_SIGNALS = base.table(
    "taken_signals",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("resource_id", types.uuid(), primary_key=True),
    sa.Column("signal_id", types.label(), primary_key=True),
    sa.Column("taken_at", types.moment(), nullable=False),
    sa.Index(None, "taken_at"),
)

ORIGINS = base.table(
    "origins",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("origin_id", types.uuid(), nullable=False),
    sa.Column("key", types.FreeText(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
)

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
