"""Runs the steps on the connection that :mod:`orch.db.migrate` opened.

Alembic loads this file. With ``alembic revision --autogenerate`` there is no
such connection: give it one in the attributes too.
"""

import sqlalchemy as sa
from alembic import context

from orch.db.models import catalog


def _run() -> None:
    connection = context.config.attributes["connection"]
    assert isinstance(connection, sa.Connection)
    context.configure(
        connection=connection,
        target_metadata=catalog.metadata(),
        render_as_batch=connection.dialect.name == "sqlite",
    )
    with context.begin_transaction():
        context.run_migrations()


_run()
