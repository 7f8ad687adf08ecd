"""The table of resources."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import states

# The key begins with the stack and the name: it serves the list of a stack
# and the look-up of a name too, and keeps the rows of a stack together.
RESOURCES = base.table(
    "resources",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("name", types.label(), primary_key=True),
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("type_name", types.label(), nullable=False),
    sa.Column("mapped_type", types.label()),
    sa.Column("action", types.Word(states.Action), nullable=False),
    sa.Column("status", types.Word(states.Status), nullable=False),
    sa.Column("status_reason", types.FreeText(), nullable=False),
    sa.Column("physical_id", types.FreeText()),
    sa.Column("external_id", types.FreeText()),
    sa.Column("attempt", sa.Integer(), nullable=False),
    sa.Column("is_outcome_unknown", sa.Boolean(), nullable=False),
    sa.Column("requires", types.JsonList(), nullable=False),
    sa.Column("required_ids", types.JsonList(), nullable=False),
    sa.Column("properties", types.MarkedJson(), nullable=False),
    sa.Column("attributes", types.MarkedJson(), nullable=False),
    sa.Column("data", types.SealedJson(), nullable=False),
    sa.Column("metadata", types.MarkedJson(), nullable=False),
    sa.Column("desired_properties", types.MarkedJson()),
    sa.Column("snapshot_data", types.SealedJson()),
    sa.Column("baseline", types.SealedJson()),
    sa.Column("hooks", types.Json(), nullable=False),
    sa.Column("signals", types.SealedJson(), nullable=False),
    sa.Column("deletion_policy", sa.String(16), nullable=False),
    sa.Column("is_at_rest", sa.Boolean(), nullable=False),
    sa.Column("replaced_by", types.uuid()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("updated_at", types.moment(), nullable=False),
    sa.Column("started_at", types.moment()),
    sa.Column("changed_at", types.moment()),
    sa.Column("operation_id", types.uuid()),
    sa.Column("adopted_by", types.uuid()),
    # The index of the physical id serves the look-up of an owner: few have
    # the same id in different scopes.
    sa.Column("id_scope", sa.String(64)),
    sa.Column("is_unverified", sa.Boolean(), nullable=False),
    # Whether anything in it is sensitive, to find the secrets of a tree.
    sa.Column("has_secrets", sa.Boolean(), nullable=False),
    sa.Index(
        "ix_resources_physical_id",
        "physical_id",
        mysql_length=64,
        postgresql_using="hash",
    ),
    # Few have any: only those are in it, but on MySQL.
    sa.Index(
        "ix_resources_has_secrets",
        "stack_id",
        "has_secrets",
        postgresql_where=sa.text("has_secrets"),
        sqlite_where=sa.text("has_secrets = 1"),
    ),
)
