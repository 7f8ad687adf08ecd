"""Puts the parts of the API together into a WSGI application."""

import collections.abc
import importlib
import types
import typing
import wsgiref.types

import falcon
from oslo_config import cfg

from orch import clock
from orch.api import faults
from orch.api import peer
from orch.api import routes
from orch.api import routing
from orch.api import settings
from orch.api import signers
from orch.api import web
from orch.api.handlers import backends
from orch.api.handlers import services
from orch.api.middleware import context
from orch.api.middleware import host
from orch.api.middleware import login_throttle
from orch.api.middleware import rate
from orch.api.middleware import request_log
from orch.api.middleware import version
from orch.api.openapi import document
from orch.policies import enforcer
from orch.rpc import caller

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
    parts: services.Parts = types.MappingProxyType({}),
) -> wsgiref.types.WSGIApplication:
    """Return the application, ready to be served.

    :param is_ready: whether workers can be asked now
    :param search_bus: reaches the search service; ``None`` where the same
        one does
    :param parts: parts of the service whose readiness ``/readiness`` shows
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
    app.add_route(services.READINESS, services.Readiness(is_ready, parts))
    identify = signers.find_signer(limits, rules, time)
    routing.install(
        app,
        backends.build_backend(bus, rules, limits, time, identify, search_bus),
    )
    app.add_route(
        document.PATH,
        document.Served(lambda: document.build(routes.TABLE)),
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
