"""The tables of events, of their sinks and of notifications."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import states

# An event's id is derived from its key, see orch.ids.event_id.
EVENTS = base.table(
    "events",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column(
        "sequence", sa.BigInteger(), primary_key=True, autoincrement=False
    ),
    sa.Column("operation_id", types.uuid()),
    sa.Column("request_id", types.label()),
    sa.Column("resource_name", types.label(), nullable=False),
    sa.Column("resource_type", types.label(), nullable=False),
    sa.Column("resource_id", types.uuid()),
    sa.Column("physical_id", types.FreeText()),
    sa.Column("action", types.Word(states.Action), nullable=False),
    sa.Column("status", types.Word(states.Status), nullable=False),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
)

# The sinks of an environment that is stored, for all stacks that have it.
EVENT_SINKS = base.table(
    "event_sinks",
    sa.Column("environment_hash", types.digest(), primary_key=True),
    sa.Column("sink_key", types.digest(), primary_key=True),
    sa.Column("declared", types.SealedJson(), nullable=False),
    sa.Column("stored_at", types.moment(), nullable=False),
)

# One row for a tree and a sink, from when a worker has seen it first.
EVENT_SINK_STATES = base.table(
    "event_sink_states",
    sa.Column("root_id", types.uuid(), primary_key=True),
    sa.Column("sink_key", types.digest(), primary_key=True),
    sa.Column("since", types.moment(), nullable=False),
    sa.Column("attempts", sa.Integer(), nullable=False),
    sa.Column("next_at", types.moment()),
    sa.Column("problem", types.FreeText(), nullable=False),
    sa.Column("is_over", sa.Boolean(), nullable=False),
)

# The number of the newest event of each stack of a tree that a sink needs
# not be told any more.
EVENT_SINK_CURSORS = base.table(
    "event_sink_cursors",
    sa.Column("root_id", types.uuid(), primary_key=True),
    sa.Column("sink_key", types.digest(), primary_key=True),
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("sequence", sa.BigInteger(), nullable=False),
    sa.Index(None, "stack_id"),
)

# Notifications that wait for the bus.
OUTBOX = base.table(
    "outbox",
    sa.Column("number", types.number(), primary_key=True, autoincrement=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("sequence", sa.BigInteger(), nullable=False),
    sa.Column("event_type", types.label(), nullable=False),
    sa.Column("priority", sa.String(16), nullable=False),
    sa.Column("context", types.Json(), nullable=False),
    sa.Column("payload", types.Json(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("topic", types.label()),
    sa.Index(None, "topic", "number"),
)

# Notifications that the bus refuses while it takes others.
REFUSED_NOTIFICATIONS = base.table(
    "refused_notifications",
    sa.Column("number", types.number(), primary_key=True, autoincrement=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("sequence", sa.BigInteger(), nullable=False),
    sa.Column("event_type", types.label(), nullable=False),
    sa.Column("priority", sa.String(16), nullable=False),
    sa.Column("context", types.Json(), nullable=False),
    sa.Column("payload", types.Json(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("topic", types.label()),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("refused_at", types.moment(), nullable=False),
)
