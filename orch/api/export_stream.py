"""All that a search finds as one answer: JSON, a line for each.

Pages are requested one after the other while the answer is sent, so that no
more than one is in memory however many hits there are. The stream has a
thread of its own, as streams of events have.
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.api import codec
from orch.api import event_stream

_TRIES: typing.Final = 5
_PAUSE_S: typing.Final = 1.0


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """Some lines of an answer.

    :ivar lines: JSON objects
    :ivar next: cursor of the page after it; ``None`` for the last one
    :ivar hint: why some of it may be missing; ``None`` for a whole one
    """

    lines: collections.abc.Sequence[object]
    next: str | None
    hint: str | None


Read = collections.abc.Callable[[str | None], Page]
"""Takes a cursor, and returns the page after it."""


class ExportStream:
    """The body of one answer; WSGI reads it and closes it.

    The last line is ``{"end": …}`` with the number of lines before it, and
    why some may be missing; without it something is missing.
    """

    def __init__(
        self,
        read: Read,
        renew: collections.abc.Callable[[], None],
        first: Page,
        held: event_stream.Held,
    ) -> None:
        """Begin with the first page.

        :param renew: raises unless the caller may go on reading
        :param held: released when it is closed
        """
        self._read = read
        self._renew = renew
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
        self, page: Page
    ) -> collections.abc.Generator[bytes, None, None]:
        count = 0
        hint = None
        while True:
            count += len(page.lines)
            hint = hint or page.hint
            if page.lines:
                yield b"".join(
                    codec.dumps(each) + b"\n" for each in page.lines
                )
            if page.next is None:
                end: dict[str, object] = {
                    "count": count,
                    "is_complete": hint is None,
                }
                if hint is not None:
                    end["hint"] = hint
                yield codec.dumps({"end": end}) + b"\n"
                return
            page = self._next_page(page.next)

    def _next_page(self, cursor: str) -> Page:
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
