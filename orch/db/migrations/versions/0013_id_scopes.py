"""Resources know where their physical ids are unique.

Nothing says that of older rows: they collide with the same id anywhere until
they are written again.
"""

import sqlalchemy as sa

from orch.db.migrations import changes

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("resources", "id_scope", changes.DIGEST)
    changes.must("resources", "is_unverified", sa.Boolean(), default=False)
