"""The tables of processes, of their duties, and of what they share."""

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
    sa.Column("settings_number", types.number()),
    sa.Column("settings_loaded", types.digest()),
    sa.Column("settings_loadable", types.digest()),
    sa.Column("settings_error", types.FreeText()),
)

LEASES = base.table(
    "leases",
    sa.Column("name", types.label(), primary_key=True),
    sa.Column("owner", types.label(), nullable=False),
    sa.Column("fence", sa.BigInteger(), nullable=False),
    sa.Column("expires_at", types.moment(), nullable=False),
)

PLUGIN_SETTINGS = base.table(
    "plugin_settings",
    sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("number", types.number(), nullable=False),
    sa.Column("fingerprint", types.digest(), nullable=False),
    sa.Column("activated_at", types.moment(), nullable=False),
)
