"""Build the observer parts of a worker from the options."""

import collections.abc

from oslo_config import cfg

from orch import ids
from orch.engine import dependencies
from orch.engine.observer import notification_listener
from orch.engine.observer import observer
from orch.engine.observer import on_demand
from orch.engine.observer import repair
from orch.engine.observer import repair_limit
from orch.engine.observer import scan as observer_scan


class Parts:
    """The observer parts of a worker: on-demand scans, loop and listener."""

    def __init__(
        self,
        on_demand_scans: on_demand.OnDemandScans,
        loop: observer.Observer | None = None,
        listening: notification_listener.NotificationListener | None = None,
    ) -> None:
        self._on_demand = on_demand_scans
        self._loop = loop
        self._listening = listening

    def start(self) -> None:
        """Observe from now on."""
        self._on_demand.start()
        if self._loop is not None:
            self._loop.start()
        if self._listening is not None:
            self._listening.start()

    def look(self) -> None:
        """Scan the requested trees now."""
        self._on_demand.wake()

    def may_call(
        self, project_id: str, type_name: str, within_s: float
    ) -> bool:
        """Whether a call may be made that counts as observing.

        It blocks until then, at most ``within_s`` seconds.
        """
        return self._loop is None or self._loop.may_call(
            project_id, type_name, within_s
        )

    def stop(self, grace_s: float) -> None:
        """Stop observing."""
        if self._listening is not None:
            self._listening.stop(grace_s)
        if self._loop is not None:
            self._loop.stop(grace_s)
        self._on_demand.stop(grace_s)


def build_observer(
    conf: cfg.ConfigOpts,
    deps: dependencies.Dependencies,
    worker_id: ids.WorkerId,
    notify: collections.abc.Callable[[], None],
) -> Parts:
    """Return the observer parts as the options say; nothing starts yet.

    :param notify: called after a notification was put into the outbox
    :raises orch.errors.Invalid: the URL of the services' broker is not valid
    """
    scan = observer_scan.Scan(
        deps.database,
        deps.types,
        deps.templates.find,
        deps.clock,
        notify,
        limit=repair_limit.RepairLimit.from_conf(conf),
    )
    on_demand_scans = on_demand.OnDemandScans(
        deps.database,
        scan,
        worker_id,
        deps.clock,
        interval_s=conf.engine.scan_interval,
        claim_s=conf.observer.claim_ttl,
    )
    if not conf.observer.enabled:
        return Parts(on_demand_scans)
    loop = observer.Observer(
        deps.database,
        scan,
        repair.build_repairer(conf, deps),
        observer.Settings.from_conf(conf),
        worker_id,
        deps.clock,
    )
    return Parts(
        on_demand_scans,
        loop,
        notification_listener.build_listener(conf, deps.database, loop.wake),
    )
