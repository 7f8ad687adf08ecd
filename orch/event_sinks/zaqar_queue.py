"""Put the events of a stack into a queue of its project (Zaqar)."""

import collections.abc
import re
import typing

from orch import errors
from orch.clients import messaging
from orch.clients import rest
from orch.plugin import cloud_events
from orch.plugin import clouds
from orch.plugin import read_only_values
from orch.plugin import sink

_TARGET: typing.Final = "target"
_TTL: typing.Final = "ttl"
_QUEUE: typing.Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MIN_TTL_S: typing.Final = 60
"""Zaqar takes no message with less."""
_MAX_TTL_S: typing.Final = 2**31 - 1
_NEVER: typing.Final = frozenset({400, 422})
"""What the service answers to a message that it will never take, beside 413.
All others may be cured, as a role that was taken away."""


class ZaqarQueue(sink.EventSink):
    """Sends a message an event, as Heat's sink of that name."""

    type_name = "zaqar-queue"
    keys = ("type", _TARGET, _TTL, cloud_events.FORMAT)

    @classmethod
    def faults(
        cls, declared: sink.Declared
    ) -> collections.abc.Iterable[sink.Fault]:
        """Return the faults of the queue's name, its format and the time."""
        yield from cloud_events.find_faults(declared)
        if not _QUEUE.fullmatch(str(declared[_TARGET])):
            yield sink.Fault(
                _TARGET,
                'the "target" of a zaqar-queue is wrong: no queue has that'
                " name",
                "Names of queues are 1 to 64 letters, digits, _ and -.",
            )
        ttl = declared.get(_TTL)
        if ttl is not None and (
            isinstance(ttl, bool)
            or not isinstance(ttl, int)
            or not _MIN_TTL_S <= ttl <= _MAX_TTL_S
        ):
            yield sink.Fault(
                _TTL,
                'the "ttl" of a zaqar-queue is wrong: it must be a whole'
                f" number of seconds, {_MIN_TTL_S} or more and"
                f" {_MAX_TTL_S} at most",
            )

    def send(
        self,
        declared: sink.Declared,
        event: sink.SinkEvent,
        owner: sink.Owner,
    ) -> None:
        """Post the message with the credential of the stack.

        :raises orch.plugin.sink.SinkRefused: the service will not take it, or
            the stack has no credential, or none any more
        :raises orch.plugin.sink.SinkUnreachable: no connection is possible
        """
        ttl = declared.get(_TTL)
        try:
            messaging.post_message(
                owner.connect(),
                str(declared[_TARGET]),
                read_only_values.thaw(cloud_events.body_of(declared, event)),
                ttl_s=ttl if isinstance(ttl, int) else None,
                sender=owner.stack_id,
            )
        except (clouds.NoCloud, rest.TooLarge) as error:
            raise sink.SinkRefused(error.message) from error
        except rest.CloudRefused as error:
            if error.status in _NEVER:
                raise sink.SinkRefused(error.message) from error
            raise errors.Transient(error.message) from error
        except errors.Outage as error:
            raise sink.SinkUnreachable(error.message) from error
