"""Puts the parts of the API together into a WSGI application."""

import collections.abc
import typing
import wsgiref.types

import falcon
from oslo_config import cfg

from orch import clock
from orch import errors
from orch.api import faults
from orch.api import routes
from orch.api import settings
from orch.api import web
from orch.api.handlers import accepted
from orch.api.handlers import actions
from orch.api.handlers import adoption
from orch.api.handlers import documents
from orch.api.handlers import events
from orch.api.handlers import generation
from orch.api.handlers import inputs
from orch.api.handlers import lookup
from orch.api.handlers import moves
from orch.api.handlers import operations
from orch.api.handlers import plans
from orch.api.handlers import previews
from orch.api.handlers import resource_types
from orch.api.handlers import resources
from orch.api.handlers import services
from orch.api.handlers import signals
from orch.api.handlers import snapshots
from orch.api.handlers import software_configs
from orch.api.handlers import software_deployments
from orch.api.handlers import stacks
from orch.api.handlers import template_versions
from orch.api.handlers import validation
from orch.api.middleware import context
from orch.api.middleware import host
from orch.api.middleware import request_id
from orch.api.middleware import version
from orch.policies import enforcer
from orch.rpc.clients import adoption as adoption_clients
from orch.rpc.clients import caller
from orch.rpc.clients import events as events_client
from orch.rpc.clients import moves as moves_client
from orch.rpc.clients import operations as operations_client
from orch.rpc.clients import plans as plans_client
from orch.rpc.clients import resource_types as resource_types_client
from orch.rpc.clients import resources as resources_client
from orch.rpc.clients import services as services_client
from orch.rpc.clients import snapshots as snapshots_client
from orch.rpc.clients import software_configs as config_client
from orch.rpc.clients import software_deployments as deployment_client
from orch.rpc.clients import stacks as stacks_client
from orch.rpc.clients import templates as templates_client

Settings = settings.Settings

_IDENTIFY: dict[str, context.Identify] = {"none": context.from_headers}


def build(
    bus: caller.Caller,
    limits: settings.Settings,
    is_ready: collections.abc.Callable[[], bool] = lambda: True,
) -> wsgiref.types.WSGIApplication:
    """Return the application, ready to be served.

    :param is_ready: whether workers can be asked now
    :raises ValueError: the settings name an unknown way to find out who
        asks
    """
    if limits.auth not in _IDENTIFY:
        known = ", ".join(sorted(_IDENTIFY))
        raise ValueError(f"auth is {limits.auth!r}, it must be of: {known}")
    time = clock.SystemClock()
    rules = enforcer.Enforcer(limits.policy or _no_options(), time)
    app = falcon.App(
        request_type=web.Request,
        response_type=falcon.Response,
        middleware=[
            request_id.RequestId(),
            *([host.Host(limits.public_url)] if limits.is_local else ()),
            version.Version(limits.public_url),
            context.Context(_IDENTIFY[limits.auth]),
        ],
    )
    _add_error_handlers(app)
    app.add_route("/healthcheck", services.Health())
    app.add_route("/readiness", services.Readiness(is_ready))
    routes.install(app, _handlers(bus, limits, rules, time), rules)
    return typing.cast(wsgiref.types.WSGIApplication, app)


def _no_options() -> cfg.ConfigOpts:
    conf = cfg.ConfigOpts()
    conf([], default_config_files=[], default_config_dirs=[])
    return conf


def _add_error_handlers(app: routes.App) -> None:
    app.add_error_handler(Exception, faults.on_crash)
    app.add_error_handler(falcon.HTTPError, faults.on_http_error)
    app.add_error_handler(errors.OrchError, faults.on_error)


def _handlers(
    bus: caller.Caller,
    limits: settings.Settings,
    rules: enforcer.Enforcer,
    time: clock.Clock,
) -> routes.Handlers:
    stack_client = stacks_client.Stacks(bus)
    operation_client = operations_client.Operations(bus)
    template_client = templates_client.Templates(bus)
    resource_client = resources_client.Resources(bus)
    type_client = resource_types_client.ResourceTypes(bus)
    reader = inputs.Reader(limits, time)
    starter = accepted.Starter(operation_client)
    adoption_client = adoption_clients.Adoption(bus)
    return routes.Handlers(
        actions=actions.Actions(stack_client, starter, rules, limits),
        adoption=adoption.Adoption(
            adoption_client, stack_client, starter, rules, limits, time
        ),
        documents=documents.Documents(stack_client),
        events=events.Events(events_client.Events(bus), limits),
        generation=generation.Generation(adoption_client, limits),
        lookup=lookup.Lookup(stack_client),
        moves=moves.Moves(
            moves_client.Moves(bus), stack_client, starter, limits
        ),
        operations=operations.Operations(operation_client),
        plans=plans.Plans(
            plans_client.Plans(bus),
            stack_client,
            reader,
            starter,
            rules,
            limits,
        ),
        previews=previews.Previews(stack_client, reader),
        resource_types=resource_types.ResourceTypes(type_client),
        resources=resources.Resources(resource_client, starter, limits),
        services=services.Services(services_client.Services(bus), limits),
        signals=signals.Signals(resource_client, starter, limits, time),
        snapshots=snapshots.Snapshots(
            snapshots_client.Snapshots(bus),
            stack_client,
            starter,
            rules,
            limits,
        ),
        software_configs=software_configs.SoftwareConfigs(
            config_client.SoftwareConfigs(bus), rules, limits
        ),
        software_deployments=software_deployments.SoftwareDeployments(
            deployment_client.SoftwareDeployments(bus), limits
        ),
        stacks=stacks.Stacks(
            stack_client, adoption_client, reader, starter, rules, limits
        ),
        template_versions=template_versions.TemplateVersions(template_client),
        validation=validation.Validation(template_client, reader),
    )
