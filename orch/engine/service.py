"""One worker: what answers requests, what runs operations, what reports."""

from oslo_config import cfg

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.engine import conductor
from orch.engine import dependencies
from orch.engine import endpoints
from orch.engine import installed
from orch.engine import live
from orch.engine import preparation
from orch.engine import reporting
from orch.engine import software_store
from orch.engine import stored
from orch.engine.nested import casting
from orch.engine.nested import nest
from orch.engine.nested import types as nested_types
from orch.events import notification
from orch.events import relay
from orch.flow import retrying
from orch.plugin import registry
from orch.rpc import server
from orch.rpc import transport as rpc_transport
from orch.template import catalogue
from orch.template import versions


class Service:
    """A worker from its start to its stop."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        database: db_engine.Database,
        transport: rpc_transport.Transport,
        types: registry.ResourceTypes,
        host: str,
        notification_url: str | None = None,
    ) -> None:
        """Build all parts of the worker; nothing runs yet.

        :param conf: the options, with every group registered
        :param transport: serves calls only (``orch.rpc.transport.build``)
        :param host: this machine's name, as operators know it
        :param notification_url: bus of the notifications; ``None`` for the
            one in the options
        :raises orch.engine.installed.EnvironmentBroken: the environment of
            the installation is wrong
        """
        worker_id = ids.WorkerId(ids.new())
        clock_ = clock.SystemClock()
        self._publisher = notification.Publisher(conf, notification_url)
        self._relay = relay.Relay(database, self._publisher, worker_id, clock_)
        software_store.hand_out(types, database)
        limits = dependencies.limits_of(conf)
        environment = installed.read(conf, limits)
        templates = stored.Templates(types, limits, installed=environment)
        self._casting = casting.Casting(transport, conf.api.rpc_timeout)
        around = nest.Surroundings(
            database=database,
            types=types,
            templates=templates,
            limits=limits,
            clock=clock_,
            serve=nested_types.serve,
            wake=self._casting.wake,
            reads=live.Reads(),
            installed=environment,
        )
        self._conductor = conductor.Conductor(
            database=database,
            preparer=preparation.Preparer(
                database,
                types,
                templates.load,
                clock_,
                nested_types.serving(around),
            ),
            settings=_settings(conf),
            clock_=clock_,
            worker_id=worker_id,
            notify=self._relay.wake,
            on_beat=reporting.Reporter(
                database, worker_id, host, conf.engine.report_interval, clock_
            ).beat,
            tell_end=self._casting.tell_end,
        )
        deps = dependencies.Dependencies(
            database=database,
            types=types,
            limits=limits,
            settings=dependencies.settings_of(conf),
            clock=clock_,
            conductor=self._conductor,
            templates=templates,
            installed=environment,
        )
        self._server = server.build(
            transport, host, endpoints.build(deps), conf.engine.rpc_threads
        )

    def start(self) -> None:
        """Answer, run and report from now on."""
        # The first request shall not wait until all functions are loaded.
        catalogue.functions(versions.VERSIONS[-1])
        self._relay.start()
        self._casting.start()
        self._conductor.start()
        self._server.serve()

    def stop(self, grace_s: float) -> None:
        """Take nothing more, give operations back, and end.

        :param grace_s: seconds that plug-in calls under way may take
        """
        self._server.stop(grace_s)
        self._conductor.stop(grace_s)
        self._casting.stop()
        self._relay.stop()
        self._publisher.close()


def _settings(conf: cfg.ConfigOpts) -> conductor.Settings:
    group = conf.engine
    return conductor.Settings(
        lease_ttl_s=group.lease_ttl,
        scan_interval_s=group.scan_interval,
        call_threads=group.call_threads,
        call_limit_s=group.plugin_call_timeout,
        loops=group.loops,
        group_s=group.group_ms / 1000,
        max_operations=group.max_operations,
        retries=retrying.Policy(
            tries=group.retry_tries,
            first_pause_s=group.retry_first_pause,
            longest_pause_s=group.retry_longest_pause,
            first_block_s=group.blocked_first_pause,
            longest_block_s=group.blocked_longest_pause,
        ),
    )
