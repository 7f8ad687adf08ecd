"""What handlers get and give: a request that knows its caller, an answer."""

import collections.abc
import dataclasses
import typing

import falcon

from orch.api import codec
from orch.context import request

Body = dict[str, typing.Any]
"""A JSON object that a request carries."""

EVENT_STREAM: typing.Final = "text/event-stream"
JSON_LINES: typing.Final = "application/x-ndjson"


class Request(falcon.Request):
    """A request; the middleware fills in what falcon does not know.

    :ivar request_id: ``req-`` and a UUID, in the answer and in all logs
    :ivar global_request_id: of the request that this one serves, where its
        sender says so
    :ivar caller: who asks; set for each address below ``/v1/{project}``
    :ivar identify: sets ``caller`` again, as the login is valid now
    :ivar identity_ttl_s: seconds for which that need not be done again
    :ivar authorize: returns if the caller may send the request now
    :ivar check_rule: raises ``Forbidden`` if a rule refuses the caller
    :ivar check_body: raises ``Invalid`` for a body that is not what the
        OpenAPI document says; ``None`` where it says nothing
    :ivar base_url: what links begin with, no slash at the end
    """

    request_id: str = ""
    global_request_id: str | None = None
    caller: request.RequestContext
    identify: collections.abc.Callable[[], None]
    identity_ttl_s: float = 0.0
    authorize: collections.abc.Callable[[], None]
    check_rule: collections.abc.Callable[[str], None]
    check_body: collections.abc.Callable[[object], None] | None = None
    base_url: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What a handler answers.

    :ivar body: becomes JSON; nothing is sent with 204, 302 and 304
    :ivar content: the body, where it is JSON text already
    :ivar stream: what is sent instead of a body; the server closes it
    :ivar stream_type: its media type
    :ivar etag: what the answer is known by, with its quotes
    """

    body: object = None
    status: int = 200
    location: str | None = None
    content: bytes | None = None
    etag: str | None = None
    stream: collections.abc.Iterable[bytes] | None = None
    stream_type: str = EVENT_STREAM

    def write(self, resp: falcon.Response) -> None:
        """Fill in falcon's response."""
        resp.status = self.status
        if self.location is not None:
            resp.set_header("Location", self.location)
        if self.etag is not None:
            resp.set_header("ETag", self.etag)
        if self.status == 302:
            # heatclient complains of JSON that is none.
            resp.content_type = falcon.MEDIA_TEXT
        if self.status in (204, 302, 304):
            return
        if self.stream is not None:
            resp.content_type = self.stream_type
            resp.set_header("Cache-Control", "no-store")
            # nginx would wait for more.
            resp.set_header("X-Accel-Buffering", "no")
            resp.stream = self.stream
            return
        if self.content is None:
            resp.data = codec.dumps(self.body)
        else:
            resp.data = self.content


NO_CONTENT: typing.Final = Answer(status=204)

Handler = collections.abc.Callable[..., Answer | None]
"""Takes what it asks (``orch.api.handlers.backends``), a :class:`Request` and
the parts of the address by name; ``None`` means :data:`NO_CONTENT`."""
