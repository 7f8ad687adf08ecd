"""Build the observer of a worker from the options."""

import collections.abc

from oslo_config import cfg

from orch import ids
from orch.engine import dependencies
from orch.engine.observer import notification_listener
from orch.engine.observer import observer
from orch.engine.observer import repair
from orch.engine.observer import repair_policy
from orch.engine.observer import scan as observer_scan
from orch.engine.observer import schedule
from orch.flow.state import drift_records


def build_observer(
    conf: cfg.ConfigOpts,
    deps: dependencies.Dependencies,
    worker_id: ids.WorkerId,
    notify: collections.abc.Callable[[], None],
    records: drift_records.DriftRecords,
) -> observer.Observer:
    """Return the observer as the options say; nothing starts yet.

    :param notify: called after a notification was put into the outbox
    :param records: stores what is observed
    :raises orch.errors.Invalid: the URL of the services' broker is not valid
    """
    policy = repair_policy.RepairPolicy.from_conf(conf)
    scan = observer_scan.Scan(
        deps.database,
        deps.types,
        records,
        deps.clock,
        notify,
        limit=policy,
    )
    found: list[schedule.Source] = [
        schedule.Requests(conf.engine.scan_interval)
    ]
    if conf.observer.enabled:
        found.append(
            schedule.Scheduled(
                deps.database,
                repair.Repairer(deps, policy),
                schedule.Schedule.from_conf(conf),
                deps.clock,
            )
        )
    loop = observer.Observer(
        deps.database,
        scan,
        found,
        worker_id,
        deps.clock,
        claim_ttl_s=conf.observer.claim_ttl,
    )
    if conf.observer.enabled:
        loop.listener = notification_listener.build_listener(
            conf, deps.database, loop.wake
        )
    return loop
