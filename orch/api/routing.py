"""Serves the addresses of the API: rules first, then the handler.

Which there are is in ``routes``. A path that is there answers 405 to the
methods that are not.
"""

import collections.abc
import functools
import types

import falcon

from orch.api import conditions
from orch.api import idempotency
from orch.api import overrides
from orch.api import routes
from orch.api import web
from orch.api.handlers import backends
from orch.api.handlers import lookup
from orch.api.handlers import signals
from orch.api.openapi import bodies
from orch.api.openapi import operations
from orch.api.schemas import checker
from orch.policies import enforcer

App = falcon.App[web.Request, falcon.Response]
Responder = collections.abc.Callable[..., None]

_ROOT = "/v1/{project}"
_ARN = r"/v1/(?P<project>[^/]+)/stacks/(?P<arn>arn:(?s:.+))"
_BY_NAME = _ROOT + "/stacks/{name}"


def install(app: App, backend: backends.Backend) -> None:
    """Add all addresses to the application."""
    by_path: dict[str, dict[str, Responder]] = {}
    for route in routes.TABLE:
        responders = by_path.setdefault(_ROOT + route.path, {})
        for method in route.methods.split():
            responders[f"on_{method.lower()}"] = _responder(
                route.rule,
                functools.partial(route.handler, backend),
                backend.rules,
                _body_check(f"{method} {route.path}"),
            )
    by_name = by_path[_BY_NAME]
    for path, responders in by_path.items():
        if _is_a_word(path):
            responders = {**_named(path, by_name), **responders}
        options = _options(responders)
        app.add_route(
            path, types.SimpleNamespace(**responders, on_options=options)
        )
    app.add_sink(
        _responder(
            "stacks:lookup",
            functools.partial(lookup.by_arn, backend),
            backend.rules,
        ),
        _ARN,
    )
    app.add_sink(serve_sealed(backend), signals.PATH)


def _body_check(
    operation: str,
) -> collections.abc.Callable[[object], None] | None:
    """Return what checks the bodies of an operation; ``None`` for any body."""
    schema = operations.TABLE[operation].body
    if not schema:
        return None
    return checker.Checker(schema, bodies.OWN).check


def _responder(
    rule: str | None,
    handler: web.Handler,
    rules: enforcer.Enforcer,
    check_body: collections.abc.Callable[[object], None] | None = None,
) -> Responder:
    def respond(
        req: web.Request, resp: falcon.Response, project: str, **parts: str
    ) -> None:
        req.authorize = functools.partial(_authorize, req, rule, rules)
        req.authorize()
        req.check_rule = lambda rule: rules.check(req.caller, rule)
        req.check_body = check_body
        if "stack_id" in parts:
            conditions.attach_address(req, parts["name"], parts["stack_id"])
        conditions.attach_condition(req, parts.get("stack_id"))
        overrides.attach_override(req, rules)
        idempotency.attach_key(req)
        (handler(req, **parts) or web.NO_CONTENT).write(resp)

    return respond


def _authorize(
    req: web.Request, rule: str | None, rules: enforcer.Enforcer
) -> None:
    """Return if the caller may send the request.

    :raises orch.errors.Forbidden: a rule says no
    """
    if rule is not None:
        rules.check(req.caller, rule)
    else:
        # What the handler asks about is a project's in each case.
        rules.check_project(req.caller)


def serve_sealed(backend: backends.Backend) -> Responder:
    """Return what serves addresses that are proof enough: no rule applies."""

    def respond(req: web.Request, resp: falcon.Response, **parts: str) -> None:
        signals.take_signal(backend, req, **parts).write(resp)

    return respond


def _is_a_word(path: str) -> bool:
    """Answer whether what stands for a stack's name is a word of ours."""
    place, _, word = path.rpartition("/")
    return f"{place}/{{name}}" == _BY_NAME and "{" not in word


def _named(
    path: str, by_name: collections.abc.Mapping[str, Responder]
) -> dict[str, Responder]:
    """Return what looks up the stack that bears a word of ours as its name.

    Heat does so for all methods that the word itself does not take.
    """
    name = path.rpartition("/")[2]
    return {
        method: functools.partial(responder, name=name)
        for method, responder in by_name.items()
    }


def _options(responders: collections.abc.Iterable[str]) -> Responder:
    methods = sorted(name[3:].upper() for name in responders)
    allowed = ", ".join([*methods, "OPTIONS"])

    def respond(req: web.Request, resp: falcon.Response, **parts: str) -> None:
        resp.status = 204
        resp.set_header("Allow", allowed)

    return respond
