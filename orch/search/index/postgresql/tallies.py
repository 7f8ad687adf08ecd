"""Keeps small what puts append to: tallies, and names of fields."""

import typing

import sqlalchemy as sa

MOST_ADDED: typing.Final = 10_000
"""After so many rows of a process, at least, the tallies are added up."""

_LOCK = 0x6F726369

_ADDED_UP = """
    WITH gone AS (DELETE FROM search_tallies RETURNING *)
    INSERT INTO search_tallies (project, shape, count)
    SELECT project, shape, sum(count) FROM gone
    GROUP BY 1, 2 HAVING sum(count) <> 0
"""

_HAS_GROWN = """
    SELECT (SELECT sum(documents) FROM search_stacks)
        > 2 * greatest(reltuples, 2500)
    FROM pg_class WHERE oid = 'search_documents'::regclass
"""


def forget_names(connection: sa.Connection) -> None:
    """Forget sets of fields that no document has any more.

    Writers wait meanwhile, and are waited for: one may count on a set that
    no other document has.
    """
    connection.exec_driver_sql(
        "LOCK TABLE search_name_sets IN SHARE ROW EXCLUSIVE MODE"
    )
    connection.exec_driver_sql("DELETE FROM search_names WHERE count = 0")
    connection.exec_driver_sql(
        "DELETE FROM search_name_sets s WHERE NOT EXISTS"
        " (SELECT FROM search_names n WHERE n.number = s.number)"
    )


def add_up(connection: sa.Connection) -> int:
    """Make one row of all that count the same.

    Where the tables have grown much since, their statistics are made anew;
    else autovacuum does that. While another process does so, nothing is done.

    :returns: after how many more rows it is worth it again
    """
    found = 0
    is_ours = connection.exec_driver_sql(
        f"SELECT pg_try_advisory_xact_lock({_LOCK})"
    ).scalar()
    if is_ours:
        found = connection.exec_driver_sql(_ADDED_UP).rowcount
        if connection.exec_driver_sql(_HAS_GROWN).scalar():
            connection.exec_driver_sql(
                "ANALYZE search_documents, search_details"
            )
    return max(MOST_ADDED, 2 * found)
