"""What went wrong, as HTTP says it: one table from code to status and type.

Clients of Heat know an error by its status and by the class name in
``error.type``; our codes stand for those here and nowhere else.
"""

import collections.abc
import dataclasses
import http
from xml.etree import ElementTree

import falcon

from orch import errors
from orch.api import codec
from orch.api import fault_form
from orch.api import problems
from orch.api import web


def dumps(name: str, value: object) -> bytes:
    """Return the value as one XML element, maps and lists as children."""
    root = ElementTree.Element(name)
    codec.fill_xml(root, value, "item")
    text: bytes = ElementTree.tostring(root, encoding="utf-8")
    return text


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """The HTTP status of an error, and the class name that Heat gives it."""

    status: int
    type: str


_INTERNAL = Fault(500, "HTTPInternalServerError")
_BAD_REQUEST = Fault(400, "HTTPBadRequest")
VALIDATION = Fault(400, "StackValidationFailed")

TABLE = {
    "orch.not_found": Fault(404, "EntityNotFound"),
    "orch.conflict": Fault(409, "HTTPConflict"),
    "orch.invalid": _BAD_REQUEST,
    "orch.limit_exceeded": Fault(400, "RequestLimitExceeded"),
    "orch.forbidden": Fault(403, "Forbidden"),
    "orch.not_supported": Fault(400, "NotSupported"),
    "orch.unavailable": Fault(503, "HTTPServiceUnavailable"),
    "orch.lifecycle.outdated": Fault(503, "HTTPServiceUnavailable"),
    "orch.busy": Fault(409, "HTTPConflict"),
    "orch.group.busy": Fault(409, "ActionInProgress"),
    "orch.group.missing": Fault(400, "ResourceFailure"),
    "orch.quota_exceeded": Fault(403, "Forbidden"),
    "orch.db.down": Fault(503, "HTTPServiceUnavailable"),
    "orch.api.unauthenticated": Fault(401, "HTTPUnauthorized"),
    "orch.api.not_found": Fault(404, "HTTPNotFound"),
    "orch.stack.not_found": Fault(404, "EntityNotFound"),
    "orch.stack.exists": Fault(409, "StackExists"),
    "orch.stack.changed": Fault(412, "HTTPPreconditionFailed"),
    "orch.request.key_reused": Fault(422, "HTTPUnprocessableEntity"),
    "orch.request.repeated": Fault(409, "HTTPConflict"),
    "orch.request.bad_key": _BAD_REQUEST,
    "orch.request.bad_override": _BAD_REQUEST,
    "orch.slots_taken": Fault(503, "HTTPServiceUnavailable"),
    "orch.api.too_many_event_streams": Fault(503, "HTTPServiceUnavailable"),
    "orch.stack.action_in_progress": Fault(409, "ActionInProgress"),
    "orch.stack.cancel_first": Fault(409, "ActionInProgress"),
    "orch.stack.invalid_name": VALIDATION,
    "orch.adoption.bad_document": _BAD_REQUEST,
    "orch.adoption.bad_key": _BAD_REQUEST,
    "orch.adoption.broken_seal": _BAD_REQUEST,
    "orch.adoption.mismatched": VALIDATION,
    "orch.adoption.newer_document": _BAD_REQUEST,
    "orch.adoption.too_large": Fault(400, "RequestLimitExceeded"),
    "orch.adoption.unreadable": VALIDATION,
    "orch.move.refused": Fault(409, "HTTPConflict"),
    "orch.abandonment.not_found": Fault(404, "EntityNotFound"),
    "orch.abandonment.stale": Fault(409, "HTTPConflict"),
    "orch.hand_over.not_found": Fault(404, "EntityNotFound"),
    "orch.hand_over.offered": Fault(409, "HTTPConflict"),
    "orch.hand_over.not_ready": Fault(409, "HTTPConflict"),
    "orch.hand_over.taken": Fault(409, "HTTPConflict"),
    "orch.hand_over.wrong_receiver": _BAD_REQUEST,
    "orch.leftover.not_found": Fault(404, "EntityNotFound"),
    "orch.leftover.owned": Fault(409, "HTTPConflict"),
    "orch.leftover.being_swept": Fault(409, "ActionInProgress"),
    "orch.announcement.no_origin": Fault(404, "EntityNotFound"),
    "orch.announcement.bad": VALIDATION,
    "orch.announcement.host_not_allowed": Fault(403, "Forbidden"),
    "orch.signals.too_many_hops": Fault(400, "NotSupported"),
    "orch.signals.queue_full": Fault(429, "RequestLimitExceeded"),
    "orch.api.too_many_requests": Fault(429, "RequestLimitExceeded"),
    "orch.api.too_many_failed_logins": Fault(429, "RequestLimitExceeded"),
    "orch.api.still_stopping": Fault(409, "ActionInProgress"),
    "orch.cloud.none": Fault(400, "NotSupported"),
    "orch.resource.not_found": Fault(404, "ResourceNotFound"),
    "orch.resource.owned": Fault(409, "HTTPConflict"),
    "orch.resource.outcome_known": Fault(409, "HTTPConflict"),
    "orch.resource.nothing_there": Fault(409, "HTTPConflict"),
    "orch.resource.not_available": Fault(404, "ResourceNotAvailable"),
    "orch.resource.not_waiting": Fault(400, "InvalidBreakPointHook"),
    "orch.resource.signal_not_supported": Fault(
        400, "ResourceActionNotSupported"
    ),
    "orch.resource.signal_not_now": Fault(400, "NotSupported"),
    "orch.resource.signal_refused": Fault(400, "ResourceFailure"),
    "orch.resource.signal_too_large": Fault(400, "RequestLimitExceeded"),
    "orch.signals.bad_address": Fault(403, "Forbidden"),
    "orch.signals.revoked": Fault(403, "Forbidden"),
    "orch.event.not_found": Fault(404, "EntityNotFound"),
    "orch.output.not_found": Fault(404, "NotFound"),
    "orch.operation.not_found": Fault(404, "EntityNotFound"),
    "orch.operation.not_held": Fault(409, "HTTPConflict"),
    "orch.operation.own_request": Fault(403, "Forbidden"),
    "orch.plan.not_found": Fault(404, "EntityNotFound"),
    "orch.snapshot.not_found": Fault(404, "NotFound"),
    "orch.snapshot.of_another_stack": Fault(404, "SnapshotNotFound"),
    "orch.files_container.not_found": Fault(404, "NotFound"),
    "orch.files_container.too_large": Fault(400, "DownloadLimitExceeded"),
    "orch.software_config.not_found": Fault(404, "NotFound"),
    "orch.software_config.deployed": Fault(400, "InvalidRestrictedAction"),
    "orch.software_deployment.not_found": Fault(404, "NotFound"),
    "orch.type.not_found": Fault(404, "EntityNotFound"),
    "orch.template.format": _BAD_REQUEST,
    "orch.template.environment.environment": _BAD_REQUEST,
    "orch.template.validate_failed": _BAD_REQUEST,
    "orch.template.limit": Fault(400, "RequestLimitExceeded"),
    "orch.template.type_unavailable": Fault(400, "ResourceTypeUnavailable"),
    "orch.template.schema": Fault(400, "InvalidSchemaError"),
    "orch.template.version": Fault(400, "InvalidTemplateVersion"),
    "orch.template.parameter_missing": Fault(400, "UserParameterMissing"),
    "orch.template.parameter_unknown": Fault(400, "UnknownUserParameter"),
    "orch.template.reference": Fault(400, "InvalidTemplateReference"),
    "orch.template_version.not_found": Fault(404, "NotFound"),
    "orch.template.immutable_changed": Fault(
        400, "ImmutableParameterModified"
    ),
    "orch.template.circular": Fault(400, "CircularDependencyException"),
    "orch.template.hook": Fault(400, "InvalidBreakPointHook"),
    "orch.template.restricted_action": Fault(400, "InvalidRestrictedAction"),
    "orch.template.merge_strategy": Fault(400, "InvalidMergeStrategyForParam"),
    "orch.template.merge_conflict": Fault(
        400, "ConflictingMergeStrategyForParam"
    ),
}

_EXPLANATIONS = {
    400: "The request is wrong; sending it again will not help.",
    401: "The caller is not authenticated.",
    403: "The caller may not do this.",
    404: "It does not exist, or not for this caller.",
    405: "This address does not take this method.",
    409: "The request does not fit the present state.",
    412: "It has changed since the state that the request depends on.",
    422: "The request contradicts one that was sent before.",
    429: "The limit of requests is reached; try again later.",
    503: "A part of the service gives no answer now; try again later.",
}


def fault_of(error: errors.OrchError) -> Fault:
    """Return status and type of an error, by its code, else by its kind.

    A template that is wrong in a way of which the table says nothing fails
    validation.
    """
    kinds = (kind.__dict__.get("code") for kind in type(error).__mro__)
    for code in (error.code, *kinds):
        if code in TABLE:
            found = TABLE[code]
            break
    else:
        found = _INTERNAL
    is_vague = found in (_BAD_REQUEST, _INTERNAL) and error.code not in TABLE
    if is_vague and error.code.startswith("orch.template."):
        return VALIDATION
    return found


class Form(fault_form.FaultForm):
    """Errors as clients of Heat read them."""

    def render_error(
        self, req: web.Request, resp: falcon.Response, error: errors.OrchError
    ) -> None:
        """Answer an error that Orch knows."""
        fault = fault_of(error)
        _write(req, resp, fault, error.message, error.code, error.problems)

    def render_client_error(
        self, req: web.Request, resp: falcon.Response, error: falcon.HTTPError
    ) -> None:
        """Answer what falcon refuses: unknown addresses, methods, headers."""
        status = error.status_code
        name = http.HTTPStatus(status).phrase.replace(" ", "")
        said = error.description or _EXPLANATIONS.get(status) or error.title
        code = f"orch.http.{status}"
        _write(req, resp, Fault(status, f"HTTP{name}"), str(said), code)

    def render_crash(
        self, req: web.Request, resp: falcon.Response, message: str
    ) -> None:
        """Answer an unexpected error."""
        _write(req, resp, _INTERNAL, message, errors.OrchError.code)


def _write(
    req: web.Request,
    resp: falcon.Response,
    fault: Fault,
    message: str,
    code: str,
    found: collections.abc.Sequence[errors.Problem] = (),
) -> None:
    """Answer in the form that the sender reads.

    :param code: Orch's own
    """
    resp.status = fault.status
    title = http.HTTPStatus(fault.status).phrase
    details = problems.problem_details(req, fault.status, code, message, found)
    told: dict[str, object] = {
        "code": fault.status,
        "title": title,
        "explanation": _EXPLANATIONS.get(fault.status, title),
        "error": {
            "message": message,
            "type": fault.type,
            "traceback": None,
        },
        "error_code": code,
        **details,
    }
    if (req.content_type or "").startswith("application/xml"):
        resp.content_type = "application/xml"
        resp.data = dumps("fault", told)
    elif problems.is_problem_requested(req):
        resp.content_type = problems.MEDIA_TYPE
        resp.data = codec.dumps({**told, "code": code})
    else:
        resp.data = codec.dumps(told)
