"""All hits of a search as one answer: JSON, a line for each.

Pages are requested one after the other while the answer is sent, so that no
more than one is in memory however many hits there are. The stream has a
thread of its own, as streams of events have.
"""

import collections.abc
import typing

from orch import errors
from orch.api import codec
from orch.api import event_stream
from orch.rpc import contract

_TRIES: typing.Final = 5
_PAUSE_S: typing.Final = 1.0

Read = collections.abc.Callable[[str | None], contract.SearchFacts]
"""Takes a cursor, and returns the page after it."""
Show = collections.abc.Callable[[contract.HitFacts], dict[str, object]]
"""Returns a hit as it is sent."""


class ExportStream:
    """The body of one answer; WSGI reads it and closes it.

    The last line is ``{"end": …}`` with the number of hits; without it
    something is missing.
    """

    def __init__(
        self,
        read: Read,
        renew: collections.abc.Callable[[], None],
        show: Show,
        first: contract.SearchFacts,
        held: event_stream.Held,
    ) -> None:
        """Begin with the first page.

        :param renew: raises unless the caller may go on reading
        :param held: released when it is closed
        """
        self._read = read
        self._renew = renew
        self._show = show
        self._held = held
        self._chunks = self._written(first)

    def __iter__(self) -> collections.abc.Iterator[bytes]:
        """Return itself."""
        return self

    def __next__(self) -> bytes:
        """Return the lines of the next page."""
        return next(self._chunks)

    def close(self) -> None:
        """Release the thread and the slot; a second call does nothing."""
        self._chunks.close()
        self._held.release()

    def _written(
        self, page: contract.SearchFacts
    ) -> collections.abc.Generator[bytes, None, None]:
        count = 0
        is_complete = True
        while True:
            count += len(page["hits"])
            is_complete = is_complete and page["is_complete"]
            if page["hits"]:
                yield b"".join(
                    codec.dumps(self._show(each)) + b"\n"
                    for each in page["hits"]
                )
            if page["next"] is None:
                end = {"count": count, "is_complete": is_complete}
                yield codec.dumps({"end": end}) + b"\n"
                return
            page = self._next_page(page["next"])

    def _next_page(self, cursor: str) -> contract.SearchFacts:
        """Return the next page; an error breaks the answer off."""
        for _ in range(_TRIES - 1):
            try:
                self._renew()
                return self._read(cursor)
            except errors.Unavailable:
                if not self._held.hold.wait(_PAUSE_S):
                    raise
        self._renew()
        return self._read(cursor)
