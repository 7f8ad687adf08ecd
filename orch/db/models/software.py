"""The tables of software configs and software deployments."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

SOFTWARE_CONFIGS = base.table(
    "software_configs",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("name", types.FreeText()),
    sa.Column("group", types.FreeText()),
    sa.Column("config", types.SealedJson()),
    sa.Column("inputs", types.SealedJsonList(), nullable=False),
    sa.Column("outputs", types.JsonList(), nullable=False),
    sa.Column("options", types.SealedJson(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Index(None, "project_id", "created_at"),
)

SOFTWARE_DEPLOYMENTS = base.table(
    "software_deployments",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("stack_user_project_id", types.label()),
    sa.Column("server_id", types.label(), nullable=False),
    sa.Column("config_id", types.uuid(), nullable=False),
    sa.Column("input_values", types.SealedJson()),
    sa.Column("output_values", types.SealedJson()),
    sa.Column("action", types.label()),
    sa.Column("status", types.label()),
    sa.Column("status_reason", types.FreeText()),
    sa.Column("stack_id", types.uuid()),
    sa.Column("resource_id", types.uuid()),
    sa.Column("signal_count", sa.Integer(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("updated_at", types.moment()),
    sa.Index(None, "project_id", "server_id"),
    sa.Index(None, "server_id"),
    sa.Index(None, "config_id"),
    sa.Index(None, "stack_id"),
)
