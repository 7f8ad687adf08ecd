"""Puts the parts of the CloudFormation-compatible API together."""

import collections.abc
import hashlib
import json
import re
import types
import typing
import wsgiref.types

import falcon

from orch import clock
from orch import errors
from orch.api import fault_form
from orch.api import faults
from orch.api import peer
from orch.api import routing
from orch.api import settings
from orch.api import signers
from orch.api import web
from orch.api.cfn import change_sets
from orch.api.cfn import errors as cfn_errors
from orch.api.cfn import parameters
from orch.api.cfn import resources
from orch.api.cfn import responses
from orch.api.cfn import stacks
from orch.api.cfn import templates
from orch.api.handlers import backends
from orch.api.handlers import services
from orch.api.handlers import signals
from orch.api.middleware import host
from orch.api.middleware import rate
from orch.api.middleware import request_log
from orch.api.middleware import signatures
from orch.api.middleware import signed
from orch.context import request
from orch.policies import enforcer
from orch.rpc import caller

NAME: typing.Final = "ClientRequestToken"
_NAMES: typing.Final = (NAME, "ClientToken")
"""CreateChangeSet has a name of its own for it."""

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,127}")
_OF_SIGNATURE = (
    "AWSAccessKeyId",
    "Expires",
    "Signature",
    "SignatureMethod",
    "SignatureVersion",
    "Timestamp",
)
_PREFIX = "X-Amz-"


def attach_token(
    caller: request.RequestContext, given: parameters.Texts
) -> None:
    """Let the request be known by its token, if it has one.

    :raises orch.api.cfn.errors.InvalidValue: it is no token
    """
    token = next((given[name] for name in _NAMES if given.get(name)), None)
    if token is None:
        return
    if not _TOKEN.fullmatch(token):
        raise cfn_errors.InvalidValue(
            f"{NAME} has up to 128 letters, digits and hyphens."
        )
    asked = {
        name: value
        for name, value in given.items()
        if name not in _OF_SIGNATURE and not name.startswith(_PREFIX)
    }
    said = json.dumps(["cfn", asked], sort_keys=True)
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass"))
    caller.repeat = request.IdempotencyKey(token, digest.hexdigest())


Action = collections.abc.Callable[
    [backends.Backend, request.RequestContext, parameters.Parameters],
    dict[str, object],
]
"""Returns what the answer tells; an empty map where it tells nothing."""

TABLE: typing.Final[collections.abc.Mapping[str, Action]] = (
    types.MappingProxyType(
        {
            "ListStacks": stacks.list_stacks,
            "CreateStack": stacks.create,
            "DescribeStacks": stacks.describe,
            "DeleteStack": stacks.delete,
            "UpdateStack": stacks.update,
            "CancelUpdateStack": stacks.cancel,
            "DescribeStackEvents": resources.events,
            "ValidateTemplate": templates.validate,
            "GetTemplate": templates.get,
            "GetTemplateSummary": templates.summarize,
            "EstimateTemplateCost": templates.estimate,
            "DescribeStackResource": resources.detail,
            "DescribeStackResources": resources.describe,
            "ListStackResources": resources.list_resources,
            "CreateChangeSet": change_sets.create,
            "DescribeChangeSet": change_sets.describe,
            "ListChangeSets": change_sets.list_change_sets,
            "ExecuteChangeSet": change_sets.execute,
            "DeleteChangeSet": change_sets.delete,
        }
    )
)
"""What serves each action; rule ``cloudformation:{name}``."""


VALIDATION: typing.Final = "ValidationError"
_INTERNAL = "InternalFailure"

# Clients wait for the end of a stack until they read ValidationError.
_BY_TYPE = {
    "StackExists": "AlreadyExistsException",
    "RequestLimitExceeded": "LimitExceededException",
}
_BY_CODE = {"orch.plan.name_taken": "AlreadyExistsException"}
_BY_STATUS = {
    401: "MissingAuthenticationToken",
    403: "AccessDenied",
    422: "TokenAlreadyExistsException",
    429: "Throttling",
    500: _INTERNAL,
    503: "ServiceUnavailable",
}
_STATUS = {
    "AccessDenied": 403,
    "ChangeSetNotFound": 404,
    "InternalFailure": 500,
    "InvalidClientTokenId": 403,
    "MalformedQueryString": 404,
    "MissingAuthenticationToken": 403,
    "ServiceUnavailable": 503,
    "SignatureDoesNotMatch": 403,
}
"""All others are 400."""


def code_of(error: errors.OrchError) -> str:
    """Return what Amazon calls an error."""
    if isinstance(
        error, cfn_errors.Misunderstood | signatures.SignatureRefused
    ):
        return error.aws_code
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    fault = faults.fault_of(error)
    found = _BY_STATUS.get(fault.status) or _BY_TYPE.get(fault.type)
    return found or VALIDATION


class Form(fault_form.FaultForm):
    """Errors as Amazon's clients read them."""

    def render_error(
        self, req: web.Request, resp: falcon.Response, error: errors.OrchError
    ) -> None:
        """Answer an error that Orch knows."""
        _write(req, resp, code_of(error), error.message)

    def render_client_error(
        self, req: web.Request, resp: falcon.Response, error: falcon.HTTPError
    ) -> None:
        """Answer what falcon refuses: other addresses and methods."""
        message = str(error.description or error.title)
        _write(req, resp, "InvalidAction", message, error.status_code)

    def render_crash(
        self, req: web.Request, resp: falcon.Response, message: str
    ) -> None:
        """Answer an unexpected error."""
        _write(req, resp, _INTERNAL, message)


def _write(
    req: web.Request,
    resp: falcon.Response,
    aws_code: str,
    message: str,
    status: int | None = None,
) -> None:
    status = status or _STATUS.get(aws_code, 400)
    body = responses.error(aws_code, message, status, req.request_id)
    resp.status = status
    is_json = bool(getattr(req.context, "is_json", False))
    resp.content_type, resp.data = responses.dumps(body, is_json=is_json)


_PLACES = ("/", "/v1", "/v1/")
_SERVICE_TYPE = "cloudformation"
CHANGES: typing.Final = (
    "CreateStack",
    "UpdateStack",
    "CancelUpdateStack",
    "DeleteStack",
    "CreateChangeSet",
    "ExecuteChangeSet",
    "DeleteChangeSet",
)
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
    :raises SignaturesUnsupported: the settings provide no check of signatures
    :raises orch.errors.OrchError: how who asks is found out is not set right
    """
    time = clock.SystemClock()
    rules = enforcer.Enforcer(limits.policy or settings.no_options(), time)
    identify = signers.find_signer(limits, rules, time, _SERVICE_TYPE)
    if identify is None:
        raise SignaturesUnsupported(
            f"auth in [api] is {limits.auth}, which cannot verify a"
            " signature: the CloudFormation-compatible API needs keystone,"
            " or none on a loopback address."
        )
    app = falcon.App(
        request_type=web.Request,
        response_type=falcon.Response,
        middleware=[
            request_log.RequestLog(),
            *([peer.Peer()] if limits.serves_own_user_alone else ()),
            *([host.Host(limits.public_url)] if limits.is_local else ()),
        ],
    )
    Form().add_to(app)
    app.add_route(services.HEALTH, services.Health())
    app.add_route(services.READINESS, services.Readiness(is_ready, {}))
    backend = backends.build_backend(bus, rules, limits, time, identify)
    query = Query(backend, identify, rate.find_limiter(limits, time))
    for place in _PLACES:
        app.add_route(place, query)
    app.add_sink(routing.serve_sealed(backend), signals.PATH)
    return typing.cast(wsgiref.types.WSGIApplication, app)


class Query:
    """Serves all actions: changes by POST alone, all others by GET too."""

    def __init__(
        self,
        backend: backends.Backend,
        identify: signed.Identify,
        counted: rate.Rate | None,
    ) -> None:
        """Know what to serve.

        :param counted: counts requests, where these are limited
        """
        self._backend = backend
        self._identify = identify
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
        if name in TABLE:
            req.context.action = name
        told = self._act(req, name, found, given)
        answer = responses.result(name, told, req.request_id)
        resp.content_type, resp.data = responses.dumps(
            answer, is_json=req.context.is_json
        )

    def _act(
        self,
        req: web.Request,
        name: str,
        found: request.RequestContext,
        given: parameters.Texts,
    ) -> dict[str, object]:
        if name not in TABLE:
            raise cfn_errors.InvalidAction(
                f"There is no action {name[:80]!r} here."
            )
        if name in CHANGES:
            self._check_change(req, name)
        self._backend.rules.check(found, f"cloudformation:{name}")
        attach_token(found, given)
        return TABLE[name](self._backend, found, parameters.Parameters(given))

    def _check_change(self, req: web.Request, name: str) -> None:
        """Return only if no page of the web can have made the request.

        An image or a link of a page sends a GET. Where signatures are not
        verified a form could bear one as well; a header it cannot set.

        :raises orch.errors.Forbidden: one can have
        """
        if req.method != "POST":
            raise errors.Forbidden(f"{name} has to be sent by POST.")
        given = req.get_header("Authorization") or ""
        if self._backend.limits.auth == "none" and not signatures.is_in_header(
            given
        ):
            raise errors.Forbidden(
                f"{name} has to be signed by version 4, in the header"
                " Authorization."
            )

    def _body(self, req: web.Request) -> bytes:
        """Return the form, not yet read.

        :raises orch.errors.LimitExceeded: it is too long
        :raises orch.api.cfn.errors.MalformedQuery: it is something else
        """
        limit = self._backend.limits.max_json_body_size * FORM_FACTOR
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
