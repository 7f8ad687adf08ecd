"""The tables of stacks and of their tags."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import states

# live_name is the name while the stack is a live root and NULL otherwise,
# so that the unique key lets deleted and nested ones share a name.
STACKS = base.table(
    "stacks",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("name", types.label(), nullable=False),
    sa.Column("live_name", types.label()),
    sa.Column("action", types.Word(states.Action), nullable=False),
    sa.Column("status", types.Word(states.Status), nullable=False),
    sa.Column("status_reason", types.FreeText(), nullable=False),
    sa.Column("template_hash", types.digest(), nullable=False),
    sa.Column("environment_hash", types.digest(), nullable=False),
    sa.Column("good_template_hash", types.digest()),
    sa.Column("good_environment_hash", types.digest()),
    sa.Column("description", types.FreeText(), nullable=False),
    sa.Column("tags", types.JsonList(), nullable=False),
    sa.Column("disable_rollback", sa.Boolean(), nullable=False),
    sa.Column("timeout_s", sa.Integer(), nullable=False),
    sa.Column("user_id", types.label()),
    sa.Column("username", types.label()),
    sa.Column("parent_id", types.uuid()),
    sa.Column("root_id", types.uuid(), nullable=False),
    sa.Column("depth", sa.Integer(), nullable=False),
    sa.Column("parent_resource", types.label()),
    sa.Column("resource_count", sa.Integer(), nullable=False),
    sa.Column("tree_count", sa.Integer(), nullable=False),
    sa.Column("operation_id", types.uuid()),
    sa.Column("has_diverged", sa.Boolean(), nullable=False),
    sa.Column("blocked", types.Json()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("updated_at", types.moment()),
    sa.Column("deleted_at", types.moment()),
    sa.UniqueConstraint("project_id", "live_name"),
    sa.Index(None, "project_id", "created_at"),
    sa.Index(None, "parent_id"),
    sa.Index(None, "root_id"),
    sa.Index(None, "deleted_at"),
    sa.Index(None, "template_hash"),
    sa.Index(None, "environment_hash"),
    sa.Index(None, "good_template_hash"),
    sa.Index(None, "good_environment_hash"),
)

# The tags of a stack once more, for the filters; stacks.tags keeps their
# order and spares a second query where stacks are listed.
STACK_TAGS = base.table(
    "stack_tags",
    sa.Column("stack_id", types.uuid(), primary_key=True),
    sa.Column("tag", sa.String(80), primary_key=True),
    sa.Index(None, "tag"),
)
