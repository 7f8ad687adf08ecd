"""What the planner of PostgreSQL thinks that there is, without a look at it.

It is as good as the last ANALYZE, which autovacuum does, and the index itself
after it has grown a lot. Nothing that is answered depends on it, only the way.
"""

import sqlalchemy as sa

from orch.search.index.postgresql import statements


def every(connection: sa.Connection) -> float:
    """Return how many documents there seem to be.

    By the same measure as what fits: both grow with the table, however long
    ago the planner was told of it.
    """
    return of(connection, "TRUE", statements.Values())


def of(
    connection: sa.Connection, where: str, given: statements.Values
) -> float:
    """Return how many documents ``d`` seem to fit.

    :param where: a condition
    """
    found = connection.exec_driver_sql(
        "EXPLAIN (FORMAT JSON)"
        f" SELECT FROM {statements.source_sql(where)} WHERE {where}",
        given.all,
    ).scalar()
    assert found is not None
    return float(found[0]["Plan"]["Plan Rows"])
