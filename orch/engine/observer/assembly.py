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
from orch.engine.observer import sources
from orch.flow.state import drift_records


class Parts:
    """The observer parts of a worker: the loop, and perhaps a listener."""

    def __init__(
        self,
        loop: observer.Observer,
        listening: notification_listener.NotificationListener | None = None,
    ) -> None:
        self._loop = loop
        self._listening = listening
        self.look = loop.wake
        self.may_call = loop.may_call

    def start(self) -> None:
        """Observe from now on."""
        self._loop.start()
        if self._listening is not None:
            self._listening.start()

    def stop(self, grace_s: float) -> None:
        """Stop observing."""
        if self._listening is not None:
            self._listening.stop(grace_s)
        self._loop.stop(grace_s)


def build_observer(
    conf: cfg.ConfigOpts,
    deps: dependencies.Dependencies,
    worker_id: ids.WorkerId,
    notify: collections.abc.Callable[[], None],
    records: drift_records.DriftRecords,
) -> Parts:
    """Return the observer parts as the options say; nothing starts yet.

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
    found: list[sources.Source] = [sources.Requests(conf.engine.scan_interval)]
    if conf.observer.enabled:
        found.append(
            sources.Scheduled(
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
    if not conf.observer.enabled:
        return Parts(loop)
    return Parts(
        loop,
        notification_listener.build_listener(conf, deps.database, loop.wake),
    )
