"""Answers which stacks have changed since a position of the change feed.

For the search service alone, as :mod:`orch.engine.search_documents.reader`.
"""

import typing

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import change_feed
from orch.db.repositories import documents
from orch.engine import dependencies
from orch.rpc import contract

MAX_LIMIT: typing.Final = 10_000
"""Stacks that one answer has at most."""


def list_changes(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    position: str,
    limit: int,
) -> contract.ChangesFacts:
    """Return the stacks that changed after a position, the oldest first.

    :param position: of the answer before; empty for the first
    :raises orch.errors.Invalid: the limit is none, or that is no position
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise errors.Invalid(
            f"limit must be between 1 and {MAX_LIMIT}, not {limit}."
        )
    feed_id, number = _parse(position)

    def read(
        connection: db_engine.Connection,
    ) -> tuple[
        change_feed.Feed | None,
        list[change_feed.Change],
        dict[ids.StackId, int],
    ]:
        documents.begin_repeatable_read(connection)
        feed = change_feed.find(connection)
        if feed is None or feed.feed_id != feed_id:
            return feed, [], {}
        found = change_feed.list_after(connection, number, limit)
        versions = documents.list_newest(
            connection, [each.stack_id for each in found]
        )
        return feed, found, versions

    feed, found, versions = deps.database.query(read)
    if feed is None or feed.has_records:
        deps.database.run(change_feed.advance)
        feed, found, versions = deps.database.query(read)
    assert feed is not None
    is_complete = feed.feed_id == feed_id and (
        feed.complete_from <= number <= feed.position
    )
    if not is_complete:
        found, number = [], feed.position
    elif found:
        number = found[-1].position
    return contract.ChangesFacts(
        position=f"{feed.feed_id}.{number}",
        stacks=[
            contract.ChangedStackFacts(
                stack_id=each.stack_id,
                version=versions.get(each.stack_id, 0),
                is_in_progress=each.is_in_progress,
            )
            for each in found
        ],
        is_complete=is_complete,
        has_more=feed.has_records or len(found) == limit,
    )


def compact(deps: dependencies.Dependencies) -> None:
    """Keep one record of each stack, also where nothing follows the feed."""
    while deps.database.run(change_feed.advance):
        continue


def _parse(position: str) -> tuple[str, int]:
    """Return the feed and the number of a position.

    :raises orch.errors.Invalid: it is none
    """
    if not position:
        return "", 0
    feed_id, _, number = position.rpartition(".")
    if not feed_id or not number.isdecimal():
        raise errors.Invalid(
            f"{position!r} is no position of the change feed: give the one of"
            " the answer before, or an empty text."
        )
    return feed_id, int(number)
