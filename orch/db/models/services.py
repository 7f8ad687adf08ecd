"""The tables of processes and of the duties that one of them has."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

SERVICES = base.table(
    "services",
    sa.Column("id", types.label(), primary_key=True),
    sa.Column("host", types.label(), nullable=False),
    sa.Column("binary", types.label(), nullable=False),
    sa.Column("topic", types.label(), nullable=False),
    sa.Column("report_interval_s", sa.Integer(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("updated_at", types.moment(), nullable=False),
)

LEASES = base.table(
    "leases",
    sa.Column("name", types.label(), primary_key=True),
    sa.Column("owner", types.label(), nullable=False),
    sa.Column("fence", sa.BigInteger(), nullable=False),
    sa.Column("expires_at", types.moment(), nullable=False),
)
