"""The newest of very many hits, which are mostly among the newest documents.

A few documents for each hit that is wanted are looked at. Where they do not
have enough hits, nothing is known.
"""
# ruff: noqa: S608 - values are always given beside the statement

import collections.abc
import typing

import sqlalchemy as sa

from orch.search.index import cursors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.postgresql import schema as tables

_MOST_HITS = 100
_DOCUMENTS_FOR_HIT = 12
_ORDER = [port.Sort(ordering.NEWEST, True)]
# Of what :meth:`postgresql_finding.Finding._hits` selects.
_MOMENT = 4

Rows: typing.TypeAlias = collections.abc.Sequence[typing.Any]


def find(
    connection: sa.Connection,
    query: port.Query,
    position: cursors.Position | None,
    run: collections.abc.Callable[[str], Rows],
) -> Rows | None:
    """Return the newest hits; ``None`` where they have to be looked for.

    :param run: returns the hits among the documents of this query, in their
        order
    """
    offset = query.offset if position is None else 0
    wanted = query.limit + offset
    is_newest = list(ordering.sorts_of(query)) == _ORDER
    if not is_newest or wanted > _MOST_HITS or query.as_of is not None:
        return None
    where = ""
    if position is not None:
        moment = position.keys[0]
        if not isinstance(moment, int | float):
            return None
        where = f"WHERE {tables.MOMENT} <= '{float(moment)!r}'::float8"
    near = (
        f"SELECT * FROM search_documents {where}"
        f" ORDER BY {tables.MOMENT} DESC NULLS LAST"
        f" LIMIT {_DOCUMENTS_FOR_HIT * int(wanted)}"
    )
    found = run(near)
    if len(found) < query.limit or found[-1][_MOMENT] is None:
        return None
    oldest = connection.exec_driver_sql(
        f"SELECT min({tables.MOMENT}) FROM ({near}) d"
    ).scalar()
    # Of one moment there may be more, with ids that come first.
    is_sure = oldest is not None and found[-1][_MOMENT] > oldest
    return found if is_sure else None
