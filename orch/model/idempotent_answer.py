"""What a request was answered that may come again."""

import dataclasses

from orch import clock


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentAnswer:
    """The first answer to all requests with one key.

    :ivar key: chosen by the caller, one a request in the project
    :ivar digest: of all that the request says
    :ivar request_id: of the request that was carried out
    :ivar answer: JSON; ids and names, never what a stack is made of
    """

    project_id: str
    key: str
    digest: str
    request_id: str
    answer: object
    created_at: clock.Timestamp
