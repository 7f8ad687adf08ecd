"""Build the parts of a process from its options."""

import collections.abc
import dataclasses
import functools
import importlib.metadata
import typing
import wsgiref.types

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.api import app
from orch.api import client_addresses
from orch.api import connections
from orch.api import readiness
from orch.api import server as api_server
from orch.api.cfn import app as cfn_app
from orch.api.handlers import services
from orch.clients import egress
from orch.cmd import process
from orch.context import request
from orch.context import seals
from orch.rpc import caller as rpc_caller
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc import transport
from orch.rpc import worker_watch

_PROBE_S: typing.Final = 5.0
"""Seconds after which a probe waits for no worker's answer any more."""

_Build = collections.abc.Callable[
    [rpc_caller.Caller, app.Settings, collections.abc.Callable[[], bool]],
    wsgiref.types.WSGIApplication,
]


def build_settings(conf: cfg.ConfigOpts) -> app.Settings:
    """Return what the API wants to know of the options."""
    return app.Settings(
        max_json_body_size=conf.max_json_body_size,
        max_document_size=conf.adoption.max_document_size,
        max_template_size=conf.max_template_size,
        page_limit=conf.api.page_limit,
        hidden_stack_tags=tuple(conf.api.hidden_stack_tags),
        requests_per_minute=conf.api.requests_per_minute,
        request_burst=conf.api.request_burst,
        rate_store=conf.api.rate_store,
        max_failed_logins=conf.api.max_failed_logins,
        trusted_proxies=tuple(conf.api.trusted_proxies),
        auth=conf.api.auth,
        user_file=conf.api.user_file,
        grants=tuple(conf.api.basic_grants),
        is_local=conf.api.auth == "none" and _is_local(conf.api.host),
        serves_own_user_alone=(
            conf.api.auth == "none" and conf.api.local_users == "same"
        ),
        public_url=conf.api.public_url,
        template_url_timeout_s=conf.api.template_url_timeout,
        within=egress.from_conf(conf),
        stopping_timeout_s=conf.api.rpc_timeout,
        signal_keys=read_signal_keys(conf),
        max_event_streams=conf.api.max_event_streams,
        event_stream_max_duration_s=conf.api.event_stream_max_duration,
        revision=importlib.metadata.version("orch"),
        policy=conf,
    )


def read_signal_keys(conf: cfg.ConfigOpts) -> tuple[str, ...]:
    """Return the keys of the seals of addresses for signals.

    :raises orch.cmd.process.Failure: one of them is too short to be secret
    """
    keys = tuple(conf.signals.seal_keys)
    if any(len(key) < seals.SHORTEST_KEY for key in keys):
        raise process.Failure(
            f"a key in [signals] seal_keys has fewer than {seals.SHORTEST_KEY}"
            " characters; use for example the output of openssl rand -hex 32"
        )
    return keys


def _is_local(host: str) -> bool:
    """Whether only this machine reaches a host of the options."""
    return host == "localhost" or client_addresses.is_loopback(host)


def _check_address(conf: cfg.ConfigOpts, group: str) -> None:
    """Return only if who reaches the address is asked who they are.

    :param group: of the options of the address
    :raises orch.cmd.process.Failure: they are not
    """
    host = conf[group].host
    if conf.api.auth == "none" and not _is_local(host):
        raise process.Failure(
            f"host in [{group}] is {host}, and auth is none: everyone"
            " who reaches that address would be an administrator. Set auth"
            " to keystone or basic, or host to 127.0.0.1."
        )


def _build_limits(conf: cfg.ConfigOpts) -> connections.Limits:
    """Return what the options say of connections, of both APIs."""
    proxies = client_addresses.ProxyList(conf.api.trusted_proxies)
    return connections.Limits(
        address_connections=conf.api.max_connections_per_address,
        # A client on this machine may be a proxy, of any number of others. So
        # its users have no share, only the limit of all connections.
        is_exempt=lambda address: (
            proxies.has(address) or client_addresses.is_loopback(address)
        ),
        header_timeout_s=conf.api.header_timeout,
        body_timeout_s=conf.api.body_timeout,
    )


def serve_api(
    conf: cfg.ConfigOpts, bus: transport.Transport
) -> api_server.Server:
    """Return the API once it serves.

    :raises orch.cmd.process.Failure: the address cannot be had, or nobody
        would be asked who they are there
    :raises orch.errors.OrchError: who asks cannot be found out as the options
        say
    """
    build = functools.partial(
        app.build_app,
        search_bus=transport.Caller(
            bus,
            min(conf.api.search_timeout, conf.api.rpc_timeout),
            contract.SEARCH_TOPIC,
            worker_watch.SHORT_TIMEOUTS,
        ),
        parts={
            "search": _readiness(
                bus,
                contract.SEARCH_TOPIC,
                "searches are answered",
                unknown=True,
            ).was_ready,
            "lifecycle": _plugin_readiness(bus).was_ready,
        },
    )
    found = build_settings(conf)
    return _serve(conf, bus, "api", build, found, found.max_adoption_size)


def serve_api_cfn(
    conf: cfg.ConfigOpts, bus: transport.Transport
) -> api_server.Server:
    """Return the CloudFormation-compatible API once it serves.

    :raises orch.cmd.process.Failure: as of :func:`serve_api`
    :raises orch.errors.OrchError: nobody can check signatures, as the options
        say
    """
    app_settings = dataclasses.replace(
        build_settings(conf),
        is_local=conf.api.auth == "none" and _is_local(conf.api_cfn.host),
    )
    limit = conf.max_json_body_size * cfn_app.FORM_FACTOR
    return _serve(conf, bus, "api_cfn", cfn_app.build_app, app_settings, limit)


def _readiness(
    bus: transport.Transport, topic: str, subject: str, *, unknown: bool
) -> readiness.ReadinessState:
    """Return whether requests of a topic reach a process that takes them."""
    watch = worker_watch.WorkerWatch(bus.broker, topic)

    def look() -> bool:
        try:
            return watch.is_there()
        except errors.Unavailable:
            return False

    return readiness.ReadinessState(
        subject, look, clock.SystemClock(), unknown=unknown
    )


def have_active_settings(workers: contract.Services) -> bool:
    """Whether all live workers have the plug-in settings in force.

    :returns: true too where no worker answers
    """
    try:
        found = workers.list(request.RequestContext())
    except errors.OrchError:
        return True
    # A worker of an earlier release does not say it.
    return not any(each["is_up"] and each.get("idle_reason") for each in found)


def _plugin_readiness(bus: transport.Transport) -> readiness.ReadinessState:
    """Return whether all live workers have the plug-in settings in force."""
    workers = proxy.proxy(
        contract.Services,
        transport.Caller(bus, _PROBE_S, timeouts=worker_watch.SHORT_TIMEOUTS),
    )
    return readiness.ReadinessState(
        "all workers have the plug-in settings in force",
        functools.partial(have_active_settings, workers),
        clock.SystemClock(),
        unknown=True,
    )


def _serve(
    conf: cfg.ConfigOpts,
    bus: transport.Transport,
    group: str,
    build: _Build,
    app_settings: app.Settings,
    max_body_size: int,
) -> api_server.Server:
    """Return what serves an application.

    :param group: of the options of its address
    :param max_body_size: bytes of its bodies; negative for no limit
    """
    _check_address(conf, group)
    caller = transport.Caller(bus, conf.api.rpc_timeout)
    options = conf[group]
    state = _readiness(
        bus, contract.TOPIC, "requests are answered", unknown=False
    )
    try:
        return api_server.serve(
            build(caller, app_settings, state.is_ready),
            options.host,
            options.port,
            options.threads,
            max_body_size=max_body_size,
            finds_peers=app_settings.serves_own_user_alone,
            limits=_build_limits(conf),
            probes=(services.HEALTH, services.READINESS),
        )
    except OSError as error:
        raise process.Failure(
            f"cannot listen on {options.host}:{options.port}: {error}"
        ) from error
