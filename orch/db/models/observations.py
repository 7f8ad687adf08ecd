"""The tables of what was seen in the world, and of what is watched."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import observation

OBSERVATIONS = base.table(
    "observations",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("resource_id", types.uuid(), primary_key=True),
    sa.Column("root_id", types.uuid(), nullable=False),
    sa.Column("state", types.Word(observation.State), nullable=False),
    sa.Column("is_vanished", sa.Boolean(), nullable=False),
    sa.Column("live", types.SealedJson()),
    sa.Column("differences", types.SealedJson(), nullable=False),
    sa.Column("compared", sa.Integer(), nullable=False),
    sa.Column("given", sa.Integer(), nullable=False),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("observed_at", types.moment(), nullable=False),
    sa.Column("drifted_at", types.moment()),
    sa.Index(None, "root_id"),
)

WATCHES = base.table(
    "watches",
    sa.Column("root_id", types.uuid(), primary_key=True),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("policy", types.Json(), nullable=False),
    sa.Column("policy_set_by", types.Json()),
    sa.Column("requested_at", types.moment()),
    sa.Column("notified_at", types.moment()),
    sa.Column("observed_at", types.moment()),
    sa.Column("due_at", types.moment()),
    sa.Column("claimed_by", types.label()),
    sa.Column("claimed_until", types.moment()),
    sa.Column("fence", sa.Integer(), nullable=False),
    sa.Index(None, "due_at"),
)
