"""An index in PostgreSQL, in tables of its own.

Several processes may write to it at once: a stack is locked by its row in
``search_stacks`` before anything of it is touched, always in the order of
their ids.
"""

import collections
import collections.abc
import typing

import sqlalchemy as sa
from oslo_config import cfg

from orch import clock
from orch.search import document as documents
from orch.search.index import formats
from orch.search.index import port
from orch.search.index.postgresql import connection as server
from orch.search.index.postgresql import field_names as names
from orch.search.index.postgresql import prepare as preparing
from orch.search.index.postgresql import schema as tables
from orch.search.index.postgresql import search as finding
from orch.search.index.postgresql import tallies
from orch.search.index.postgresql import terms
from orch.search.index.postgresql import write as putting

_TYPES_BY_RANK = (names.NUMERIC, names.MOMENT, names.TEXT)


# Beside those that answer: one that listens, one that fills.
_MORE_CONNECTIONS = 2


def from_url(url: str, conf: cfg.ConfigOpts) -> "PostgresIndex":
    """Return the index at this address; nothing is connected yet."""
    return PostgresIndex(url, conf.search.threads + _MORE_CONNECTIONS)


class PostgresIndex:
    """Keeps documents in PostgreSQL; see :class:`port.Index`."""

    def __init__(
        self,
        url: str,
        connections: int = 5,
        longest_read_s: float = 30,
        many_hits: int = 2_000,
    ) -> None:
        """Prepare connections; none is made yet.

        :param url: of SQLAlchemy, ``postgresql://…``
        :param connections: how many at the same time at most
        :param longest_read_s: how long one statement that reads may take
        :param many_hits: with more hits the first are looked for in their
            order, and not among all
        """
        self._many_hits = many_hits
        self._server = server.Server(url, connections, longest_read_s)
        self._added = 0
        self._most_added = tallies.MOST_ADDED

    def prepare(self) -> None:
        """Make what is missing of tables, and of the extension."""
        self._server.write(preparing.prepare)

    def index_state(self) -> formats.IndexState:
        """Return what is there; nothing is made."""
        return self._server.read(preparing.look)

    def put(
        self, changes: collections.abc.Sequence[documents.StackDocuments]
    ) -> int:
        """Replace all documents of these stacks, at once or not at all."""
        newest = putting.newest_of(changes)
        if not newest:
            return 0

        def work(connection: sa.Connection) -> int:
            one = putting.Putting(connection, newest)
            found = one.put()
            self._added += one.added
            if self._added > self._most_added:
                self._added = 0
                self._most_added = tallies.add_up(connection)
            return found

        return self._server.write(work)

    def search(self, query: port.Query) -> port.Found:
        """Return what fits."""
        return self._server.read(
            lambda connection: finding.Finding(
                connection, query, self._many_hits
            ).answer()
        )

    def fields(
        self, scope: port.Scope, kinds: frozenset[str]
    ) -> collections.abc.Mapping[str, str]:
        """Return the names of all fields that somebody may search."""
        given: dict[str, object] = {}
        check = "TRUE"
        if kinds:
            check = "kind = ANY(%(kinds)s::text[])"
            given["kinds"] = sorted(kinds)
        return self._fields(scope, check, given).get("", {})

    def fields_of(
        self, scope: port.Scope, types: collections.abc.Collection[str]
    ) -> collections.abc.Mapping[str, collections.abc.Mapping[str, str]]:
        """Return the same for each of these types, to the letter."""
        wanted = {each: terms.clean(each) for each in types}
        found = self._fields(
            scope,
            "of_type = ANY(%(types)s::text[])",
            {"types": sorted(set(wanted.values()))},
            "of_type",
        )
        return {each: found.get(kept, {}) for each, kept in wanted.items()}

    def _fields(
        self,
        scope: port.Scope,
        check: str,
        given: dict[str, object],
        group: str = "''",
    ) -> dict[str, dict[str, str]]:
        """Return the names of fields, and what they are, by groups.

        :param check: a condition in SQL, which takes what is given
        """
        projects = "TRUE"
        if scope.project_ids is not None:
            projects = "project_id = ANY(%(projects)s::text[])"
            given["projects"] = [terms.clean(x) for x in scope.project_ids]
        if not scope.is_admin:
            check += " AND NOT s.is_hidden AND NOT (one->>0)::boolean"
        sql = f"""
            WITH held AS (
                SELECT number FROM search_names WHERE {projects}
                GROUP BY 1 HAVING sum(count) > 0
            )
            SELECT DISTINCT {group}, one->>1, one->>2
            FROM search_name_sets s JOIN held h ON h.number = s.number
            CROSS JOIN jsonb_array_elements(s.names) AS one
            WHERE {check}
        """  # noqa: S608 - only values
        found: dict[str, dict[str, str]] = {}
        # Of a field that has several types the last one is told.
        for of, name, type_ in sorted(
            self._read(sql, given),
            key=lambda each: _TYPES_BY_RANK.index(each[2]),
        ):
            found.setdefault(of, {})[name] = type_
        return found

    def load(self, name: str) -> str | None:
        """Return what :meth:`save` kept last under that name."""
        found = self._read(
            "SELECT value FROM search_texts WHERE name = %(name)s",
            {"name": name},
        )
        return found[0][0] if found else None

    def save(self, name: str, value: str | None) -> None:
        """Keep a short text, or forget it; it survives a kill."""
        given = {"name": name, "value": value}
        if value is None:
            self._write(
                "DELETE FROM search_texts WHERE name = %(name)s", given
            )
            return
        self._write(
            "INSERT INTO search_texts VALUES (%(name)s, %(value)s)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            given,
        )

    def stack_ids(
        self, after: str, limit: int
    ) -> list[tuple[str, clock.Timestamp]]:
        """Return stacks that have documents, with when they were read."""
        found = self._read(
            "SELECT stack_id, read_at FROM search_stacks WHERE documents > 0"
            " AND stack_id > %(after)s ORDER BY stack_id LIMIT %(limit)s",
            {"after": terms.clean(after), "limit": limit},
        )
        return [(each[0], clock.Timestamp(each[1])) for each in found]

    def forget_versions(self) -> None:
        """Let whatever comes next of each stack replace what is there."""
        self._write(
            """
            UPDATE search_stacks SET version = -1 WHERE stack_id IN (
                SELECT stack_id FROM search_stacks
                ORDER BY stack_id FOR UPDATE
            )
            """,
            {},
        )

    def forget_history(self, before: clock.Timestamp) -> int:
        """Forget what was replaced before that moment."""

        def work(connection: sa.Connection) -> int:
            given = {"before": float(before)}
            gone = connection.exec_driver_sql(
                "DELETE FROM search_former WHERE valid_to < %(before)s", given
            )
            connection.exec_driver_sql(
                """
                DELETE FROM search_stacks WHERE stack_id IN (
                    SELECT stack_id FROM search_stacks
                    WHERE documents = 0 AND read_at < %(before)s
                    ORDER BY stack_id FOR UPDATE
                )
                """,
                given,
            )
            tallies.add_up(connection)
            return gone.rowcount

        found = self._server.write(work)
        self._server.write(tallies.forget_names)
        return found

    def clear(self) -> None:
        """Forget all documents and texts."""
        self._write(f"TRUNCATE {', '.join(tables.TABLES)}", {})

    def counts(self) -> port.Counts:
        """Return what it holds."""
        found = self._read(
            """
            SELECT
                (SELECT count(*) FROM search_stacks WHERE documents > 0),
                (SELECT coalesce(sum(documents), 0) FROM search_stacks),
                (SELECT coalesce(sum(text_bytes), 0) FROM search_stacks),
                (SELECT sum(pg_total_relation_size(name::regclass))
                    FROM unnest(%(tables)s::text[]) AS t(name))
            """,
            {"tables": list(tables.TABLES)},
        )
        return port.Counts(*map(int, found[0]))

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _read(
        self, sql: str, given: dict[str, typing.Any]
    ) -> collections.abc.Sequence[typing.Any]:
        return self._server.read(
            lambda connection: connection.exec_driver_sql(sql, given).all()
        )

    def _write(self, sql: str, given: dict[str, typing.Any]) -> None:
        def work(connection: sa.Connection) -> None:
            connection.exec_driver_sql(sql, given)

        self._server.write(work)
