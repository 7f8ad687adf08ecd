"""Addresses of stacks that were let go of; inner stacks that went astray."""

import sqlalchemy as sa
from alembic import op

from orch.db.migrations import changes

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the change; there is no way back."""
    _forward_addresses()
    _remember_origins()
    op.create_index(
        "ix_software_deployments_stack_id",
        "software_deployments",
        ["stack_id"],
    )
    _keep_credentials()
    changes.must("stacks", "is_astray", sa.Boolean(), False)
    changes.may("events", "request_id", changes.LABEL)
    _keep_answers()


def _forward_addresses() -> None:
    changes.create(
        "forwarded_addresses",
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("resource_id", changes.UUID, nullable=False),
        sa.Column("origin_id", changes.UUID, nullable=False),
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("path", changes.TEXT, nullable=False),
        sa.Column("type_name", changes.LABEL, nullable=False),
        sa.Column("kind", changes.WORD, nullable=False),
        sa.Column("old_address", changes.TEXT, nullable=False),
        sa.Column("server_id", changes.LABEL, nullable=True),
        sa.Column("new_address", changes.TEXT, nullable=True),
        sa.Column("host", changes.LABEL, nullable=True),
        sa.Column("metadata", changes.TEXT, nullable=False),
        sa.Column("agent", changes.TEXT, nullable=True),
        sa.Column("new_agent", changes.TEXT, nullable=True),
        sa.Column("waiting", sa.Integer(), nullable=False),
        sa.Column("next_number", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", changes.MOMENT, nullable=True),
        sa.Column("problem", changes.TEXT, nullable=False),
        sa.Column("used_at", changes.MOMENT, nullable=True),
        sa.Column("told_at", changes.MOMENT, nullable=True),
        sa.Column("announced_at", changes.MOMENT, nullable=True),
        sa.Column("created_at", changes.MOMENT, nullable=False),
        keys=("stack_id", "resource_id"),
    )
    for name in (
        "resource_id",
        "origin_id",
        "server_id",
        "next_at",
        "created_at",
    ):
        op.create_index(
            f"ix_forwarded_addresses_{name}", "forwarded_addresses", [name]
        )
    changes.create(
        "forwarded_signals",
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("resource_id", changes.UUID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("signal_id", changes.LABEL, nullable=False),
        sa.Column("details", changes.TEXT, nullable=True),
        sa.Column("hops", sa.Integer(), nullable=False),
        sa.Column("came_at", changes.MOMENT, nullable=False),
        keys=("stack_id", "resource_id", "number"),
    )
    changes.create(
        "taken_signals",
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("resource_id", changes.UUID, nullable=False),
        sa.Column("signal_id", changes.LABEL, nullable=False),
        sa.Column("taken_at", changes.MOMENT, nullable=False),
        keys=("stack_id", "resource_id", "signal_id"),
    )
    op.create_index("ix_taken_signals_taken_at", "taken_signals", ["taken_at"])


def _remember_origins() -> None:
    changes.create(
        "origins",
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("origin_id", changes.UUID, nullable=False),
        sa.Column("key", changes.TEXT, nullable=False),
        sa.Column("created_at", changes.MOMENT, nullable=False),
        keys=("stack_id",),
    )


def _keep_credentials() -> None:
    changes.create(
        "credentials",
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("root_id", changes.UUID, nullable=False),
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("user_id", changes.LABEL, nullable=False),
        sa.Column("method", changes.WORD, nullable=False),
        sa.Column("state", changes.WORD, nullable=False),
        sa.Column("sealed", changes.TEXT, nullable=False),
        sa.Column("created_at", changes.MOMENT, nullable=False),
        sa.Column("stale_at", changes.MOMENT, nullable=True),
        sa.Column("due_at", changes.MOMENT, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
    )
    for name in ("root_id", "due_at"):
        op.create_index(f"ix_credentials_{name}", "credentials", [name])


def _keep_answers() -> None:
    changes.create(
        "kept_answers",
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("key", changes.LABEL, nullable=False),
        sa.Column("digest", changes.DIGEST, nullable=False),
        sa.Column("request_id", changes.LABEL, nullable=False),
        sa.Column("answer", changes.TEXT, nullable=True),
        sa.Column("created_at", changes.MOMENT, nullable=False),
        keys=("project_id", "key"),
    )
    for names in (["project_id", "created_at"], ["created_at"]):
        op.create_index(
            f"ix_kept_answers_{'_'.join(names)}", "kept_answers", names
        )
