"""What went wrong, as Amazon's clients know it: code and HTTP status."""

import typing

import falcon

from orch import errors
from orch.api import fault_form
from orch.api import faults
from orch.api import web
from orch.api.cfn import errors as cfn_errors
from orch.api.cfn import responses
from orch.api.middleware import signatures

VALIDATION: typing.Final = "ValidationError"
_INTERNAL = "InternalFailure"

# Clients wait for the end of a stack until they read ValidationError.
_BY_TYPE = {
    "StackExists": "AlreadyExistsException",
    "RequestLimitExceeded": "LimitExceededException",
}
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
        """Answer what nobody foresaw."""
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
