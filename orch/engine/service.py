"""One worker: it answers requests, runs operations and reports."""

import functools

from oslo_config import cfg

from orch import clock
from orch import ids
from orch.clients import egress
from orch.db import engine as db_engine
from orch.engine import active_plugins
from orch.engine import constraint_checks
from orch.engine import credentials
from orch.engine import dependencies
from orch.engine import endpoints
from orch.engine import plugin_reads
from orch.engine.conductor import conductor
from orch.engine.conductor import peer_hints
from orch.engine.conductor import preparation
from orch.engine.event_sinks import delivery
from orch.engine.event_sinks import dispatcher
from orch.engine.forwarding import forwarder
from orch.engine.judged_requests import sweeper
from orch.engine.lifecycle import hook_loading
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import views
from orch.engine.nested import children
from orch.engine.nested import types as nested_types
from orch.engine.notifications import audience
from orch.engine.notifications import enrichment
from orch.engine.observer import observer
from orch.engine.observer import survey
from orch.engine.search_documents import changes
from orch.engine.secrets import tree_secrets
from orch.engine.services import gauges
from orch.engine.services import heartbeat
from orch.engine.signals import handed_over
from orch.engine.software import store
from orch.engine.stack_inputs import installed_environment
from orch.engine.stack_inputs import template_cache
from orch.events import notification
from orch.events import outbox_relay
from orch.events import topics
from orch.flow.runner import retry_policy
from orch.flow.state import drift_records
from orch.metrics import meters
from orch.plugin import lifecycle_order
from orch.plugin import registry
from orch.plugin import sinks
from orch.policies import enforcer
from orch.rpc import server
from orch.rpc import transport as rpc_transport
from orch.template.language import functions_of_version
from orch.template.language import versions


def build_dispatcher(
    conf: cfg.ConfigOpts,
    deps: dependencies.Dependencies,
    worker_id: ids.WorkerId,
) -> dispatcher.Dispatcher | None:
    """Return the dispatcher of event sinks, not started.

    :returns: ``None`` where this worker is to dispatch no events
    :raises orch.errors.OrchError: the options of a sink type are wrong
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


class Service:
    """All parts of one worker, wired together.

    :ivar gauges: read the metrics that count what the worker knows
    """

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
        :param transport: serves calls only
            (``orch.rpc.transport.build_transport``)
        :param host: this machine's name, as operators know it
        :param notification_url: bus of the notifications; ``None`` for the
            one in the options
        :raises orch.plugin.lifecycle_order.CannotLoad: a lifecycle plug-in
            cannot be used
        :raises
            orch.engine.stack_inputs.installed_environment.EnvironmentBroken:
            the environment of the installation is wrong
        :raises orch.events.topics.InvalidSelection: of notifications
        :raises orch.errors.OrchError: with Keystone, its credentials or
            options are wrong
        """
        self._plugins = active_plugins.ActivePlugins(
            conf,
            database,
            lambda: self._conductor.wake(None),
            is_alone=not transport.broker.is_external,
        )
        worker_id = ids.WorkerId(ids.new())
        clock_ = clock.SystemClock()
        self._publisher = notification.Publisher(conf, notification_url)
        self._relay = outbox_relay.Relay(
            database,
            self._publisher,
            worker_id,
            clock_,
            complete=lambda waiting: self._completion(waiting),
            look_s=outbox_relay.LOOK_AMONG_OTHERS_S
            if transport.broker.is_external
            else outbox_relay.LOOK_S,
            topics=topics.read_topics(conf),
        )
        settings = dependencies.settings_of(conf)
        store.assign_stores(types, database, settings.software)
        self._credentials = credentials.build(conf, database, types)
        limits = dependencies.limits_of(conf)
        environment = installed_environment.read_environment(conf, limits)
        templates = template_cache.TemplateCache(
            types, limits, installed=environment
        )
        self._peer_hints = peer_hints.PeerHints(
            transport, conf.api.rpc_timeout
        )
        rules = enforcer.Enforcer(conf, clock_, types.find_like)
        nested_context = children.NestedContext(
            database=database,
            types=types,
            templates=templates,
            limits=limits,
            clock=clock_,
            serve=nested_types.serve_types,
            wake=self._peer_hints.wake,
            reads=plugin_reads.PluginReads(),
            rules=rules,
            installed=environment,
            find_taker=lambda: self._conductor,
        )
        surveyor = survey.Surveyor(database, types, clock_)
        records = drift_records.DriftRecords(
            tree_secrets.redacts_drift(templates.find),
            types,
            conf.observer.max_history_entries,
        )
        self._heartbeat = heartbeat.Heartbeat(
            database,
            worker_id,
            host,
            conf.engine.report_interval,
            clock_,
            lambda: self._plugins.report,
        )

        @functools.lru_cache(maxsize=1)
        def loader_of(
            order: lifecycle_order.PluginOrder,
        ) -> hook_loading.HookLoader:
            settings = situation.HookSettings(
                order,
                functools.partial(views.show_operation, lambda: deps),
                clock_,
                conf.lifecycle.hold_deadline,
            )
            return hook_loading.HookLoader(database, settings)

        self._conductor = conductor.Conductor(
            database=database,
            preparer=preparation.Preparer(
                database,
                templates.load,
                clock_,
                rules,
                nested_types.types_factory(nested_context),
                lambda stack: tree_secrets.Redactor(
                    database, templates.find, stack
                ),
                lambda: loader_of(self._plugins.order),
                surveyor,
                lambda stack: (
                    audience.operation_audience(
                        database, templates.find, stack
                    )
                    if conf.notifications.resources
                    else None
                ),
                records,
            ),
            settings=_settings(conf),
            clock_=clock_,
            worker_id=worker_id,
            notify=self._relay.wake,
            on_beat=self._heartbeat.beat,
            notify_end=self._peer_hints.notify_end,
            notify_released=lambda: self._sweeper.wake(),
            settings_number=lambda: self._plugins.number,
            is_alone=not transport.broker.is_external,
        )
        self._forwarder = forwarder.Forwarder(
            database,
            settings,
            worker_id,
            clock_,
            lambda address, signal: handed_over.deliver_signal(
                deps, address, signal
            ),
            egress.from_conf(conf),
        )
        reads = plugin_reads.PluginReads(clock_=clock_)
        deps = dependencies.Dependencies(
            database=database,
            types=types,
            limits=limits,
            settings=settings,
            clock=clock_,
            conductor=self._conductor,
            templates=templates,
            records=records,
            installed=environment,
            credential_store=self._credentials.credential_store,
            callers=self._credentials.callers,
            reads=reads,
            checks=self._checks(reads, clock_),
            rules=rules,
            look=lambda: self._observer.wake(),
            pace=lambda *call: self._observer.may_call(*call),
            surveyor=surveyor,
            plugins=self._plugins,
            notify=self._relay.wake,
        )
        self._completion = enrichment.Enricher(
            deps, enrichment.Settings.from_conf(conf)
        )
        self._observer = observer.build_observer(
            conf, deps, worker_id, self._relay.wake
        )
        self._sinks = build_dispatcher(conf, deps, worker_id)
        self.gauges: tuple[meters.Read, ...] = gauges.gauge_reader(
            database,
            self._conductor.count_running,
            clock_,
            conf.metrics.database_interval,
        )
        self._sweeper = sweeper.new_thread(functools.partial(_sweep, deps))
        self._server = server.build_server(
            transport,
            host,
            endpoints.build_endpoints(deps),
            conf.engine.rpc_threads,
        )

    def _checks(
        self, reads: plugin_reads.PluginReads, clock_: clock.Clock
    ) -> constraint_checks.Checks | None:
        """Return the constraint checks; ``None`` without a cloud."""
        callers = self._credentials.callers
        if not callers.has_cloud:
            return None
        return constraint_checks.Checks(callers, reads, clock_)

    def start(self) -> None:
        """Start all parts: answer requests, run operations, report."""
        # Otherwise the first request would wait until all functions are
        # loaded.
        functions_of_version.functions_of_version(versions.VERSIONS[-1])
        self._relay.start()
        self._peer_hints.start()
        self._credentials.start()
        self._plugins.start()
        self._conductor.start()
        self._forwarder.start()
        self._observer.start()
        if self._sinks is not None:
            self._sinks.start()
        self._sweeper.start()
        self._server.serve()

    def stop(self, grace_s: float) -> None:
        """Accept no more requests, give operations back, and stop all parts.

        :param grace_s: seconds that running plug-in calls may still take
        """
        self._server.stop(grace_s)
        self._sweeper.stop()
        if self._sinks is not None:
            self._sinks.stop(grace_s)
        self._observer.stop(grace_s)
        self._conductor.stop(grace_s)
        self._plugins.stop()
        self._heartbeat.end()
        self._forwarder.stop(grace_s)
        self._peer_hints.stop()
        self._credentials.stop()
        self._relay.stop()
        self._publisher.close()


def _sweep(deps: dependencies.Dependencies) -> None:
    """Process what requests, lost workers and changes have left."""
    changes.compact(deps)
    sweeper.sweep_requests(deps)


def _settings(conf: cfg.ConfigOpts) -> conductor.Settings:
    group = conf.engine
    return conductor.Settings(
        lease_ttl_s=group.lease_ttl,
        scan_interval_s=group.scan_interval,
        call_threads=group.call_threads,
        call_limit_s=group.plugin_call_timeout,
        event_loops=group.event_loops,
        group_s=group.commit_batch_ms / 1000,
        max_operations=group.max_operations,
        retries=retry_policy.RetryPolicy(
            tries=group.retry_tries,
            first_pause_s=group.retry_first_pause,
            max_pause_s=group.retry_max_pause,
            first_block_s=group.blocked_first_pause,
            max_block_s=group.blocked_max_pause,
            max_quota_block_s=group.quota_max_pause,
        ),
    )
