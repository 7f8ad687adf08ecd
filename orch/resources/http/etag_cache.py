"""A cache of answers that a service need not send again (ETag).

A service that gives an answer an ``ETag`` is told by ``If-None-Match`` which
one is known, and answers 304 while that is what it would send (RFC 9110,
8.8.3 and 13.1.2). What is known stays in the memory of the worker, so much of
it at most; what is not known is asked for whole.
"""

import dataclasses
import threading
import typing

import cachetools

from orch import clock
from orch.resources.http import client

MAX_CHARACTERS: typing.Final = 64 * 1024
"""Of one answer that is kept."""
MAX_CACHE_CHARACTERS: typing.Final = 16 * 1024 * 1024
"""Characters of all answers together, with what they are known by."""

_MAX_ETAG_LENGTH: typing.Final = 256
_CONDITIONS: typing.Final = frozenset(
    {"cache-control", "if-modified-since", "if-none-match", "range"}
)
"""Headers with which a template says itself what may be old."""

_Key = tuple[object, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _CachedAnswer:
    """An answer, as the service sent it.

    :ivar key_length: characters that it is known by
    """

    etag: str
    text: str
    key_length: int


class EtagCache:
    """Reads physical resources again; from several threads at once."""

    def __init__(
        self, sender: client.Client, max_characters: int = MAX_CACHE_CHARACTERS
    ) -> None:
        """Know nothing yet.

        :param max_characters: characters of all answers together, with what
            they are known by
        """
        self._client = sender
        self._lock = threading.Lock()
        self._answers: cachetools.LRUCache[_Key, _CachedAnswer] = (
            cachetools.LRUCache(max_characters, _size)
        )

    def read(
        self, request: client.Request, whose: str, since: clock.Timestamp
    ) -> object:
        """Send a request that changes nothing; return the document.

        :param whose: token of the resource that it is about; what is known
            of one is told to no other
        :param since: when the last action began with it; what is known from
            before is not used, as a tag may be too coarse to be another one
            after our own change
        :raises orch.errors.OrchError: see :meth:`client.Client.send`
        """
        if not _may_be_conditional(request):
            return self._client.send(request)
        key = _key(request, whose, since)
        known = self._find(key)
        etag = "" if known is None else known.etag
        answer = self._client.fetch(request, etag)
        if answer is None:
            # Only who asks on a condition is told that it holds.
            assert known is not None
            return client.parse_body(request, known.text)
        self._store(
            key, _CachedAnswer(answer.etag, answer.text, len(repr(key)))
        )
        return client.parse_body(request, answer.text)

    def _find(self, key: _Key) -> _CachedAnswer | None:
        with self._lock:
            return self._answers.get(key)

    def _store(self, key: _Key, answer: _CachedAnswer) -> None:
        """Know an answer from now on; forget what was used least lately."""
        with self._lock:
            self._answers.pop(key, None)
            if _is_cacheable(answer):
                self._answers[key] = answer


def _is_cacheable(answer: _CachedAnswer) -> bool:
    """Whether its tag can be sent, and it is not too long."""
    tag = answer.etag
    return (
        0 < len(tag) <= _MAX_ETAG_LENGTH
        and tag.isascii()
        and tag.isprintable()
        and len(answer.text) <= MAX_CHARACTERS
    )


def _may_be_conditional(request: client.Request) -> bool:
    """Whether no other condition is in the way of ours."""
    given = {name.lower() for name in request.headers}
    return (
        request.method == "GET"
        and request.body is None
        and 304 not in request.statuses
        and not given & _CONDITIONS
    )


def _key(request: client.Request, whose: str, since: clock.Timestamp) -> _Key:
    """Return what makes two requests the same: who asks is in the headers."""
    headers = tuple(sorted(request.headers.items()))
    statuses = tuple(sorted(request.statuses))
    return whose, since, request.url, headers, statuses


def _size(answer: _CachedAnswer) -> int:
    """Return how many characters are kept of an answer."""
    return answer.key_length + len(answer.etag) + len(answer.text)
