"""Which topic a notification waits for, where the others have taken it."""

from orch.db.migrations import changes

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("outbox", "topic", changes.LABEL)
    changes.index("outbox", "topic", "number")
    changes.may("refused_notifications", "topic", changes.LABEL)
