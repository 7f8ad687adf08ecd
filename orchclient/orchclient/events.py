"""Events of stacks: lists, and a stream of new ones."""

import collections.abc
import json
import time
import typing

import requests
import urllib3

from orchclient import errors
from orchclient import event_stream
from orchclient import models
from orchclient import response_parser
from orchclient import retry
from orchclient import stack_lookup
from orchclient import transport

Events = collections.abc.Iterator[models.Event]
Names = collections.abc.Sequence[str]

INTERVAL_S: typing.Final = 1.0
_RETRY_LIMIT_S: typing.Final = 60.0
_PAGE: typing.Final = 200
# Several times what a server lets pass without a sign of life.
_STREAM_TIMEOUT_S: typing.Final = 90.0
_IN_PROGRESS: typing.Final = "IN_PROGRESS"
_DELETED: typing.Final = models.Status("DELETE", "COMPLETE")


class Filters(typing.TypedDict, total=False):
    """Filters of a list of events; a sequence means: one of these."""

    resource_name: str | Names
    resource_type: str | Names
    resource_status: str | Names
    resource_action: str | Names


class _NoStreamError(Exception):
    """The service offers no event stream, or not now."""


class EventLog:
    """The events of stacks, which never change."""

    def __init__(
        self, sender: transport.Transport, clock: retry.Clock = time
    ) -> None:
        self._sender = sender
        self._clock = clock
        self._retry_policy = retry.RetryPolicy(_RETRY_LIMIT_S, clock)

    def list(
        self,
        stack: models.Which,
        *,
        after: str | None = None,
        resource: str | None = None,
        nested_depth: int = 0,
        limit: int | None = None,
        newest_first: bool = False,
        **filters: typing.Unpack[Filters],
    ) -> tuple[models.Event, ...]:
        """Return the events of a stack, the oldest first.

        :param after: id of the event before the first
        :param resource: only those of this one
        :param nested_depth: levels of child stacks to include
        :param limit: so many at most; the service may have a lower one
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        query: dict[str, object] = {
            "sort_dir": "desc" if newest_first else "asc",
            "marker": after,
            "limit": limit,
            "nested_depth": nested_depth or None,
            **filters,
        }
        below = ""
        if resource is not None:
            below = f"/resources/{transport.quote_part(resource)}"
        try:
            answer = self._sender.get(f"{found.path}{below}/events", query)
        except errors.NotFoundError as error:
            # So the service says that a resource has none.
            if resource is None or error.type != "HTTPNotFound":
                raise
            return ()
        return tuple(
            map(models.Event.of, response_parser.get_maps(answer, "events"))
        )

    def show(
        self, stack: models.Which, resource: str, event_id: str
    ) -> models.Event:
        """Return an event with type and properties of its resource."""
        found = stack_lookup.identify_stack(self._sender, stack)
        name, part = map(transport.quote_part, (resource, event_id))
        answer = self._sender.get(
            f"{found.path}/resources/{name}/events/{part}"
        )
        return models.Event.of(response_parser.get_map(answer, "event"))

    def follow(
        self,
        stack: models.Which,
        *,
        after: str | None = None,
        nested_depth: int = 0,
        until_idle: bool = False,
        interval_s: float = INTERVAL_S,
    ) -> Events:
        """Yield the events of a stack, then new ones as they happen.

        The service streams them where it can; else it is polled. Broken
        connections are made again; no event is yielded twice, or left out. The
        iteration ends when the stack is deleted.

        :param after: id of the event before the first
        :param nested_depth: levels of child stacks to include
        :param until_idle: end also when no operation of the stack is in
            progress
        :param interval_s: between two polls
        :raises orchclient.errors.ConnectError: the service is away for a
            minute
        """
        found = self._retry_policy.ask(
            lambda: stack_lookup.identify_stack(self._sender, stack)
        )
        following = _Following(self, found, after, nested_depth)
        can_stream = True
        while True:
            # First the stack, then the events: what has happened before it
            # came to rest is among them.
            is_over = self._is_over(found, until_idle=until_idle)
            if is_over or not can_stream:
                yield from self._rest(following)
            if is_over:
                return
            if can_stream:
                try:
                    yield from self._streamed(
                        following, interval_s, until_idle=until_idle
                    )
                except _NoStreamError:
                    can_stream = False
            else:
                self._clock.sleep(interval_s)

    def _is_over(
        self, stack: models.StackIdentity, *, until_idle: bool
    ) -> bool:
        """Whether the iteration ends once all events are yielded."""
        shown = self._retry_policy.ask(
            lambda: self._sender.get(stack.path, {"resolve_outputs": False})
        )
        status = models.Stack.of(
            response_parser.get_map(shown, "stack")
        ).status
        if status == _DELETED:
            return True
        return until_idle and status.state != _IN_PROGRESS

    def _rest(self, following: "_Following") -> Events:
        """Yield all further events."""
        while True:
            page = self._retry_policy.ask(following.page)
            for event in page:
                following.take(event)
                yield event
            if not page:
                return

    def _streamed(
        self,
        following: "_Following",
        interval_s: float,
        *,
        until_idle: bool,
    ) -> Events:
        """Yield the events of a stream, until that ends or breaks.

        :raises _NoStreamError: there is none
        """
        is_fruitful = False
        try:
            for event in following.stream(self._sender, until_idle=until_idle):
                is_fruitful = True
                yield event
        except errors.ConnectError:
            is_fruitful = False
        if not is_fruitful:
            self._clock.sleep(interval_s)


class _Following:
    """The position of a reader in the events of a stack."""

    def __init__(
        self,
        log: EventLog,
        stack: models.StackIdentity,
        after: str | None,
        nested_depth: int,
    ) -> None:
        self._log = log
        self._stack = stack
        self._after = after
        self._position = after
        self._nested_depth = nested_depth

    def take(self, event: models.Event) -> None:
        """Note that an event was yielded."""
        self._after = self._position = event.id

    def page(self) -> tuple[models.Event, ...]:
        """Return some of the next events, none where there are none."""
        return self._log.list(
            self._stack,
            after=self._after,
            nested_depth=self._nested_depth,
            limit=_PAGE,
        )

    def stream(
        self, sender: transport.Transport, *, until_idle: bool
    ) -> Events:
        """Yield events as they happen.

        :raises _NoStreamError: the service has no stream, or none to spare
        :raises orchclient.errors.ConnectError: the stream broke
        """
        headers = {
            "Accept": transport.EVENT_STREAM,
            "Accept-Encoding": "identity",
            "Cache-Control": "no-store",
        }
        if self._position is not None:
            headers["Last-Event-ID"] = self._position
        query = {
            "follow": True,
            "nested_depth": self._nested_depth or None,
            "until": "idle" if until_idle else None,
        }
        opened = sender.stream(
            f"{self._stack.path}/events",
            query=query,
            headers=headers,
            silence_s=_STREAM_TIMEOUT_S,
        )
        try:
            with opened as answer:
                kind = answer.headers.get("Content-Type", "")
                if not kind.startswith(transport.EVENT_STREAM):
                    raise _NoStreamError
                yield from self._read(answer)
        except _NO_STREAM_ERRORS as error:
            raise _NoStreamError from error
        except _CONNECTION_ERRORS as error:
            raise errors.ConnectError(
                f"The stream of events broke: {error}"
            ) from error

    def _read(self, answer: requests.Response) -> Events:
        for message in event_stream.read_messages(_chunks(answer)):
            event = _event_of(message)
            if event is None:
                continue
            self.take(event)
            # In a tree more than the last event tells how far one is.
            self._position = message.id or event.id
            yield event


_NO_STREAM_ERRORS: typing.Final = (
    errors.BadRequestError,
    errors.RateLimitedError,
    errors.UnavailableError,
)
_CONNECTION_ERRORS: typing.Final = (
    requests.exceptions.RequestException,
    urllib3.exceptions.HTTPError,
    ValueError,
    OSError,
)


def _chunks(answer: requests.Response) -> collections.abc.Iterator[bytes]:
    """Yield the body as it comes.

    Without chunks a read of more than a byte waits until that has come.
    """
    is_chunked = answer.headers.get("Transfer-Encoding", "") == "chunked"
    found: collections.abc.Iterator[bytes] = answer.iter_content(
        None if is_chunked else 1
    )
    return found


def _event_of(message: event_stream.Message) -> models.Event | None:
    """Return the event of a message; ``None`` where it brings none."""
    if not message.data:
        return None
    try:
        body = json.loads(message.data)
    except ValueError:
        return None
    if isinstance(body, dict) and isinstance(body.get("event"), dict):
        body = body["event"]
    if not isinstance(body, dict) or "event_time" not in body:
        return None
    return models.Event.of(body)
