"""The error of a push: which installation, which step, and what to do."""

import collections.abc
import contextlib
import enum
import typing

from orchclient import client
from orchclient import errors

AGAIN: typing.Final = (
    "Push the stack again once that is solved: it continues from here."
)


class Side(enum.StrEnum):
    """The installation that a stack leaves, and the one that it comes to."""

    SOURCE = "source"
    TARGET = "target"


class Step(enum.StrEnum):
    """The steps of a push, in their order."""

    FIND = "find"
    CHECK = "check"
    ABANDON = "abandon"
    ADOPT = "adopt"
    ANNOUNCE = "announce"


class PushError(errors.Error):
    """A push has ended early; its cause is the error of the request.

    :ivar side: the installation that refused, or that gave no answer
    :ivar endpoint: its address; empty where that is not known
    :ivar advice: what to do
    """

    def __init__(
        self, why: str, *, side: Side, endpoint: str, step: Step, advice: str
    ) -> None:
        where = f"{side} {endpoint}".rstrip()
        super().__init__(f"{step} at the {where}: {why.rstrip('.')}. {advice}")
        self.side = side
        self.endpoint = endpoint
        self.step = step
        self.advice = advice


@contextlib.contextmanager
def reporting(
    asked: client.Client, side: Side, step: Step, advice: str = AGAIN
) -> collections.abc.Iterator[None]:
    """Raise errors of requests as those of a push."""
    try:
        yield
    except PushError:
        raise
    except errors.Error as error:
        raise PushError(
            str(error),
            side=side,
            endpoint=endpoint_of(asked),
            step=step,
            advice=advice,
        ) from error


def endpoint_of(asked: client.Client) -> str:
    """Return the address of an installation; empty where it is not known."""
    try:
        return asked.endpoint()
    except errors.Error:
        return ""
