"""The tables of the history of drift, and of accepted drift."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import drift_history

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
