"""The table of projects for which the observer pauses."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

DRIFT_PAUSES = base.table(
    "drift_pauses",
    sa.Column("project_id", types.label(), primary_key=True),
    sa.Column("paused_at", types.moment()),
    sa.Column("paused_by", types.label(), nullable=False),
    sa.Column("stopped_at", types.moment()),
    sa.Column("resumed_at", types.moment()),
)
