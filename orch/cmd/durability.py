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
from orch.rpc import options
from orch.rpc import transport

LOG = logging.getLogger(__name__)

ADVICE: typing.Final = (
    "give all processes of Orch, and the consumers of notifications, the same"
    " amqp_durable_queues and rabbit_quorum_queue in [oslo_messaging_rabbit],"
    " or delete what exists on the broker while none of them runs"
)


def find_mismatches(
    conf: cfg.ConfigOpts, bus: transport.Transport
) -> list[str]:
    """Return what the broker says of each that is not as the options say.

    :param bus: of calls; notifications may have another broker
    :raises orch.errors.Unavailable: a broker cannot be reached
    """
    calls = bus.broker.find_mismatches(
        [contract.TOPIC, contract.SEARCH_TOPIC], [conf.control_exchange]
    )
    topics = conf.notifications.topics
    notified = broker.notification_broker(conf).find_mismatches(
        notifications.queues_of(conf),
        [conf.notifications.exchange] if topics else [],
    )
    return [*calls, *notified]


def report_mismatches(conf: cfg.ConfigOpts) -> None:
    """Log them, in a thread: a process starts also while the broker hangs."""
    threading.Thread(
        target=_report, args=(conf,), name="durability", daemon=True
    ).start()


def _report(conf: cfg.ConfigOpts) -> None:
    options.register_options(conf)
    bus = transport.build_transport(conf)
    try:
        for each in find_mismatches(conf, bus):
            LOG.error("%s: %s", each, ADVICE)
    except errors.Unavailable as error:
        LOG.debug("whether queues are durable is not known: %s", error)
    except Exception:
        LOG.exception("whether queues are durable cannot be found out")
