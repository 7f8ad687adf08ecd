"""The tables of stacks, and of what they are made of and have done."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base
from orch.model import credential
from orch.model import leftover
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
    sa.Column("taken_from", types.uuid()),
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

# Templates, environments and files, stored once each.
# used_at tells the purge what a transaction still under way may have found
# here and is about to refer to.
CONTENTS = base.table(
    "contents",
    sa.Column("hash", types.digest(), primary_key=True),
    sa.Column("body", types.SealedBlob(), nullable=False),
    sa.Column("used_at", types.moment(), nullable=False),
)

# Contents that name others by their hash, as an environment names files.
CONTENT_USES = base.table(
    "content_uses",
    sa.Column("hash", types.digest(), primary_key=True),
    sa.Column("used_hash", types.digest(), primary_key=True),
    sa.Index(None, "used_hash"),
)

OPERATIONS = base.table(
    "operations",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("action", types.Word(states.Action), nullable=False),
    sa.Column("state", types.Word(states.OperationState), nullable=False),
    sa.Column("options", types.SealedJson(), nullable=False),
    sa.Column("template_hash", types.digest()),
    sa.Column("environment_hash", types.digest()),
    sa.Column("context", types.Json(), nullable=False),
    sa.Column("depth", sa.Integer(), nullable=False),
    sa.Column("attempt", sa.Integer(), nullable=False),
    sa.Column("owner", types.label()),
    sa.Column("fence", sa.BigInteger(), nullable=False),
    sa.Column("lease_expires_at", types.moment()),
    sa.Column("deadline_at", types.moment()),
    sa.Column("superseded_by", types.uuid()),
    sa.Column("is_cancelled", sa.Boolean(), nullable=False),
    sa.Column("next_try_at", types.moment()),
    sa.Column("total", sa.Integer(), nullable=False),
    sa.Column("done", sa.Integer(), nullable=False),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("failures", types.JsonList(), nullable=False),
    sa.Column("attempts", types.JsonList(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("started_at", types.moment()),
    sa.Column("finished_at", types.moment()),
    sa.Index(None, "state", "lease_expires_at"),
    sa.Index(None, "stack_id", "created_at"),
)

# What operations that have begun are to do. Rows of their own: those of
# operations are written with each tick, and a plan once an attempt.
OPERATION_PLANS = base.table(
    "operation_plans",
    sa.Column("operation_id", types.uuid(), primary_key=True),
    sa.Column("attempt", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("size", sa.Integer(), nullable=False),
    sa.Column("steps", types.blob(), nullable=False),
    sa.Index(None, "stack_id"),
)

# How steps ended that read, forget, or turned out to be something else, or
# nothing; the events of their resources show how all others ended.
OPERATION_STEPS = base.table(
    "operation_steps",
    sa.Column("operation_id", types.uuid(), primary_key=True),
    sa.Column("attempt", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("resource_id", types.uuid(), primary_key=True),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Index(None, "stack_id"),
)

PLANS = base.table(
    "plans",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("action", types.Word(states.Action), nullable=False),
    sa.Column("options", types.SealedJson(), nullable=False),
    sa.Column("template_hash", types.digest()),
    sa.Column("environment_hash", types.digest()),
    sa.Column("basis", types.FreeText(), nullable=False),
    sa.Column("changes", types.SealedJson(), nullable=False),
    sa.Column("context", types.Json(), nullable=False),
    sa.Column("operation_id", types.uuid()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Index(None, "stack_id", "created_at"),
)

SNAPSHOTS = base.table(
    "snapshots",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("name", types.label()),
    sa.Column("operation_id", types.uuid(), nullable=False),
    sa.Column("status", types.Word(states.Status), nullable=False),
    sa.Column("status_reason", types.FreeText(), nullable=False),
    sa.Column("template_hash", types.digest(), nullable=False),
    sa.Column("environment_hash", types.digest(), nullable=False),
    sa.Column("data", types.SealedJson()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Index(None, "stack_id", "created_at"),
    sa.Index(None, "template_hash"),
    sa.Index(None, "environment_hash"),
)

# Answers to requests that may come again.
IDEMPOTENT_ANSWERS = base.table(
    "kept_answers",
    sa.Column("project_id", types.label(), primary_key=True),
    sa.Column("key", types.label(), primary_key=True),
    sa.Column("digest", types.digest(), nullable=False),
    sa.Column("request_id", types.label(), nullable=False),
    sa.Column("answer", types.SealedJson()),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Index(None, "project_id", "created_at"),
    sa.Index(None, "created_at"),
)

# Left-over physical resources outlive their stacks.
LEFTOVERS = base.table(
    "leftovers",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("stack_id", types.uuid(), nullable=False),
    sa.Column("stack_name", types.label(), nullable=False),
    sa.Column("holder_name", types.label(), nullable=False),
    sa.Column("path", types.FreeText(), nullable=False),
    sa.Column("name", types.label(), nullable=False),
    sa.Column("type_name", types.label(), nullable=False),
    sa.Column("mapped_type", types.label()),
    sa.Column("physical_id", types.FreeText()),
    sa.Column("id_scope", types.digest()),
    sa.Column("attempt", sa.Integer(), nullable=False),
    sa.Column("is_outcome_unknown", sa.Boolean(), nullable=False),
    sa.Column("cause", types.Word(leftover.Cause), nullable=False),
    sa.Column("reason", types.FreeText(), nullable=False),
    sa.Column("properties", types.MarkedJson(), nullable=False),
    sa.Column("attributes", types.MarkedJson(), nullable=False),
    sa.Column("data", types.SealedJson(), nullable=False),
    sa.Column("metadata", types.MarkedJson(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("left_at", types.moment(), nullable=False),
    sa.Column("operation_id", types.uuid()),
    sa.Column("sweep_id", types.uuid()),
    sa.Index(None, "project_id", "left_at"),
    sa.Index(None, "stack_id"),
    sa.Index(None, "sweep_id"),
)

# Credentials outlive their stacks until they are revoked.
CREDENTIALS = base.table(
    "credentials",
    sa.Column("id", types.uuid(), primary_key=True),
    sa.Column("root_id", types.uuid(), nullable=False),
    sa.Column("project_id", types.label(), nullable=False),
    sa.Column("user_id", types.label(), nullable=False),
    sa.Column("method", types.Word(credential.Method), nullable=False),
    sa.Column("state", types.Word(credential.State), nullable=False),
    sa.Column("sealed", types.FreeText(), nullable=False),
    sa.Column("created_at", types.moment(), nullable=False),
    sa.Column("stale_at", types.moment()),
    sa.Column("due_at", types.moment(), nullable=False),
    sa.Column("tries", sa.Integer(), nullable=False),
    sa.Index(None, "root_id"),
    sa.Index(None, "due_at"),
)
