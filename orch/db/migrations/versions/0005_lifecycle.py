"""What lifecycle plug-ins were asked, and what they have decided."""

import sqlalchemy as sa
from alembic import op

from orch.db.migrations import changes

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the change; there is no way back."""
    _keep_runs()
    _keep_decisions()


def _keep_runs() -> None:
    changes.create(
        "lifecycle_runs",
        sa.Column("operation_id", changes.UUID, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("verb", changes.WORD, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("chain", changes.TEXT, nullable=False),
        sa.Column("stage", changes.WORD, nullable=False),
        sa.Column("ahead", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("calls", changes.TEXT, nullable=False),
        sa.Column("outcome", changes.WORD, nullable=False),
        sa.Column("reason", changes.TEXT, nullable=False),
        sa.Column("is_refused", sa.Boolean(), nullable=False),
        sa.Column("began_at", changes.MOMENT, nullable=False),
        sa.Column("hold_plugin", changes.LABEL, nullable=True),
        sa.Column("hold_text", changes.TEXT, nullable=True),
        sa.Column("hold_asked_at", changes.MOMENT, nullable=True),
        sa.Column("hold_deadline_at", changes.MOMENT, nullable=True),
        sa.Column("hold_left_s", sa.Double(), nullable=True),
        sa.Column("hold_answer", changes.WORD, nullable=True),
        sa.Column("hold_answered_by", changes.LABEL, nullable=True),
        sa.Column("hold_answered_at", changes.MOMENT, nullable=True),
        sa.Column("hold_answer_text", changes.TEXT, nullable=True),
        keys=("operation_id", "attempt", "verb"),
    )
    for names in (["stack_id"], ["stage", "began_at"]):
        op.create_index(
            f"ix_lifecycle_runs_{'_'.join(names)}", "lifecycle_runs", names
        )


def _keep_decisions() -> None:
    changes.create(
        "lifecycle_decisions",
        sa.Column("root_id", changes.UUID, nullable=False),
        sa.Column("path_digest", changes.DIGEST, nullable=False),
        sa.Column("plugin", changes.LABEL, nullable=False),
        sa.Column("path", changes.TEXT, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("value", changes.TEXT, nullable=False),
        sa.Column("operation_id", changes.UUID, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("is_proven", sa.Boolean(), nullable=False),
        sa.Column("earlier", changes.TEXT, nullable=False),
        keys=("root_id", "path_digest", "plugin"),
    )
    for name in ("stack_id", "plugin"):
        op.create_index(
            f"ix_lifecycle_decisions_{name}", "lifecycle_decisions", [name]
        )
