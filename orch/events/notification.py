"""Publishes notifications by oslo.messaging's notifier.

The notifier swallows what its drivers raise, and its own drivers swallow
before it. A notification may leave the outbox only once the bus has taken
it, so a driver of ours (``orch`` in ``oslo.messaging.notify.drivers``) signs
a receipt, which travels as the notification's context.
"""

import collections.abc
import typing

import oslo_messaging as messaging
from oslo_config import cfg
from oslo_messaging.notify import notifier

from orch import errors
from orch.model import notification
from orch.rpc import options
from orch.rpc import publish_errors

_DRIVER = "orch"
_VERSION = 2.0
_RETRIES = 1

# What consumers may know of who asked; Ceilometer takes the user from here.
_CONTEXT_KEYS = (
    "request_id",
    "global_request_id",
    "project_id",
    "user_name",
    "project_name",
    "user_domain",
    "project_domain",
    "trustor_user_id",
)


class NotificationRefused(errors.Unavailable):
    """The bus is there, and has not taken this very notification.

    :ivar is_of_message: it never will; if not, it may once there is room
    """

    def __init__(self, publish_error: publish_errors.PublishError) -> None:
        """Say what the bus said."""
        super().__init__(
            f"the bus refuses a notification: {publish_error.reason}"
        )
        self.is_of_message = publish_error.is_of_message


class Receipt:
    """The context of one notification, signed once the bus has taken it."""

    def __init__(self, context: collections.abc.Mapping[str, object]) -> None:
        """Show of the context what is no secret."""
        self.told = {name: context.get(name) for name in _CONTEXT_KEYS}
        self.told["user_id"] = context.get("user_id", context.get("user"))
        self.told["tenant"] = context.get("project_id")
        self.is_signed = False
        self.failure: Exception | None = None

    def redacted_copy(self) -> typing.Self:
        """Return itself: nothing in it is secret."""
        return self


class Driver(notifier.Driver):
    """Sends to the exchange of ``[notifications]`` and signs the receipt."""

    def notify(
        self,
        ctxt: Receipt,
        msg: collections.abc.Mapping[str, object],
        priority: str,
        retry: int,
    ) -> None:
        """Hand the message to the bus, once for each topic."""
        exchange = self.conf.notifications.exchange
        try:
            for topic in self.topics:
                self.transport._send_notification(
                    messaging.Target(
                        exchange=exchange, topic=f"{topic}.{priority.lower()}"
                    ),
                    ctxt.told,
                    msg,
                    version=_VERSION,
                    retry=retry,
                )
        except Exception as error:
            ctxt.failure = error
        else:
            ctxt.is_signed = True


class Publisher:
    """Publishes notifications, and says so when the bus did not take one."""

    def __init__(self, conf: cfg.ConfigOpts, url: str | None = None) -> None:
        """Prepare a transport; it connects when it is first used.

        :param conf: with the group ``notifications``
        :param url: ``None`` for the one in the options
        """
        options.register_options(conf)
        self._transport = messaging.get_notification_transport(conf, url)
        self._topics = list(conf.notifications.topics)
        self._notifier = messaging.Notifier(
            self._transport,
            publisher_id=conf.notifications.publisher_id
            or f"orchestration.{conf.host}",
            driver=_DRIVER,
            retry=_RETRIES,
            topics=self._topics,
        )

    def publish(self, stack: notification.Notification) -> None:
        """Return once the bus has taken the notification for all topics.

        After an error some topics may have it; publish it again.

        :raises NotificationRefused: the bus has not taken it, but may take
            others
        :raises orch.errors.Unavailable: the bus has not taken it
        """
        if not self._topics:
            return
        receipt = Receipt(stack.context)
        send = getattr(self._notifier, stack.priority)
        send(receipt, stack.event_type, dict(stack.payload))
        if not receipt.is_signed:
            publish_error = publish_errors.find_publish_error(receipt.failure)
            if publish_error is not None:
                raise NotificationRefused(publish_error) from receipt.failure
            raise errors.Unavailable(
                f"the bus has not taken a notification: {receipt.failure}"
            ) from receipt.failure

    def close(self) -> None:
        """Close the connections."""
        self._transport.cleanup()
