"""Converts notifications as Ceilometer does, with its own code.

It runs by the Python of an environment with Ceilometer in it, and never by
that of the tests: ``convert.py URL``, of the broker. It listens where
Ceilometer's notification agent does, hands what comes to the agent's
endpoint for events with the definitions that Ceilometer ships, and prints
each event as a line of JSON. The first line says that it listens. It ends
when nothing more comes in on its standard input.
"""

import json
import pathlib
import sys
import threading

import oslo_messaging
from ceilometer import messaging
from ceilometer import notification
from ceilometer.event import converter
from ceilometer.pipeline import event
from oslo_config import cfg

_TOPIC = "notifications"


class Printer:
    """Where the endpoint publishes: as a pipeline of Ceilometer's is used."""

    def __enter__(self):
        return self.publish

    def __exit__(self, kind, error, trace):
        return None

    def publish(self, found):
        """Print one event."""
        say(
            event_type=found.event_type,
            message_id=found.message_id,
            generated=found.generated.isoformat(),
            traits={each.name: each.value for each in found.traits},
        )


def say(**told):
    sys.stdout.write(json.dumps(told, default=str) + "\n")
    sys.stdout.flush()


def options():
    """Return Ceilometer's options, at their defaults."""
    conf = cfg.ConfigOpts()
    conf.register_opts(converter.OPTS, group="event")
    conf.register_opts(notification.OPTS, group="notification")
    conf.register_opts(notification.EXCHANGES_OPTS, group="notification")
    conf([], project="ceilometer", default_config_files=[])
    return conf


def main(url):
    """Convert until whoever has started this goes away."""
    messaging.setup()
    conf = options()
    listener = messaging.get_batch_notification_listener(
        messaging.get_transport(conf, url),
        [
            oslo_messaging.Target(topic=_TOPIC, exchange=exchange)
            for exchange in conf.notification.notification_control_exchanges
        ],
        [event.EventEndpoint(conf, Printer())],
        allow_requeue=True,
        batch_size=conf.notification.batch_size,
        batch_timeout=conf.notification.batch_timeout,
    )
    listener.start(override_pool_size=1)
    shipped = pathlib.Path(event.__file__).parent / "data"
    say(definitions=(shipped / "event_definitions.yaml").is_file())
    ended = threading.Event()
    threading.Thread(
        target=lambda: (sys.stdin.read(), ended.set()), daemon=True
    ).start()
    ended.wait()
    listener.stop()
    listener.wait()


if __name__ == "__main__":
    main(sys.argv[1])
