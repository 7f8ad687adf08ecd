"""Answers with the documents of stacks, whosesoever they are.

For the search service alone: no context of a user decides anything here.
"""

import collections.abc
import logging
import typing

import orjson

from orch import errors
from orch import ids
from orch.context import deadline
from orch.context import function_time
from orch.context import request
from orch.db import errors as db_errors
from orch.db.repositories import documents
from orch.engine import dependencies
from orch.engine.search_documents import builder
from orch.engine.search_documents import loader
from orch.engine.search_documents import redaction
from orch.rpc import contract

LOG = logging.getLogger(__name__)

MOST: typing.Final = 20
"""Stacks that are read at once."""
MOST_BYTES: typing.Final = 4_000_000
"""Of the documents in one answer; those of the stacks come all the same."""
_MOST_LISTED: typing.Final = 10_000
_UNKNOWN: typing.Final = frozenset({redaction.EVERYTHING})
"""What a purged stack has hidden is not known."""

_StackIds = collections.abc.Sequence[ids.StackId]
_Known = collections.abc.Mapping[str, collections.abc.Sequence[str]]


def list_stacks(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    after: str,
    limit: int,
) -> list[str]:
    """Return ids of live stacks at any depth, in their order.

    :param after: only ids that sort after it
    :raises orch.errors.Invalid: the limit is none
    """
    if not 1 <= limit <= _MOST_LISTED:
        raise errors.Invalid(
            f"limit must be between 1 and {_MOST_LISTED}, not {limit}."
        )
    return deps.database.query(
        lambda connection: documents.list_live(connection, after, limit)
    )


def read_stacks(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_ids: collections.abc.Sequence[str],
    known: _Known | None = None,
) -> list[contract.StackDocumentsFacts]:
    """Return all that there is of stacks; gone ones have no documents.

    One that cannot be read is left out, and the log says why: the others
    are there.

    :param known: digests of documents that are not sent again, by stack
    :raises orch.errors.Invalid: these are too many
    """
    if len(stack_ids) > MOST:
        raise errors.Invalid(
            f"{len(stack_ids)} stacks are more than the {MOST} that are"
            " read at once."
        )
    wanted = [ids.StackId(each) for each in dict.fromkeys(stack_ids)]
    try:
        return _read(deps, wanted, known or {})
    except (db_errors.DatabaseDown, deadline.DeadlineExceeded):
        raise
    except Exception:
        if len(wanted) == 1:
            LOG.exception("stack %s cannot be read", wanted[0])
            return []
    return [
        found
        for each in wanted
        for found in read_stacks(deps, ctxt, [each], known)
    ]


def read_resources(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    after: str,
    known: collections.abc.Sequence[str] = (),
) -> contract.ResourceDocumentsFacts:
    """Return more resources of a stack; none where it is gone.

    :param after: only names that sort after it
    :param known: digests of documents that are not sent again
    """
    wanted = ids.StackId(stack_id)
    batch = _load(deps, [wanted], after)
    found = batch.stacks[0] if batch.stacks else None
    built = builder.Built([], [], [])
    following = None
    if found is not None:
        built = builder.Builder(deps).documents(
            found, frozenset(known), is_rest=True
        )
        following, _ = _cut(built, found.next, MOST_BYTES, after)
    return contract.ResourceDocumentsFacts(
        version=batch.versions.get(wanted, 0),
        documents=built.documents,
        digests=built.digests,
        unchanged=built.unchanged,
        next=following,
    )


def _read(
    deps: dependencies.Dependencies, wanted: _StackIds, known: _Known
) -> list[contract.StackDocumentsFacts]:
    batch = _load(deps, wanted, "")
    maker = builder.Builder(deps)
    found = {each.stack.id: each for each in batch.stacks}
    answer = []
    room = MOST_BYTES
    for each in wanted:
        deadline.check()
        built = builder.Built([], [], [])
        following = None
        place = found.get(each)
        if place is not None:
            # What one stack computes takes no time from others.
            with function_time.counted():
                built = maker.documents(place, frozenset(known.get(each, ())))
                following, room = _cut(built, place.next, room, "")
        answer.append(
            contract.StackDocumentsFacts(
                stack_id=each,
                version=batch.versions.get(each, 0),
                read_at=batch.read_at,
                documents=built.documents,
                digests=built.digests,
                unchanged=built.unchanged,
                redacted=sorted(batch.sensitive.get(each, _UNKNOWN)),
                next=following,
            )
        )
    return answer


def _load(
    deps: dependencies.Dependencies, wanted: _StackIds, after: str
) -> loader.Batch:
    return deps.database.query(
        lambda connection: loader.load(connection, deps, wanted, after)
    )


def _cut(
    built: builder.Built, following: str | None, room: int, after: str
) -> tuple[str | None, int]:
    """Drop the documents that there is no room for, but for the first.

    :param following: where to go on after all of them
    :param after: the name that all of them sort after
    :returns: where to go on, and the bytes that are left
    """
    for number, each in enumerate(built.documents):
        room -= len(orjson.dumps(each))
        if room < 0 and number > 0:
            last = built.documents[number - 1]
            del built.documents[number:], built.digests[number:]
            is_named = last["kind"] == "resource"
            return last["name"] if is_named else after, 0
    return following, max(room, 0)
