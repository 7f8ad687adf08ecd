"""What all tables have in common."""

import sqlalchemy as sa

# With these names a migration can name a constraint on any database.
METADATA = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


def table(name: str, *items: sa.schema.SchemaItem) -> sa.Table:
    """Return a table in which names compare byte by byte, everywhere."""
    return sa.Table(
        name,
        METADATA,
        *items,
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
