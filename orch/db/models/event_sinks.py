"""Tables of event sinks of environments, and of their deliveries."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

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
