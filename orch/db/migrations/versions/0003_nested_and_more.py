"""Let stacks hold stacks, and store what the types of OS::Heat need."""

import sqlalchemy as sa
from alembic import op

from orch.db.migrations import changes

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the change; there is no way back."""
    _nest_stacks()
    _forget_projects_of_plans()
    _keep_signals()
    _know_what_rests()
    _create_software_configs()
    _create_software_deployments()
    _adopt_and_abandon()
    _tell_of_every_step()


def _nest_stacks() -> None:
    changes.may("stacks", "parent_resource", changes.LABEL)
    changes.must("stacks", "resource_count", sa.Integer(), 0)
    changes.must("stacks", "tree_count", sa.Integer(), 0)
    op.create_index("ix_stacks_root_id", "stacks", ["root_id"])
    changes.must("operations", "depth", sa.Integer(), 0)


def _forget_projects_of_plans() -> None:
    """Take away what was never read: a plan belongs to whom its stack does."""
    op.drop_column("plans", "project_id")


def _keep_signals() -> None:
    changes.must("resources", "signals", changes.TEXT, "{}")
    changes.create(
        "untold_signals",
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("resource_id", changes.UUID, nullable=False),
        sa.Column("resource_name", changes.LABEL, nullable=False),
        sa.Column("resource_type", changes.LABEL, nullable=False),
        sa.Column("physical_id", changes.TEXT, nullable=True),
        sa.Column("status", changes.WORD, nullable=False),
        sa.Column("reason", changes.TEXT, nullable=False),
        sa.Column("created_at", changes.MOMENT, nullable=False),
        keys=("stack_id", "id"),
    )
    changes.create(
        "revoked_addresses",
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("resource_id", changes.UUID, nullable=False),
        sa.Column("revoked_at", changes.MOMENT, nullable=False),
        keys=("stack_id", "resource_id"),
    )


def _know_what_rests() -> None:
    """Take for at rest what may be: a check or a snapshot hid it until now."""
    changes.must("resources", "is_at_rest", sa.Boolean(), False)
    action = sa.column("action", changes.WORD)
    status = sa.column("status", changes.WORD)
    table = sa.table("resources", action, status, sa.column("is_at_rest"))
    may_rest = action.in_(("SUSPEND", "CHECK", "SNAPSHOT")) | (
        (action == "RESUME") & (status != "COMPLETE")
    )
    op.execute(sa.update(table).where(may_rest).values(is_at_rest=True))


def _create_software_configs() -> None:
    changes.create(
        "software_configs",
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("name", changes.TEXT, nullable=True),
        sa.Column("group", changes.TEXT, nullable=True),
        sa.Column("config", changes.TEXT, nullable=True),
        sa.Column("inputs", changes.TEXT, nullable=False),
        sa.Column("outputs", changes.TEXT, nullable=False),
        sa.Column("options", changes.TEXT, nullable=False),
        sa.Column("created_at", changes.MOMENT, nullable=False),
    )
    op.create_index(
        "ix_software_configs_project_id_created_at",
        "software_configs",
        ["project_id", "created_at"],
    )


def _create_software_deployments() -> None:
    changes.create(
        "software_deployments",
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("stack_user_project_id", changes.LABEL, nullable=True),
        sa.Column("server_id", changes.LABEL, nullable=False),
        sa.Column("config_id", changes.UUID, nullable=False),
        sa.Column("input_values", changes.TEXT, nullable=True),
        sa.Column("output_values", changes.TEXT, nullable=True),
        sa.Column("action", changes.LABEL, nullable=True),
        sa.Column("status", changes.LABEL, nullable=True),
        sa.Column("status_reason", changes.TEXT, nullable=True),
        sa.Column("stack_id", changes.UUID, nullable=True),
        sa.Column("resource_id", changes.UUID, nullable=True),
        sa.Column("signals_seen", sa.Integer(), nullable=False),
        sa.Column("created_at", changes.MOMENT, nullable=False),
        sa.Column("updated_at", changes.MOMENT, nullable=True),
    )
    for names in (["project_id", "server_id"], ["server_id"], ["config_id"]):
        op.create_index(
            f"ix_software_deployments_{'_'.join(names)}",
            "software_deployments",
            names,
        )


def _adopt_and_abandon() -> None:
    changes.may("resources", "adopted_by", changes.UUID)
    op.create_index(
        "ix_resources_physical_id",
        "resources",
        ["physical_id"],
        mysql_length=64,
        postgresql_using="hash",
    )
    changes.create(
        "abandonments",
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("basis", changes.TEXT, nullable=False),
        sa.Column("document", changes.TEXT, nullable=False),
        sa.Column("operation_id", changes.UUID, nullable=True),
        sa.Column("created_at", changes.MOMENT, nullable=False),
    )
    for names in (["stack_id", "created_at"], ["created_at"]):
        op.create_index(
            f"ix_abandonments_{'_'.join(names)}", "abandonments", names
        )
    changes.create(
        "decisions",
        sa.Column("name", changes.LABEL, nullable=False),
        keys=("name",),
    )


def _tell_of_every_step() -> None:
    changes.create(
        "operation_steps",
        sa.Column("operation_id", changes.UUID, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("resource_id", changes.UUID, nullable=False),
        sa.Column("kind", changes.WORD, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("state", changes.WORD, nullable=False),
        keys=("operation_id", "attempt", "resource_id", "kind"),
    )
    op.create_index(
        "ix_operation_steps_stack_id", "operation_steps", ["stack_id"]
    )
