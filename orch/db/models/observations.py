"""The tables of what was seen in the world, and of drift."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import drift_history
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

DRIFT_HISTORY = base.table(
    "drift_history",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("root_id", types.uuid(), nullable=False),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("resource_id", types.uuid(), nullable=False),
    sa.Column("path", types.FreeText(), nullable=False),
    sa.Column("property", types.FreeText(), nullable=False),
    sa.Column("expected", types.SealedJson()),
    sa.Column("live", types.SealedJson()),
    sa.Column("found_by", types.Word(drift_history.Look), nullable=False),
    sa.Column("found_at", types.moment(), nullable=False),
    sa.Column("ended_by", types.Word(drift_history.End)),
    sa.Column("ended_at", types.moment()),
    sa.Index(None, "root_id", "found_at"),
    sa.Index(None, "ended_at"),
)

DRIFT_ACCEPTANCES = base.table(
    "drift_acceptances",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("root_id", types.uuid(), nullable=False),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("resource_id", types.uuid(), nullable=False),
    sa.Column("baseline_before", types.SealedJson()),
    sa.Column("baseline_after", types.SealedJson(), nullable=False),
    sa.Column("differences", types.SealedJson(), nullable=False),
    sa.Column("accepted_at", types.moment(), nullable=False),
    sa.Column("drifted_at", types.moment()),
    sa.Index(None, "root_id"),
)

DRIFT_PAUSES = base.table(
    "drift_pauses",
    sa.Column("project_id", types.label(), primary_key=True),
    sa.Column("paused_at", types.moment()),
    sa.Column("paused_by", types.label(), nullable=False),
    sa.Column("stopped_at", types.moment()),
    sa.Column("resumed_at", types.moment()),
)
