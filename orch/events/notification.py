"""Publishes notifications in the form of oslo.messaging's notifier.

The notifier itself swallows what its drivers raise, numbers each message
anew, and gives it the time at which it is sent. A notification may leave the
outbox only once the bus has taken it, a repeated one is the same message, and
its time is that of the event: so the envelope is made here.
"""

import collections.abc
import datetime
import typing

import oslo_messaging as messaging
from oslo_config import cfg

from orch import errors
from orch.model import notification
from orch.rpc import options
from orch.rpc import publish_errors

_VERSION = 2.0
_RETRIES = 1
EVENT_TIME: typing.Final = "event_time"
"""Key of a payload: when the event happened, UTC, with microseconds."""

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


class Publisher:
    """Publishes notifications, and says so when the bus did not take one.

    Each topic has a transport of its own, and another one after a failure: a
    connection on which a message was refused is closed, and oslo.messaging
    waits for a second before it replaces one.
    """

    def __init__(self, conf: cfg.ConfigOpts, url: str | None = None) -> None:
        """Prepare; each topic connects when it is first published to.

        :param conf: with the group ``notifications``
        :param url: ``None`` for the one in the options
        """
        options.register_options(conf)
        self._conf = conf
        self._url = url
        self._transports: dict[str, messaging.Transport] = {}
        self._exchange = conf.notifications.exchange
        self._publisher_id = (
            conf.notifications.publisher_id or f"orchestration.{conf.host}"
        )

    def publish(self, value: notification.Notification, topic: str) -> None:
        """Return once the bus has taken the notification for a topic.

        :raises NotificationRefused: the bus has not taken it, but may take
            others
        :raises orch.errors.Unavailable: the bus has not taken it
        """
        try:
            self._send(value, topic, retries=0)
        except NotificationRefused:
            raise
        except errors.Unavailable:
            # Its connection may have died while it was idle, or its host is
            # away and another one is not.
            self._send(value, topic, retries=_RETRIES)

    def _send(
        self, value: notification.Notification, topic: str, retries: int
    ) -> None:
        transport = self._transports.get(topic)
        if transport is None:
            transport = self._transports[topic] = (
                messaging.get_notification_transport(self._conf, self._url)
            )
        try:
            transport._send_notification(
                messaging.Target(
                    exchange=self._exchange, topic=f"{topic}.{value.priority}"
                ),
                _shown_context(value.context),
                make_envelope(value, self._publisher_id),
                version=_VERSION,
                retry=retries,
            )
        except Exception as error:
            del self._transports[topic]
            transport.cleanup()
            publish_error = publish_errors.find_publish_error(error)
            if publish_error is not None:
                raise NotificationRefused(publish_error) from error
            raise errors.Unavailable(
                f"the bus has not taken a notification: {error}"
            ) from error

    def close(self) -> None:
        """Close the connections."""
        for each in self._transports.values():
            each.cleanup()


def make_envelope(
    value: notification.Notification, publisher_id: str
) -> dict[str, object]:
    """Return the message; what is published again has the same."""
    happened = datetime.datetime.fromtimestamp(value.created_at, datetime.UTC)
    moment = happened.replace(tzinfo=None).isoformat(timespec="microseconds")
    return {
        "message_id": value.message_id,
        "publisher_id": publisher_id,
        "event_type": value.event_type,
        "priority": value.priority.upper(),
        "payload": {**value.payload, EVENT_TIME: f"{moment}Z"},
        "timestamp": moment.replace("T", " "),
    }


def _shown_context(
    context: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    """Return what of the context is no secret."""
    return {
        **{name: context.get(name) for name in _CONTEXT_KEYS},
        "user_id": context.get("user_id", context.get("user")),
        "tenant": context.get("project_id"),
    }
