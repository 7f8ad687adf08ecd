"""``orch-manage notification``: what waits for the broker, and its queues."""

import argparse
import functools
import json
import re
import shlex
import sys
import typing

import oslo_messaging as messaging
from oslo_config import cfg

from orch import clock
from orch.cmd import columns
from orch.cmd import process
from orch.cmd import tables
from orch.db.repositories import outbox
from orch.db.repositories import refused_notifications
from orch.rpc import options

_MAX_SHOWN: typing.Final = 1000
_BATCH: typing.Final = 100
_PRIORITIES: typing.Final = ("info", "error")
MAX_MESSAGES: typing.Final = 100_000
"""Messages that the printed policy lets a queue keep."""


def queues_of(conf: cfg.ConfigOpts) -> list[str]:
    """Return the names of the queues that notifications are sent to."""
    return [
        f"{topic}.{priority}"
        for topic in conf.notifications.topics
        for priority in _PRIORITIES
    ]


def print_policy(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    """Print the command that bounds the queues of all topics.

    :raises orch.cmd.process.Failure: nothing is published
    """
    topics = conf.notifications.topics
    if not topics:
        raise process.Failure(
            "[notifications] topics is empty: nothing is published, so there"
            " is no queue to bound"
        )
    if arguments.max_messages < 1:
        raise process.Failure("--max-messages must be at least 1")
    options.register_options(conf)
    url = messaging.TransportURL.parse(
        conf, conf.oslo_messaging_notifications.transport_url
    )
    names = "|".join(map(re.escape, topics))
    definition = {
        "max-length": arguments.max_messages,
        "overflow": "drop-head",
    }
    command = [
        *("rabbitmqctl", "set_policy", "--vhost", url.virtual_host or "/"),
        *("--apply-to", "queues", "orch-notifications"),
        rf"^({names})\.({'|'.join(_PRIORITIES)})$",
        json.dumps(definition),
    ]
    print(shlex.join(command))


def show_refused(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    """Print those that the broker refuses, the oldest first.

    Where there are more than it shows it says so on standard error.
    """
    found, total = tables.open_ready(conf).query(
        lambda conn: (
            refused_notifications.list_(conn, _MAX_SHOWN),
            refused_notifications.count(conn),
        )
    )
    if total > len(found):
        print(f"the oldest {len(found)} of {total} are shown", file=sys.stderr)
    columns.show_rows(
        [
            ("STACK", "SEQUENCE", "EVENT TYPE", "TOPIC", "REFUSED", "REASON"),
            *(
                (
                    each.stack_id,
                    str(each.sequence),
                    each.event_type,
                    each.topic or "all",
                    clock.isoformat(each.refused_at),
                    each.reason,
                )
                for each in found
            ),
        ]
    )


def resend_refused(
    conf: cfg.ConfigOpts, arguments: argparse.Namespace
) -> None:
    """Let a worker send them again."""
    database = tables.open_ready(conf)
    total = 0
    # Not those that are refused again meanwhile.
    left = database.query(refused_notifications.count)
    while left > 0:
        some = min(left, _BATCH)
        gone = database.run(
            functools.partial(refused_notifications.send_again, limit=some)
        )
        total += gone
        left = left - gone if gone else 0
    print(f"{total} are sent again")


def forget(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    """Remove those that the broker refuses, or that wait for a topic.

    :raises orch.cmd.process.Failure: the topic has no name
    """
    topic = arguments.topic
    if topic == outbox.HELD:
        raise process.Failure(
            "--topic must be the name of a topic; leave it out to forget those"
            " that the broker refuses"
        )
    if topic is None:
        count = forget_refused(conf, 0.0)
    else:
        count = tables.repeat(
            tables.open_ready(conf),
            lambda conn: outbox.delete_topic(conn, topic, _BATCH),
        )
    print(f"{count} forgotten")


def forget_refused(conf: cfg.ConfigOpts, older_than_s: float) -> int:
    """Remove those that were refused so long ago; return how many."""
    return tables.repeat(
        tables.open_ready(conf),
        lambda conn: refused_notifications.forget(conn, older_than_s, _BATCH),
    )
