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
    """Publishes notifications, and says so when the bus did not take one."""

    def __init__(self, conf: cfg.ConfigOpts, url: str | None = None) -> None:
        """Prepare a transport; it connects when it is first used.

        :param conf: with the group ``notifications``
        :param url: ``None`` for the one in the options
        """
        options.register_options(conf)
        self._transport = messaging.get_notification_transport(conf, url)
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
            self._transport._send_notification(
                messaging.Target(
                    exchange=self._exchange, topic=f"{topic}.{value.priority}"
                ),
                _shown_context(value.context),
                self._envelope(value),
                version=_VERSION,
                retry=_RETRIES,
            )
        except Exception as error:
            publish_error = publish_errors.find_publish_error(error)
            if publish_error is not None:
                raise NotificationRefused(publish_error) from error
            raise errors.Unavailable(
                f"the bus has not taken a notification: {error}"
            ) from error

    def close(self) -> None:
        """Close the connections."""
        self._transport.cleanup()

    def _envelope(self, value: notification.Notification) -> dict[str, object]:
        """Return the message; what is published again has the same."""
        happened = datetime.datetime.fromtimestamp(
            value.created_at, datetime.UTC
        ).replace(tzinfo=None)
        moment = happened.isoformat(timespec="microseconds")
        return {
            "message_id": value.message_id,
            "publisher_id": self._publisher_id,
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
