"""What handlers get and give: a request that knows its caller, an answer."""

import collections.abc
import dataclasses

import falcon

from orch.api import codec
from orch.context import request


class Request(falcon.Request):
    """A request; the middleware fills in what falcon does not know.

    :ivar request_id: ``req-`` and a UUID, in the answer and in all logs
    :ivar caller: who asks; set for each address below ``/v1/{project}``
    :ivar base_url: what links begin with, no slash at the end
    """

    request_id: str = ""
    caller: request.RequestContext
    base_url: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What a handler answers.

    :ivar body: becomes JSON; nothing is sent with 204 and 302
    """

    body: object = None
    status: int = 200
    location: str | None = None

    def write(self, resp: falcon.Response) -> None:
        """Fill in falcon's response."""
        resp.status = self.status
        if self.location is not None:
            resp.set_header("Location", self.location)
        if self.status not in (204, 302):
            resp.data = codec.dumps(self.body)


Handler = collections.abc.Callable[..., Answer]
"""Takes a :class:`Request` and the parts of the address by name."""
