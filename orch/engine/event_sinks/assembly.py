"""Puts together what a worker tells sinks with, from the options."""

from oslo_config import cfg

from orch import ids
from orch.engine import dependencies
from orch.engine.event_sinks import delivery
from orch.engine.event_sinks import dispatcher
from orch.plugin import sinks


def build_dispatcher(
    conf: cfg.ConfigOpts,
    deps: dependencies.Dependencies,
    worker_id: ids.WorkerId,
) -> dispatcher.Dispatcher | None:
    """Return what tells sinks; nothing starts yet.

    :returns: ``None`` where this worker is to tell none
    :raises orch.errors.OrchError: the options of a type of sinks are wrong
    """
    if not conf.event_sinks.enabled:
        return None
    return dispatcher.Dispatcher(
        deps.database,
        delivery.Delivery(
            database=deps.database,
            kinds=sinks.load_sinks(conf),
            find=deps.templates.find,
            connect=deps.callers.connect_as,
            clock=deps.clock,
            max_retry_age_s=conf.event_sinks.max_retry_age,
        ),
        worker_id,
        deps.clock,
    )
