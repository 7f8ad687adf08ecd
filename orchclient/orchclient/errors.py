"""The errors of the client, one tree: ``Error`` is the base of all."""

import dataclasses
import types
import typing


class Error(Exception):
    """A request failed; the text says why, and what to do."""


class ConnectError(Error):
    """The service gave no response, or its endpoint is unknown."""


class LoginError(Error):
    """The login failed: wrong settings, or Keystone refused it."""


class AnswerError(Error):
    """The service sent a response that this client does not understand."""


class PackagingError(Error):
    """A template, or what it includes, cannot be sent.

    :ivar place: file or URL
    """

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a request, with its place in the document.

    :ivar path: where in the document, dotted; empty when not known
    :ivar advice: what to do about it; empty when the message says it
    :ivar file: empty for the template itself
    :ivar line: from 1; 0 when not known
    :ivar column: from 1; 0 when not known
    """

    message: str
    path: str = ""
    advice: str = ""
    file: str = ""
    line: int = 0
    column: int = 0

    @property
    def place(self) -> str:
        """Return file and line, as compilers write them; may be empty."""
        if not self.line:
            return self.file
        return f"{self.file or 'template'}:{self.line}:{self.column}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ErrorDetails:
    """The error details of a response.

    :ivar type: the class name that Heat has for it, ``StackExists``
    :ivar code: Orch's own name, ``orch.stack.exists``; empty where the
        service has none
    :ivar request_id: finds the request in the logs of the service
    :ivar retry_after_s: when to ask again, where the service says so
    """

    status: int
    message: str
    type: str = ""
    code: str = ""
    title: str = ""
    request_id: str = ""
    problems: tuple[Problem, ...] = ()
    retry_after_s: float | None = None


class ApiError(Error):
    """The service refused, or failed.

    :ivar details: all that its response says
    """

    def __init__(self, details: ErrorDetails) -> None:
        super().__init__(details.message)
        self.details = details

    @property
    def status(self) -> int:
        """Return the HTTP status."""
        return self.details.status

    @property
    def type(self) -> str:
        """Return the class name that Heat has for the error."""
        return self.details.type

    @property
    def message(self) -> str:
        """Return what is wrong."""
        return self.details.message

    @property
    def code(self) -> str:
        """Return Orch's code of the error; empty where there is none."""
        return self.details.code

    @property
    def request_id(self) -> str:
        """Return the id of the request in the logs of the service."""
        return self.details.request_id

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return all problems of the request."""
        return self.details.problems

    @property
    def retry_after_s(self) -> float | None:
        """Return the seconds to wait before a retry; ``None``: unknown."""
        return self.details.retry_after_s


class BadRequestError(ApiError):
    """400: sending it again will not help."""


class UnauthorizedError(ApiError):
    """401: the service does not accept the credentials."""


class ForbiddenError(ApiError):
    """403: the caller may not, or a quota is used up."""


class NotFoundError(ApiError):
    """404: no such object exists, or not for this caller."""


class ConflictError(ApiError):
    """409: the request does not fit the present state."""


class PreconditionFailedError(ApiError):
    """412: the object has changed since the caller read it."""


class TooLargeError(ApiError):
    """413: the request body is too large."""


class UnprocessableError(ApiError):
    """422: the request contradicts one that was sent before."""


class RateLimitedError(ApiError):
    """429: too many requests; ``retry_after_s`` may say when to go on."""


class ServerError(ApiError):
    """5xx: the service failed."""


class UnavailableError(ServerError):
    """503: a part of the service is unavailable now."""


_BY_STATUS: typing.Final = types.MappingProxyType(
    {
        400: BadRequestError,
        401: UnauthorizedError,
        403: ForbiddenError,
        404: NotFoundError,
        409: ConflictError,
        412: PreconditionFailedError,
        413: TooLargeError,
        422: UnprocessableError,
        429: RateLimitedError,
        503: UnavailableError,
    }
)


def error_of(details: ErrorDetails) -> ApiError:
    """Return the error of a response."""
    otherwise = ServerError if details.status >= 500 else ApiError
    return _BY_STATUS.get(details.status, otherwise)(details)
