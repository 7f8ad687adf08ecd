"""Puts the parts of the CloudFormation-compatible API together."""

import collections.abc
import typing
import wsgiref.types

import falcon

from orch import clock
from orch import errors
from orch.api import settings
from orch.api import signers
from orch.api import web
from orch.api.cfn import actions
from orch.api.cfn import errors as cfn_errors
from orch.api.cfn import faults
from orch.api.cfn import lookup
from orch.api.cfn import parameters
from orch.api.cfn import repeats
from orch.api.cfn import resources
from orch.api.cfn import responses
from orch.api.cfn import stacks
from orch.api.cfn import templates
from orch.api.handlers import dispatch
from orch.api.handlers import services
from orch.api.handlers import signals
from orch.api.handlers import stack_request
from orch.api.middleware import host
from orch.api.middleware import metrics
from orch.api.middleware import rate
from orch.api.middleware import request_id
from orch.api.middleware import signed
from orch.context import request
from orch.policies import enforcer
from orch.rpc.clients import caller
from orch.rpc.clients import events as events_client
from orch.rpc.clients import operations as operations_client
from orch.rpc.clients import resources as resources_client
from orch.rpc.clients import stacks as stacks_client
from orch.rpc.clients import templates as templates_client

_PLACES = ("/", "/v1", "/v1/")
_SERVICE_TYPE = "cloudformation"
_FORM = "application/x-www-form-urlencoded"

FORM_FACTOR: typing.Final = 3
"""Each character of a template may take three in a form."""


class SignaturesUnsupported(errors.OrchError):
    """Signatures cannot be checked by names and passwords."""

    code = "orch.cfn.no_signatures"


def build_app(
    bus: caller.Caller,
    limits: settings.Settings,
    is_ready: collections.abc.Callable[[], bool] = lambda: True,
) -> wsgiref.types.WSGIApplication:
    """Return the application, ready to be served.

    :param is_ready: whether workers can be asked now
    :raises SignaturesUnsupported: by the settings nobody can check a signature
    :raises orch.errors.OrchError: how who asks is found out is not set right
    """
    time = clock.SystemClock()
    rules = enforcer.Enforcer(limits.policy or settings.no_options(), time)
    identify = signers.find_signer(limits, rules, time, _SERVICE_TYPE)
    if identify is None:
        raise SignaturesUnsupported(
            f"auth in [api] is {limits.auth}, by which nobody can check a"
            " signature: the CloudFormation-compatible API needs keystone, or"
            " none on a loopback address."
        )
    app = falcon.App(
        request_type=web.Request,
        response_type=falcon.Response,
        middleware=[
            metrics.Measured(),
            request_id.RequestId(),
            *([host.Host(limits.public_url)] if limits.is_local else ()),
        ],
    )
    faults.Form().add_to(app)
    app.add_route("/healthcheck", services.Health())
    app.add_route("/readiness", services.Readiness(is_ready))
    query = Query(
        _table(bus, limits, time),
        identify,
        rules,
        limits,
        rate.find_limiter(limits, time),
    )
    for place in _PLACES:
        app.add_route(place, query)
    taken = signals.Signals(
        resources_client.Resources(bus),
        dispatch.Starter(operations_client.Operations(bus)),
        limits,
        time,
        signals.Signers(identify, rules),
    )
    app.add_sink(_signal(taken), signals.PATH)
    return typing.cast(wsgiref.types.WSGIApplication, app)


def _table(
    bus: caller.Caller, limits: settings.Settings, time: clock.Clock
) -> collections.abc.Mapping[str, actions.Action]:
    stack_client = stacks_client.Stacks(bus)
    template_client = templates_client.Templates(bus)
    reader = stack_request.StackRequestReader(template_client, limits, time)
    starter = dispatch.Starter(operations_client.Operations(bus))
    find = lookup.Lookup(stack_client)
    return actions.table(
        stacks.Stacks(
            stack_client, reader, starter, find, limits.hidden_stack_tags
        ),
        resources.Resources(
            resources_client.Resources(bus), events_client.Events(bus), find
        ),
        templates.Templates(template_client, stack_client, reader, find),
    )


def _signal(
    taken: signals.Signals,
) -> collections.abc.Callable[..., None]:
    def respond(req: web.Request, resp: falcon.Response, **parts: str) -> None:
        taken.take(req, **parts).write(resp)

    return respond


class Query:
    """Serves all actions, by GET and by POST."""

    def __init__(
        self,
        table: collections.abc.Mapping[str, actions.Action],
        identify: signed.Identify,
        rules: enforcer.Enforcer,
        limits: settings.Settings,
        counted: rate.Rate | None,
    ) -> None:
        """Know what to serve.

        :param counted: counts requests, where these are limited
        """
        self._actions = table
        self._identify = identify
        self._rules = rules
        self._limits = limits
        self._rate = counted

    def on_get(self, req: web.Request, resp: falcon.Response) -> None:
        """Do what the query string asks for."""
        self._serve(req, resp, b"")

    def on_post(self, req: web.Request, resp: falcon.Response) -> None:
        """Do what the form asks for."""
        self._serve(req, resp, self._body(req))

    def _serve(
        self, req: web.Request, resp: falcon.Response, body: bytes
    ) -> None:
        query = parameters.parse(req.query_string)
        form = parameters.parse(_decoded(body))
        given = {**query, **form}
        req.context.is_json = given.get("ContentType", "").upper() == "JSON"
        asked = signed.signable_request(req, query, form, body)
        found = self._identify(req, asked)
        found.global_request_id = req.global_request_id
        found.waiting = request.CallWaiting()
        req.caller = found
        found.begin_logging()
        if self._rate is not None:
            self._rate.process_request(req, resp)
        name = given.get("Action")
        if not name:
            raise cfn_errors.MissingAction("The request has no Action.")
        if name in self._actions:
            req.context.action = name
        told = self._act(name, found, given)
        answer = responses.result(name, told, req.request_id)
        resp.content_type, resp.data = responses.dumps(
            answer, is_json=req.context.is_json
        )

    def _act(
        self,
        name: str,
        found: request.RequestContext,
        given: parameters.Texts,
    ) -> dict[str, object]:
        if name not in self._actions:
            raise cfn_errors.InvalidAction(
                f"There is no action {name[:80]!r} here."
            )
        self._rules.check(found, f"cloudformation:{name}")
        repeats.attach_token(found, given)
        return self._actions[name](found, parameters.Parameters(given))

    def _body(self, req: web.Request) -> bytes:
        """Return the form, not yet read.

        :raises orch.errors.LimitExceeded: it is too long
        :raises orch.api.cfn.errors.MalformedQuery: it is something else
        """
        limit = self._limits.max_json_body_size * FORM_FACTOR
        if 0 <= limit < (req.content_length or 0):
            raise errors.LimitExceeded(
                f"Request limit exceeded: the form is longer than {limit}"
                " bytes."
            )
        text = req.bounded_stream.read()
        if text and not (req.content_type or "").startswith(_FORM):
            raise cfn_errors.MalformedQuery(f"The body must be {_FORM}.")
        return text


def _decoded(body: bytes) -> str:
    try:
        return body.decode("ascii")
    except ValueError:
        raise cfn_errors.MalformedQuery(
            "A form has ASCII characters alone; others are escaped."
        ) from None
