"""What the library raises, in the shapes that a real broker gives it."""

import typing

import amqp
from amqp import exceptions as amqp_exceptions
from kombu import exceptions as kombu_exceptions
from oslo_messaging import exceptions as messaging_exceptions

from orch.rpc import publish_errors
from tests import base

_PUBLISH: typing.Final = (60, 40)
_TOO_LARGE: typing.Final = (
    "PRECONDITION_FAILED - message size 30670 is larger than configured max"
    " size 20000"
)


def _delivered(*causes: BaseException) -> BaseException:
    """Return what oslo.messaging raises while it handles these."""
    error: BaseException = messaging_exceptions.MessageDeliveryFailure("away")
    found = error
    for each in causes:
        found.__context__ = each
        found = each
    return error


class RefusalTest(base.TestCase):
    def test_a_message_that_is_too_large(self) -> None:
        error = _delivered(amqp.PreconditionFailed(_TOO_LARGE, _PUBLISH))

        self.assertEqual(
            publish_errors.PublishError(_TOO_LARGE, True),
            publish_errors.find_publish_error(error),
        )

    def test_a_queue_that_is_full(self) -> None:
        found = publish_errors.find_publish_error(
            _delivered(
                kombu_exceptions.OperationalError(),
                amqp_exceptions.MessageNacked(),
            )
        )

        assert found is not None
        self.assertFalse(found.is_of_message)

    def test_a_queue_that_is_not_as_declared(self) -> None:
        error = amqp.PreconditionFailed("inequivalent arg 'x-ttl'", (50, 10))

        self.assertEqual(
            publish_errors.PublishError("inequivalent arg 'x-ttl'", False),
            publish_errors.find_publish_error(_delivered(error)),
        )

    def test_whatever_else_is_about_all_messages(self) -> None:
        for each in (
            amqp.PreconditionFailed("inequivalent arg 'durable'", (40, 10)),
            amqp.PreconditionFailed(
                "PRECONDITION_FAILED - user_id property set to 'size' but"
                " authenticated user was 'orch'",
                _PUBLISH,
            ),
            amqp.PreconditionFailed(
                "PRECONDITION_FAILED - invalid expiration '-1'", _PUBLISH
            ),
            amqp.NotFound("NOT_FOUND - no exchange 'heat'", _PUBLISH),
            amqp.AccessRefused("ACCESS_REFUSED", _PUBLISH),
            amqp.ConnectionForced("CONNECTION_FORCED", (0, 0)),
            ConnectionRefusedError(),
        ):
            self.assertIsNone(
                publish_errors.find_publish_error(_delivered(each)), each
            )

    def test_where_nothing_failed_nothing_was_refused(self) -> None:
        self.assertIsNone(publish_errors.find_publish_error(None))
