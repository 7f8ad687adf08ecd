"""Tells a broker that refuses one message from one that is away.

oslo.messaging reports both as the same error; what the broker said is among
its causes.
"""

import dataclasses
import typing

import amqp
from amqp import exceptions as amqp_exceptions

_PUBLISH: typing.Final = (60, 40)
_QUEUE_DECLARE: typing.Final = (50, 10)
"""Classes and methods: all else is about an exchange or a connection, and so
about every message of every topic."""

_CONTENT_TOO_LARGE: typing.Final = 311
_PRECONDITION_FAILED: typing.Final = 406
_OF_SIZE: typing.Final = "message size "
"""What RabbitMQ says of a message that is larger than ``max_message_size``.
The same code stands for a user or an expiration that it does not accept,
which every message has."""


@dataclasses.dataclass(frozen=True, slots=True)
class PublishError:
    """How the broker refused a message that it could read.

    :ivar is_of_message: the message itself is why; if not, a queue was full,
        perhaps only for one of its size, or is not as it was to be
    """

    reason: str
    is_of_message: bool


def find_publish_error(error: BaseException | None) -> PublishError | None:
    """Return the refusal behind an error; ``None`` where there is none."""
    while error is not None:
        if isinstance(error, amqp_exceptions.MessageNacked):
            return PublishError("a queue took no more (basic.nack)", False)
        if isinstance(error, amqp.ChannelError):
            text = str(error.reply_text)
            if error.method_sig == _PUBLISH and _is_too_large(error):
                return PublishError(text, True)
            if error.method_sig == _QUEUE_DECLARE:
                return PublishError(text, False)
        error = error.__cause__ or error.__context__
    return None


def _is_too_large(error: amqp.ChannelError) -> bool:
    return error.reply_code == _CONTENT_TOO_LARGE or (
        error.reply_code == _PRECONDITION_FAILED
        and _OF_SIZE in str(error.reply_text)
    )
