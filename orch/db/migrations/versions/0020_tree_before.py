"""The stacks of a tree before an operation, for the post-ops of plug-ins."""

from orch.db.migrations import changes

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("lifecycle_runs", "tree_before", changes.BLOB)
