"""Puts the parts of the API together into a WSGI application."""

import collections.abc
import importlib
import typing
import wsgiref.types

import falcon
from oslo_config import cfg

from orch import clock
from orch.api import event_stream
from orch.api import faults
from orch.api import peer
from orch.api import routes
from orch.api import routing
from orch.api import settings
from orch.api import signers
from orch.api import web
from orch.api.handlers import actions
from orch.api.handlers import adoption
from orch.api.handlers import dispatch
from orch.api.handlers import documents
from orch.api.handlers import drift
from orch.api.handlers import events
from orch.api.handlers import generation
from orch.api.handlers import hand_overs
from orch.api.handlers import leftovers
from orch.api.handlers import lifecycle
from orch.api.handlers import lookup
from orch.api.handlers import moves
from orch.api.handlers import operations
from orch.api.handlers import plans
from orch.api.handlers import previews
from orch.api.handlers import resource_types
from orch.api.handlers import resources
from orch.api.handlers import search
from orch.api.handlers import services
from orch.api.handlers import signals
from orch.api.handlers import snapshots
from orch.api.handlers import software_configs
from orch.api.handlers import software_deployments
from orch.api.handlers import stack_request
from orch.api.handlers import stacks
from orch.api.handlers import template_versions
from orch.api.handlers import validation
from orch.api.middleware import context
from orch.api.middleware import host
from orch.api.middleware import login_throttle
from orch.api.middleware import rate
from orch.api.middleware import request_log
from orch.api.middleware import version
from orch.api.openapi import document
from orch.policies import enforcer
from orch.rpc import caller
from orch.rpc import contract
from orch.rpc import proxy

Settings = settings.Settings

_KEYSTONE = "keystone"
_BASIC = "basic"
_NONE = "none"
_KNOWN = (_BASIC, _KEYSTONE, _NONE)


def build_app(
    bus: caller.Caller,
    limits: settings.Settings,
    is_ready: collections.abc.Callable[[], bool] = lambda: True,
    *,
    search_bus: caller.Caller | None = None,
    is_search_ready: collections.abc.Callable[[], bool] = lambda: True,
) -> wsgiref.types.WSGIApplication:
    """Return the application, ready to be served.

    :param is_ready: whether workers can be asked now
    :param search_bus: reaches the search service; ``None`` where the same
        one does
    :param is_search_ready: whether the search service can be asked now
    :raises ValueError: the settings name an unknown way to find out who
        asks
    :raises orch.errors.OrchError: that way cannot be gone as they say
    """
    if limits.auth not in _KNOWN:
        known = ", ".join(_KNOWN)
        raise ValueError(f"auth is {limits.auth!r}, it must be of: {known}")
    time = clock.SystemClock()
    options = limits.policy or settings.no_options()
    rules = enforcer.Enforcer(options, time)
    counted = rate.find_limiter(limits, time)
    app = falcon.App(
        request_type=web.Request,
        response_type=falcon.Response,
        middleware=[
            request_log.RequestLog(),
            *([peer.Peer()] if limits.serves_own_user_alone else ()),
            *([host.Host(limits.public_url)] if limits.is_local else ()),
            version.Version(limits.public_url),
            context.Context(
                *_identify(limits, options, rules, time), rules.is_admin
            ),
            *([counted] if counted else ()),
        ],
    )
    faults.Form().add_to(app)
    app.add_route(services.HEALTH, services.Health())
    app.add_route(
        services.READINESS, services.Readiness(is_ready, is_search_ready)
    )
    handlers = _handlers(bus, search_bus or bus, limits, rules, time)
    routing.install(app, handlers, rules)
    app.add_route(
        document.PATH,
        document.Served(lambda: document.build(routes.table(handlers))),
    )
    return typing.cast(wsgiref.types.WSGIApplication, app)


def _identify(
    limits: settings.Settings,
    options: cfg.ConfigOpts,
    rules: enforcer.Enforcer,
    time: clock.Clock,
) -> tuple[context.Identify, context.Holder]:
    """Return what finds out who asks; what it needs is loaded now."""
    if limits.auth == _KEYSTONE:
        tokens = importlib.import_module("orch.api.middleware.tokens")
        by_token = tokens.Tokens(options, rules.is_admin, time)
        return by_token, by_token.holder
    if limits.auth == _BASIC:
        basic = importlib.import_module("orch.api.middleware.basic")
        grants = [basic.grant_of(each) for each in limits.grants]
        counted = login_throttle.find_throttle(limits, time)
        by_name = basic.Basic(limits.user_file, grants, counted, time)
        return by_name, by_name.holder
    return context.from_headers, context.from_headers_alone


def _handlers(
    bus: caller.Caller,
    search_bus: caller.Caller,
    limits: settings.Settings,
    rules: enforcer.Enforcer,
    time: clock.Clock,
) -> routes.Handlers:
    identify = signers.find_signer(limits, rules, time)
    stack_client = proxy.proxy(contract.Stacks, bus)
    operation_client = proxy.proxy(contract.Operations, bus)
    template_client = proxy.proxy(contract.Templates, bus)
    resource_client = proxy.proxy(contract.Resources, bus)
    type_client = proxy.proxy(contract.ResourceTypes, bus)
    reader = stack_request.StackRequestReader(template_client, limits, time)
    starter = dispatch.Starter(operation_client)
    adoption_client = proxy.proxy(contract.Adoption, bus)
    hand_over_client = proxy.proxy(contract.HandOvers, bus)
    plan_client = proxy.proxy(contract.Plans, bus)
    lifecycle_client = proxy.proxy(contract.Lifecycle, bus)
    drifts = drift.Drift(proxy.proxy(contract.Drift, bus), rules, limits)
    return routes.Handlers(
        actions=actions.Actions(
            stack_client, lifecycle_client, drifts, starter, limits
        ),
        adoption=adoption.Adoption(
            adoption_client, hand_over_client, starter, rules, limits, time
        ),
        documents=documents.Documents(stack_client),
        drift=drifts,
        events=events.Events(
            proxy.proxy(contract.Events, bus),
            limits,
            event_stream.EventStreams(
                limits.max_event_streams,
                limits.event_stream_max_duration_s,
                time,
            ),
            time,
        ),
        generation=generation.Generation(adoption_client, limits),
        hand_overs=hand_overs.HandOvers(hand_over_client, limits),
        leftovers=leftovers.Leftovers(
            proxy.proxy(contract.Leftovers, bus), starter, limits
        ),
        lifecycle=lifecycle.Lifecycle(lifecycle_client, rules),
        lookup=lookup.Lookup(stack_client),
        moves=moves.Moves(proxy.proxy(contract.Moves, bus), starter, limits),
        operations=operations.Operations(operation_client),
        plans=plans.Plans(
            plan_client,
            reader,
            starter,
            rules,
            limits,
        ),
        previews=previews.Previews(plan_client, reader),
        resource_types=resource_types.ResourceTypes(type_client),
        resources=resources.Resources(resource_client, starter, limits),
        search=search.Search(
            proxy.proxy(contract.Search, caller.SearchCaller(search_bus)),
            rules,
            limits,
        ),
        services=services.Services(
            proxy.proxy(contract.Services, bus), limits
        ),
        signals=signals.Signals(
            resource_client,
            starter,
            limits,
            time,
            signals.Signers(identify, rules) if identify else None,
        ),
        snapshots=snapshots.Snapshots(
            proxy.proxy(contract.Snapshots, bus),
            starter,
            limits,
        ),
        software_configs=software_configs.SoftwareConfigs(
            proxy.proxy(contract.SoftwareConfigs, bus), rules, limits
        ),
        software_deployments=software_deployments.SoftwareDeployments(
            proxy.proxy(contract.SoftwareDeployments, bus), limits
        ),
        stacks=stacks.Stacks(
            stack_client,
            adoption_client,
            hand_over_client,
            plan_client,
            reader,
            starter,
            rules,
            limits,
        ),
        template_versions=template_versions.TemplateVersions(template_client),
        validation=validation.Validation(template_client, reader),
    )
