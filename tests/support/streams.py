"""Reads server-sent events, as a browser's ``EventSource`` does."""

import collections.abc
import dataclasses
import json
import types
import typing

import requests

from tests.support import rest


@dataclasses.dataclass(frozen=True)
class Sent:
    """One event of a stream.

    :ivar kind: ``message`` where the stream names none
    :ivar id: the last one that was sent
    """

    kind: str
    id: str
    data: rest.Json


class Stream:
    """An open stream; a context manager that closes it."""

    def __init__(
        self,
        client: rest.Client,
        stack: rest.Stack,
        query: str = "",
        after: str | None = None,
        timeout_s: float = 30,
        resource: str | None = None,
    ) -> None:
        """Open it.

        :param resource: whose events; ``None`` for those of the stack
        :param after: ``Last-Event-ID``
        :raises rest.RefusedError: the server does not send one
        """
        path = stack.path
        if resource is not None:
            path += f"/resources/{resource}"
        self._answer = requests.get(
            f"{client.endpoint}{path}/events?follow=true{query}",
            headers={} if after is None else {"Last-Event-ID": after},
            stream=True,
            timeout=timeout_s,
        )
        if self._answer.status_code >= 400:
            raise rest.RefusedError(
                self._answer.status_code, self._answer.json()
            )
        self.headers = self._answer.headers
        self._lines = self._answer.iter_lines(chunk_size=1)

    def __enter__(self) -> "Stream":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> collections.abc.Iterator[Sent]:
        """Yield what comes, until the server ends the stream."""
        fields = {"event": "message", "id": "", "data": ""}
        for raw in self._lines:
            line = raw.decode()
            if line:
                name, _, value = line.partition(":")
                fields[name] = value.removeprefix(" ")
            elif fields["data"]:
                data = typing.cast(rest.Json, json.loads(fields["data"]))
                yield Sent(fields["event"], fields["id"], data)
                fields |= {"event": "message", "data": ""}

    def take(self, count: int) -> list[Sent]:
        """Return so many events, once they have come."""
        found: list[Sent] = []
        for each in self:
            found.append(each)
            if len(found) == count:
                break
        return found

    def close(self) -> None:
        """Let go of the connection."""
        self._answer.close()
