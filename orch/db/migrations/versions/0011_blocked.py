"""Stacks show what they wait for."""

from orch.db.migrations import changes

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("stacks", "blocked", changes.TEXT)
