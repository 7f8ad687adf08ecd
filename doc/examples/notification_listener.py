"""Hears what happens to stacks, each fact once and in its order.

Usage::

    python notification_listener.py rabbit://guest:guest@127.0.0.1/ [POOL]

Prints a line for each notification. With the name of a pool it has a queue of
its own, and takes nothing from others; without, it takes turns with all who
listen to the same topic. Needs nothing of Orch but the broker.

Notifications come at least once. Errors travel on another queue than the
rest, so they may pass each other. Whoever keeps the highest ``sequence`` of
each stack knows what is new: as here, in memory, or beside what it stores.
"""

import argparse
import collections.abc
import sys
import threading

import oslo_messaging
from oslo_config import cfg

EXCHANGE = "heat"
TOPIC = "notifications"

Payload = collections.abc.Mapping[str, object]
Context = collections.abc.Mapping[str, object]


class Endpoint:
    """What oslo.messaging calls: a method for each priority."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, int, str]] = set()
        self._newest: dict[str, int] = {}
        self._lock = threading.Lock()

    def info(
        self,
        ctxt: Context,
        publisher_id: str,
        event_type: str,
        payload: Payload,
        metadata: Context,
    ) -> None:
        """Take what begins, what is complete, and facts of other kinds."""
        self._take(event_type, payload)

    def error(
        self,
        ctxt: Context,
        publisher_id: str,
        event_type: str,
        payload: Payload,
        metadata: Context,
    ) -> None:
        """Take what has failed."""
        self._take(event_type, payload)

    def _take(self, event_type: str, payload: Payload) -> None:
        """Print a fact that is new; tell of one that others have passed."""
        stack_id, number = str(payload["stack_identity"]), payload["sequence"]
        if not isinstance(number, int):
            return
        with self._lock:
            if (stack_id, number, event_type) in self._seen:
                return
            self._seen.add((stack_id, number, event_type))
            is_late = number < self._newest.get(stack_id, 0)
            self._newest[stack_id] = max(number, self._newest.get(stack_id, 0))
        where = payload.get("path") or payload["stack_name"]
        print(
            f"{stack_id} {number} {event_type} {where}"
            f" {payload['state']}: {payload['state_reason']}"
            f"{' (late)' if is_late else ''}",
            flush=True,
        )


def main() -> int:
    """Listen until the standard input ends."""
    parser = argparse.ArgumentParser(description="Hears of stacks.")
    parser.add_argument("url", help="of the broker, as the workers have it")
    parser.add_argument("pool", nargs="?", help="for a queue of its own")
    given = parser.parse_args()
    conf = cfg.ConfigOpts()
    conf([], default_config_files=[])
    transport = oslo_messaging.get_notification_transport(conf, given.url)
    listener = oslo_messaging.get_notification_listener(
        transport,
        [oslo_messaging.Target(exchange=EXCHANGE, topic=TOPIC)],
        [Endpoint()],
        pool=given.pool,
    )
    # One thread, so that what comes in order is taken in order.
    listener.start(override_pool_size=1)
    print("listening", flush=True)
    sys.stdin.read()
    listener.stop()
    listener.wait()
    transport.cleanup()
    return 0


if __name__ == "__main__":
    sys.exit(main())
