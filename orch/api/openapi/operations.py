"""What each address takes and answers: one line for each of the routes.

Errors and what is common to all stand in ``orch.api.openapi.document``.
"""

import dataclasses
import types
import typing

from orch.api import web
from orch.api.openapi import bodies
from orch.api.openapi import parameters
from orch.api.response_schemas import adoption
from orch.api.response_schemas import drift
from orch.api.response_schemas import operations
from orch.api.response_schemas import resources
from orch.api.response_schemas import search
from orch.api.response_schemas import service
from orch.api.response_schemas import shapes
from orch.api.response_schemas import software
from orch.api.response_schemas import stacks


@dataclasses.dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address.

    :ivar answer: of the success; ``None`` for no body
    :ivar body: of the request; ``None`` for none
    :ivar query: parameters of the query string
    :ivar status: of the success
    :ivar others: further successes, status and answer
    :ivar needs_body: a request without one is refused
    :ivar media_type: of the answer; the schema is of each line of one of lines
    """

    answer: shapes.Schema | None
    body: shapes.Schema | None = None
    query: tuple[parameters.Parameter, ...] = ()
    status: int = 200
    others: tuple[tuple[int, shapes.Schema | None], ...] = ()
    needs_body: bool = True
    media_type: str = "application/json"


_STACK: typing.Final = "/stacks/{name}/{stack_id}"
_RESOURCE: typing.Final = _STACK + "/resources/{resource}"
_PLAN: typing.Final = _STACK + "/plans/{plan_id}"
_SNAPSHOT: typing.Final = _STACK + "/snapshots/{snapshot_id}"
_ABANDON: typing.Final = _STACK + "/abandon"
_CONFIG: typing.Final = "/software_configs/{config_id}"
_DEPLOYMENT: typing.Final = "/software_deployments/{deployment_id}"
_HAND_OVER: typing.Final = "/hand_overs/{hand_over_id}"
_LEFTOVER: typing.Final = "/leftovers/{leftover_id}"
_SAVED: typing.Final = "/search/saved/{search_name}"
_TYPE: typing.Final = "/resource_types/{type_name}"

_GONE: typing.Final = Operation(None, status=204)
_REDIRECTED: typing.Final = Operation(None, status=302)
_ACCEPTED: typing.Final = shapes.ref("Accepted")
_NOT_CHANGED: typing.Final = ((304, None),)

_STACKS: typing.Final = {
    "GET /stacks": Operation(stacks.LIST, query=parameters.STACKS),
    "POST /stacks": Operation(stacks.CREATED, bodies.CREATE, status=201),
    "GET /stacks/detail": Operation(stacks.LIST, query=parameters.STACKS),
    "POST /stacks/preview": Operation(stacks.PREVIEW, bodies.CREATE),
    "POST /stacks/generate": Operation(adoption.GENERATED, bodies.GENERATION),
    f"GET {_STACK}": Operation(
        stacks.ONE, query=parameters.SHOW, others=_NOT_CHANGED
    ),
    f"PUT {_STACK}": Operation(_ACCEPTED, bodies.UPDATE, status=202),
    f"PATCH {_STACK}": Operation(_ACCEPTED, bodies.UPDATE, status=202),
    f"DELETE {_STACK}": Operation(None, query=parameters.RETRY, status=204),
    f"POST {_STACK}/actions": Operation(
        shapes.either(shapes.NULL, drift.ACCEPTED, drift.UNDONE),
        bodies.ACTION,
        others=((202, drift.ASKED),),
    ),
    f"PUT {_STACK}/preview": Operation(
        stacks.UPDATE_PREVIEW, bodies.UPDATE, parameters.PREVIEW
    ),
    f"PATCH {_STACK}/preview": Operation(
        stacks.UPDATE_PREVIEW, bodies.UPDATE, parameters.PREVIEW
    ),
    f"GET {_STACK}/template": Operation(shapes.MAP),
    f"GET {_STACK}/environment": Operation(stacks.ENVIRONMENT),
    f"GET {_STACK}/files": Operation(stacks.FILES),
    f"GET {_STACK}/outputs": Operation(stacks.OUTPUTS),
    f"GET {_STACK}/outputs/{{key}}": Operation(stacks.OUTPUT),
}
_LOOKUPS: typing.Final = {
    f"{method} /stacks/{{name}}{below}": _REDIRECTED
    for methods, below in (
        ("GET POST PUT PATCH DELETE", ""),
        ("GET POST", "/resources"),
        ("GET POST", "/events"),
        ("GET POST", "/template"),
        ("GET POST", "/actions"),
        ("GET", "/environment"),
        ("GET", "/files"),
    )
    for method in methods.split()
}
_PARTS: typing.Final = {
    f"GET {_STACK}/resources": Operation(
        resources.LIST, query=parameters.RESOURCES
    ),
    f"GET {_RESOURCE}": Operation(resources.ONE, query=parameters.RESOURCE),
    f"PATCH {_RESOURCE}": Operation(shapes.NULL, bodies.MARK),
    f"POST {_RESOURCE}/outcome": Operation(resources.SUMMARY, bodies.OUTCOME),
    f"GET {_RESOURCE}/metadata": Operation(resources.METADATA),
    f"POST {_RESOURCE}/signal": Operation(
        shapes.NULL, shapes.ANY, needs_body=False
    ),
    f"DELETE {_RESOURCE}/signal": _GONE,
    f"GET {_STACK}/events": Operation(
        resources.EVENTS, query=parameters.EVENTS
    ),
    f"GET {_RESOURCE}/events": Operation(
        resources.EVENTS, query=parameters.EVENTS
    ),
    f"GET {_RESOURCE}/events/{{event_id}}": Operation(resources.EVENT),
    f"GET {_STACK}/operations": Operation(operations.OPERATIONS),
    f"GET {_STACK}/operations/{{operation_id}}": Operation(
        operations.OPERATION
    ),
    f"POST {_STACK}/plans": Operation(
        operations.KEPT, bodies.PLAN, status=201
    ),
    f"GET {_STACK}/plans": Operation(operations.LIST),
    f"GET {_PLAN}": Operation(operations.KEPT),
    f"DELETE {_PLAN}": _GONE,
    f"POST {_PLAN}/apply": Operation(operations.APPLIED, status=202),
    f"GET {_STACK}/drift": Operation(drift.ONE, query=parameters.DRIFT),
    f"GET {_STACK}/drift/policy": Operation(drift.POLICY),
    f"PUT {_STACK}/drift/policy": Operation(drift.POLICY, bodies.DRIFT_POLICY),
    f"GET {_STACK}/drift/template": Operation(drift.TEMPLATE),
    f"GET {_STACK}/drift/history": Operation(
        drift.HISTORY, query=parameters.DRIFT_HISTORY
    ),
    f"POST {_STACK}/snapshots": Operation(adoption.SNAPSHOT, bodies.SNAPSHOT),
    f"GET {_STACK}/snapshots": Operation(adoption.SNAPSHOTS),
    f"GET {_SNAPSHOT}": Operation(adoption.SHOWN_SNAPSHOT),
    f"DELETE {_SNAPSHOT}": _GONE,
    f"POST {_SNAPSHOT}/restore": Operation(
        _ACCEPTED, bodies.RESTORE, status=202, needs_body=False
    ),
}
_ADOPTION: typing.Final = {
    f"GET {_STACK}/export": Operation(
        adoption.DOCUMENT, query=parameters.SECRETS
    ),
    f"DELETE {_ABANDON}": Operation(
        adoption.DOCUMENT, query=parameters.SECRETS
    ),
    f"POST {_ABANDON}": Operation(
        adoption.ABANDONED, bodies.ABANDON_STEP, parameters.SECRETS
    ),
    f"GET {_ABANDON}": Operation(adoption.DOCUMENT, query=parameters.SECRETS),
    "GET /hand_overs": Operation(adoption.HAND_OVERS, query=parameters.PAGE),
    f"DELETE {_HAND_OVER}": _GONE,
    f"GET {_ABANDON}/addresses": Operation(adoption.FORWARDED),
    f"POST {_ABANDON}/addresses": Operation(
        adoption.FORWARDED, bodies.ANNOUNCEMENT
    ),
    f"GET {_STACK}/addresses": Operation(adoption.ANNOUNCEMENT),
    f"POST {_STACK}/move": Operation(
        operations.MOVED, bodies.MOVE, status=202
    ),
    f"POST {_STACK}/move/preview": Operation(
        operations.MOVE_PREVIEW, bodies.MOVE
    ),
}
_SOFTWARE: typing.Final = {
    "GET /software_configs": Operation(
        software.CONFIGS, query=parameters.CONFIGS
    ),
    "POST /software_configs": Operation(
        software.CONFIG, bodies.SOFTWARE_CONFIG
    ),
    f"GET {_CONFIG}": Operation(software.CONFIG),
    f"DELETE {_CONFIG}": _GONE,
    "GET /software_deployments": Operation(
        software.DEPLOYMENTS, query=parameters.DEPLOYMENTS
    ),
    "POST /software_deployments": Operation(
        software.DEPLOYMENT, bodies.SOFTWARE_DEPLOYMENT
    ),
    f"GET {_DEPLOYMENT}": Operation(software.DEPLOYMENT),
    f"PUT {_DEPLOYMENT}": Operation(
        software.DEPLOYMENT, bodies.DEPLOYMENT_CHANGE
    ),
    f"DELETE {_DEPLOYMENT}": _GONE,
    "GET /software_deployments/metadata/{server_id}": Operation(
        software.POLLED
    ),
}
_SEARCH: typing.Final = {
    "GET /search": Operation(search.FOUND, query=parameters.SEARCH),
    "POST /search": Operation(search.EITHER, bodies.SEARCH),
    "GET /search/diff": Operation(
        search.DIFFERENCE,
        query=parameters.SEARCH_DIFF,
        media_type=web.JSON_LINES,
    ),
    "GET /search/export": Operation(
        search.EXPORTED,
        query=parameters.SEARCH_EXPORT,
        media_type=web.JSON_LINES,
    ),
    "GET /search/facets": Operation(
        search.FACETS, query=parameters.SEARCH_FACETS
    ),
    "GET /search/fields": Operation(
        search.FIELDS, query=parameters.SEARCH_FIELDS
    ),
    "GET /search/plugins": Operation(search.PLUGINS),
    "GET /search/status": Operation(search.STATUS),
    "GET /search/saved": Operation(search.SAVED_LIST),
    "POST /search/saved": Operation(
        search.SAVED, bodies.NEW_SAVED_SEARCH, status=201
    ),
    f"GET {_SAVED}": Operation(search.SAVED),
    f"PUT {_SAVED}": Operation(search.SAVED, bodies.SAVED_SEARCH),
    f"DELETE {_SAVED}": Operation(
        None, query=parameters.SAVED_SEARCH_DELETE, status=204
    ),
    f"GET {_SAVED}/hits": Operation(
        search.FOUND, query=parameters.SAVED_SEARCH_HITS
    ),
}
_SERVICE: typing.Final = {
    "GET /resource_types": Operation(service.TYPES, query=parameters.TYPES),
    f"GET {_TYPE}": Operation(service.TYPE, query=parameters.TYPE),
    f"GET {_TYPE}/template": Operation(
        shapes.MAP, query=parameters.TYPE_TEMPLATE
    ),
    "GET /template_versions": Operation(service.VERSIONS),
    "GET /template_versions/{version}/functions": Operation(
        service.FUNCTIONS, query=parameters.FUNCTIONS
    ),
    "POST /validate": Operation(
        service.VALIDATED, bodies.VALIDATE, parameters.VALIDATE
    ),
    "GET /leftovers": Operation(
        operations.LEFTOVERS, query=parameters.LEFTOVERS
    ),
    f"GET {_LEFTOVER}": Operation(operations.LEFTOVER),
    f"POST {_LEFTOVER}/sweep": Operation(operations.LEFTOVER, status=202),
    f"DELETE {_LEFTOVER}": _GONE,
    "GET /drift/pause": Operation(drift.PAUSE),
    "PUT /drift/pause": Operation(drift.PAUSE, query=parameters.PAUSE),
    "DELETE /drift/pause": Operation(drift.PAUSE, query=parameters.PAUSE),
    "GET /lifecycle/plugins": Operation(operations.PLUGINS),
    "GET /lifecycle/holds": Operation(
        operations.HOLDS, query=parameters.HOLDS
    ),
    "GET /services": Operation(service.SERVICES),
    "GET /build_info": Operation(service.BUILD_INFO),
}

TABLE: typing.Final = types.MappingProxyType(
    {
        **_STACKS,
        **_LOOKUPS,
        **_PARTS,
        **_ADOPTION,
        **_SOFTWARE,
        **_SEARCH,
        **_SERVICE,
    }
)
"""Method and path below ``/v1/{project}``, as in ``orch.api.routes``."""

_PASSED_ON: typing.Final = ((202, shapes.NULL),)
_TAKEN: typing.Final = shapes.members(
    {"resource": shapes.TEXT, "metadata": shapes.ANY}
)

SEALED: typing.Final = types.MappingProxyType(
    {
        "POST /v1/signal/{arn}": Operation(
            shapes.NULL,
            shapes.ANY,
            parameters.SEAL,
            others=_PASSED_ON,
            needs_body=False,
        ),
        "PUT /v1/waitcondition/{arn}": Operation(
            _TAKEN,
            shapes.ANY,
            parameters.SEAL,
            others=((202, _TAKEN),),
            needs_body=False,
        ),
    }
)
"""Addresses whose seal is all the proof that they need."""
