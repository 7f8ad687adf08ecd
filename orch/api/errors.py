"""Errors that only the API can tell."""

import collections.abc
import types

from orch import errors
from orch import project_slots


class InvalidStackName(errors.Invalid):
    """A stack cannot bear this name."""

    code = "orch.stack.invalid_name"


class WithHeaders(errors.OrchError):
    """An error whose answer says something in headers.

    :ivar headers: by name
    """

    headers: collections.abc.Mapping[str, str] = types.MappingProxyType({})


class Unauthenticated(WithHeaders):
    """The caller is unknown: credentials are missing or invalid."""

    code = "orch.api.unauthenticated"

    def __init__(self, message: str, challenge: str) -> None:
        """Say how to tell.

        :param challenge: as ``WWW-Authenticate`` has it
        """
        super().__init__(message)
        self.headers = {"WWW-Authenticate": challenge}


class EmptyList(errors.NotFound):
    """The list that a caller named by its address is empty."""

    code = "orch.api.not_found"


class BadKey(errors.Invalid):
    """An Idempotency-Key is too long, or cannot be stored."""

    code = "orch.request.bad_key"


class BadOverride(errors.Invalid):
    """An override of lifecycle plug-ins gives no reason that can be stored."""

    code = "orch.request.bad_override"


class TooManyEventStreams(project_slots.SlotsTaken):
    """As many streams of events are open as are allowed."""

    code = "orch.api.too_many_event_streams"


class TooManyRequests(WithHeaders):
    """A project sends requests faster than the operator allows."""

    code = "orch.api.too_many_requests"

    def __init__(self, message: str, retry_after_s: int) -> None:
        """Say when to come again."""
        super().__init__(message)
        self.headers = {"Retry-After": str(retry_after_s)}


class TooManyFailedLogins(TooManyRequests):
    """Too many wrong passwords came for a user."""

    code = "orch.api.too_many_failed_logins"


class StillStopping(errors.Conflict):
    """The operation that was asked to stop still runs."""

    code = "orch.api.still_stopping"
