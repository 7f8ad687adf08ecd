"""What failed calls say: is the service away, is the call over."""

import typing

import requests
from urllib3 import exceptions

_GATEWAY: typing.Final = (502, 504)
"""Answers of a proxy; the service behind it may go on with the call."""


_AWAY: typing.Final = (502, 503, 504)
"""Answers of a service that is down, or of a proxy before it."""


def is_away(status: int) -> bool:
    """Whether an answer says that no server takes requests now."""
    return status in _AWAY


def is_unsent(error: BaseException | None) -> bool:
    """Whether no connection came about, for another cause than time.

    The port is closed, the host is away, or its name is unknown.
    """
    if not isinstance(error, requests.exceptions.RequestException):
        return False
    cause = error.args[0] if error.args else None
    if isinstance(cause, exceptions.MaxRetryError):
        cause = cause.reason
    return isinstance(cause, exceptions.NewConnectionError)


def is_unconnected(error: BaseException | None) -> bool:
    """Whether no connection came about, for whatever cause."""
    return is_unsent(error) or isinstance(
        error, requests.exceptions.ConnectTimeout
    )


def is_over_with(status: int) -> bool:
    """Whether a call that was answered with a status is over."""
    return status not in _GATEWAY
