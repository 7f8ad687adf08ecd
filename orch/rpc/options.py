"""Makes oslo.messaging's options known to a private ``ConfigOpts``.

oslo.messaging 18.3 registers some of its options on the global ``cfg.CONF``
alone and then reads them from the transport's options, where a private
``ConfigOpts`` answers with ``NoSuchOptError`` at the first call: those of the
groups ``oslo_messaging_metrics`` and ``oslo_messaging_tracing``. This is the
one place that copes. ``rpc_ping_enabled`` is the other way round: it is read
from the global options only, so ``orch.rpc.server`` looks at it itself.
"""

import copy

import oslo_messaging as messaging
from oslo_config import cfg
from oslo_messaging import opts
from oslo_messaging._drivers import amqpdriver
from oslo_messaging._drivers import impl_rabbit
from oslo_messaging._metrics import client as metrics
from oslo_messaging._tracing import client as tracing

from orch.rpc import rabbit_listener

EXCHANGE = "orch"

_RABBIT = {
    # A worker that answers an API process that is gone holds one of few
    # threads for so many seconds; a live one is back within two.
    "kombu_missing_consumer_retry_timeout": 10,
    # Be back soon after the broker is, however long it was away.
    "rabbit_interval_max": 5,
}

# A worker that finds the queue for its answers to an API process missing drops
# all it has for that process, for so many seconds. After an outage of the
# broker that is longer than the retry above each queue is missing for a
# moment: the library's 60 s would make an outage of a minute of that.
_ANSWERS_DROPPED_S = 5

_LAST = "oslo_messaging_tracing"
_OMITTED = (
    ("oslo_messaging_metrics", metrics.oslo_messaging_metrics),
    (_LAST, tracing.oslo_messaging_tracing),
)


def register_options(conf: cfg.ConfigOpts) -> None:
    """Make oslo.messaging's options known, with defaults that suit Orch.

    A second call changes nothing, and costs nothing: a process has several
    transports on the same options.
    """
    if _LAST in conf:
        return
    for group, options in opts.list_opts():
        if group != "oslo_messaging_kafka":
            conf.register_opts(options, group=group)
    for group, options in _OMITTED:
        conf.register_opts(copy.deepcopy(options), group=group)
    conf.set_default("control_exchange", EXCHANGE)
    for name, value in _RABBIT.items():
        conf.set_default(name, value, group="oslo_messaging_rabbit")
    amqpdriver.ObsoleteReplyQueuesCache.TTL = _ANSWERS_DROPPED_S
    rabbit_listener.install()


def set_sample_defaults() -> None:
    """Give the library's own options our defaults, for the generator.

    Only ``oslo-config-generator`` calls it, through the entry point
    ``oslo.config.opts.defaults``; processes use :func:`register_options`.
    """
    messaging.set_transport_defaults(EXCHANGE)
    cfg.set_defaults(impl_rabbit.rabbit_opts, **_RABBIT)
