"""The table of contents: templates, environments and files, stored once."""

import sqlalchemy as sa

from orch.db import types
from orch.db.models import base

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
