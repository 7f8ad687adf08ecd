"""Which lifecycle plug-ins and settings are in force, and who has them."""

import sqlalchemy as sa

from orch.db.migrations import changes

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.create(
        "plugin_settings",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", changes.NUMBER, nullable=False),
        sa.Column("fingerprint", changes.DIGEST, nullable=False),
        sa.Column("activated_at", changes.MOMENT, nullable=False),
    )
    changes.may("services", "settings_number", changes.NUMBER)
    changes.may("services", "settings_loaded", changes.DIGEST)
    changes.may("services", "settings_loadable", changes.DIGEST)
    changes.may("services", "settings_error", changes.TEXT)
