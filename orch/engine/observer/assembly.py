"""Puts together what a worker observes with, from the options."""

import collections.abc

from oslo_config import cfg

from orch import ids
from orch.engine import dependencies
from orch.engine.observer import notification_listener
from orch.engine.observer import observer
from orch.engine.observer import on_demand
from orch.engine.observer import repair
from orch.engine.observer import repair_limit
from orch.engine.observer import scan


class Parts:
    """What looks at what was asked for, and what looks all the time."""

    def __init__(
        self,
        asked_: on_demand.Asked,
        loop: observer.Observer | None = None,
        listening: notification_listener.Listening | None = None,
    ) -> None:
        self._asked = asked_
        self._loop = loop
        self._listening = listening

    def start(self) -> None:
        """Observe from now on."""
        self._asked.start()
        if self._loop is not None:
            self._loop.start()
        if self._listening is not None:
            self._listening.start()

    def look(self) -> None:
        """Look now at what was asked for."""
        self._asked.wake()

    def may_call(
        self, project_id: str, type_name: str, within_s: float
    ) -> bool:
        """Return whether a call may be made that counts as observing.

        It blocks until then, so many seconds at most.
        """
        return self._loop is None or self._loop.may_call(
            project_id, type_name, within_s
        )

    def stop(self, grace_s: float) -> None:
        """Observe no more."""
        if self._listening is not None:
            self._listening.stop(grace_s)
        if self._loop is not None:
            self._loop.stop(grace_s)
        self._asked.stop(grace_s)


def build(
    conf: cfg.ConfigOpts,
    deps: dependencies.Dependencies,
    worker_id: ids.WorkerId,
    notify: collections.abc.Callable[[], None],
) -> Parts:
    """Return what observes as the options say; nothing starts yet.

    :param notify: called after something was put into the outbox
    :raises orch.errors.Invalid: the URL of the services' broker makes no
        sense
    """
    looking = scan.Observing(
        deps.database,
        deps.types,
        deps.templates.find,
        deps.clock,
        notify,
        limit=repair_limit.Limit.from_conf(conf),
    )
    asked_ = on_demand.Asked(
        deps.database,
        looking,
        worker_id,
        deps.clock,
        interval_s=conf.engine.scan_interval,
        claim_s=conf.observer.claim_ttl,
    )
    if not conf.observer.enabled:
        return Parts(asked_)
    loop = observer.Observer(
        deps.database,
        looking,
        repair.build(conf, deps),
        observer.Settings.from_conf(conf),
        worker_id,
        deps.clock,
    )
    return Parts(
        asked_,
        loop,
        notification_listener.build(conf, deps.database, loop.wake),
    )
