"""Report queues and exchanges that are not as durable as the options say.

``[oslo_messaging_rabbit] amqp_durable_queues`` and ``rabbit_quorum_queue`` are
for all queues of Orch: of calls and of notifications. The broker refuses to
declare one otherwise than it exists, and the library only logs that.
"""

import logging
import threading
import typing

from oslo_config import cfg

from orch import errors
from orch.cmd import notifications
from orch.rpc import broker
from orch.rpc import contract

LOG = logging.getLogger(__name__)

ADVICE: typing.Final = (
    "give all processes of Orch, and the consumers of notifications, the same"
    " amqp_durable_queues and rabbit_quorum_queue in [oslo_messaging_rabbit],"
    " or delete what exists on the broker while none of them runs"
)


def find_mismatches(
    conf: cfg.ConfigOpts, called: broker.Broker, notified: broker.Broker
) -> list[str]:
    """Return what the broker says of each that is not as the options say.

    :param called: the broker of calls
    :param notified: that of notifications, which may be another one
    :raises orch.errors.Unavailable: a broker cannot be reached
    """
    topics = conf.notifications.topics
    return [
        *called.find_mismatches(
            [contract.TOPIC, contract.SEARCH_TOPIC], [conf.control_exchange]
        ),
        *notified.find_mismatches(
            notifications.queues_of(conf),
            [conf.notifications.exchange] if topics else [],
        ),
    ]


def report_mismatches(conf: cfg.ConfigOpts, called: broker.Broker) -> None:
    """Log them, in a thread: a process starts also while the broker hangs.

    :param called: the broker of calls
    """
    threading.Thread(
        target=_report,
        args=(conf, called, broker.notification_broker(conf)),
        name="durability",
        daemon=True,
    ).start()


def _report(
    conf: cfg.ConfigOpts, called: broker.Broker, notified: broker.Broker
) -> None:
    try:
        for each in find_mismatches(conf, called, notified):
            LOG.error("%s: %s", each, ADVICE)
    except errors.Unavailable as error:
        LOG.debug("whether queues are durable is not known: %s", error)
    except Exception:
        LOG.exception("whether queues are durable cannot be found out")
