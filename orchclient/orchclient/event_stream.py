"""Server-sent events: a stream of lines in, messages out.

As the HTML standard has it, "Server-sent events", 9.2.6.
"""

import collections.abc
import dataclasses
import typing

_MAX_BYTES: typing.Final = 4 * 2**20


@dataclasses.dataclass(frozen=True, slots=True)
class Message:
    """One message of a stream.

    :ivar id: the last one that was sent
    :ivar kind: ``message`` where none is sent
    :ivar data: lines, joined; empty for a comment, by which the server says
        that it is still connected
    """

    id: str = ""
    kind: str = "message"
    data: str = ""


def read_messages(
    chunks: collections.abc.Iterable[bytes],
) -> collections.abc.Iterator[Message]:
    """Yield each complete message; an incomplete last one is dropped.

    :param chunks: of the stream, of any size
    """
    last_id, kind = "", ""
    data: list[str] = []
    for line in _lines(chunks):
        if not line:
            if data:
                yield Message(last_id, kind or "message", "\n".join(data))
            kind, data = "", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not name:
            yield Message(last_id)
        elif name == "data":
            data.append(value)
        elif name == "event":
            kind = value
        elif name == "id" and "\0" not in value:
            last_id = value


def _lines(
    chunks: collections.abc.Iterable[bytes],
) -> collections.abc.Iterator[str]:
    """Yield lines, which end in CR, LF or both."""
    rest = b""
    skips_newline = False
    for chunk in chunks:
        if skips_newline and chunk:
            chunk = chunk.removeprefix(b"\n")
            skips_newline = False
        rest += chunk
        if len(rest) > _MAX_BYTES:
            raise ValueError("a line of the stream is too long")
        # A CR at the end is an end already, an LF may follow.
        skips_newline = rest.endswith(b"\r")
        *complete, rest = (
            rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        )
        for line in complete:
            yield line.decode("utf-8", "replace").removeprefix("\ufeff")
