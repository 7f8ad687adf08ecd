"""Writes the OpenAPI 3.1 document, and serves it."""

import collections.abc
import functools
import http
import importlib.metadata
import inspect
import re
import typing

import falcon

from orch.api import codec
from orch.api import problems
from orch.api import routes
from orch.api import web
from orch.api.middleware import context
from orch.api.openapi import operations
from orch.api.openapi import parameters
from orch.api.response_schemas import components
from orch.api.response_schemas import resources
from orch.api.response_schemas import service
from orch.api.response_schemas import shapes

PATH: typing.Final = "/openapi.json"

_ROOT = "/v1/{project}"
_JSON = "application/json"
_XML = "application/xml"
_TEXT = "text/plain"
_NAMED = re.compile(r"{(\w+)}")
_CHANGING = ("POST", "PUT", "PATCH", "DELETE")
_ALWAYS = (400, 401, 403, 404, 429, 503)
_CHANGES = (409, 422)
_WITH_BODY = (413,)
_CONDITIONAL = (412,)
_SAID = {
    302: "The full address is in Location.",
    304: "It is as the sender knows it.",
}
_OPEN: tuple[dict[str, object], ...] = ({},)

Json = dict[str, object]


def build(table: collections.abc.Iterable[routes.Route]) -> Json:
    """Return the document of these addresses.

    :raises KeyError: one of them is not in ``openapi.operations``
    """
    paths: dict[str, Json] = {}
    for route in table:
        for method in route.methods.split():
            found = operations.TABLE[f"{method} {route.path}"]
            told = _described(method, _ROOT + route.path, found)
            told["summary"] = _summary(route.handler)
            if route.rule is not None:
                told["x-policy-rule"] = route.rule
            _put(paths, method, _ROOT + route.path, told)
            own = f"/v1{route.path}"
            if own in context.OWN:
                _put(paths, method, own, _without_project(method, own, told))
    for line, found in operations.SEALED.items():
        method, path = line.split()
        told = _described(method, path, found)
        told["summary"] = "Take in a signal at a sealed address."
        told["security"] = list(_OPEN)
        _put(paths, method, path, told)
    paths.update(_open_paths())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Orch",
            "summary": "Heat's orchestration API v1, and more.",
            "version": importlib.metadata.version("orch"),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": components.ALL,
            "responses": {"Fault": _fault()},
            "securitySchemes": {
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Auth-Token",
                },
                "basic": {"type": "http", "scheme": "basic"},
            },
        },
        "security": [{"token": []}, {"basic": []}, {}],
    }


class Served:
    """Address ``/openapi.json``; who asks need not be known."""

    def __init__(self, make: collections.abc.Callable[[], Json]) -> None:
        """Prepare to write the document at the first request.

        :param make: its answer is kept
        """
        self._document = functools.cache(make)

    def on_get(self, req: web.Request, resp: falcon.Response) -> None:
        """Show the document, with the address that the request came to."""
        servers = [{"url": req.base_url}]
        resp.content_type = _JSON
        resp.data = codec.dumps({**self._document(), "servers": servers})


def _without_project(method: str, path: str, told: Json) -> Json:
    """Return what is told of the same address with a project in it."""
    parameters_ = typing.cast(list[Json], told["parameters"])
    return {
        **told,
        "operationId": _identifier(method, path),
        "parameters": [
            *(each for each in parameters_ if each["in"] != "path"),
            parameters.OWN_PROJECT,
        ],
    }


def _put(
    paths: dict[str, Json], method: str, path: str, described: Json
) -> None:
    paths.setdefault(path, {})[method.lower()] = described


def _described(method: str, path: str, one: operations.Operation) -> Json:
    """Return an operation without what the route says of it."""
    told: Json = {
        "operationId": _identifier(method, path),
        "tags": [_tag(path)],
        "responses": _responses(method, path, one),
    }
    found = [
        *(parameters.path(name) for name in _NAMED.findall(path)),
        *one.query,
        *_headers(method, path),
    ]
    if found:
        told["parameters"] = found
    if one.body is not None:
        told["requestBody"] = {
            "required": one.needs_body,
            "content": {_JSON: {"schema": one.body}},
        }
    return told


def _headers(
    method: str, path: str
) -> collections.abc.Iterator[parameters.Parameter]:
    if method in _CHANGING and path.startswith(_ROOT):
        yield parameters.IDEMPOTENCY_KEY
        yield parameters.LIFECYCLE_OVERRIDE
        if "{stack_id}" in path:
            yield parameters.IF_MATCH
    if method == "GET" and path.endswith("/{stack_id}"):
        yield parameters.IF_NONE_MATCH
    if _may_stream(method, path):
        yield parameters.LAST_EVENT_ID


def _may_stream(method: str, path: str) -> bool:
    """Answer whether events can be followed at an address."""
    return method == "GET" and path.endswith("}/events")


def _responses(method: str, path: str, one: operations.Operation) -> Json:
    answers = {one.status: one.answer, **dict(one.others)}
    told: Json = {
        str(status): _success(method, path, status, schema, one.media_type)
        for status, schema in answers.items()
    }
    for status in _errors(method, path, one):
        told[str(status)] = {"$ref": "#/components/responses/Fault"}
    return told


def _errors(
    method: str, path: str, one: operations.Operation
) -> collections.abc.Iterator[int]:
    yield from _ALWAYS
    if method in _CHANGING:
        yield from _CHANGES
        if "{stack_id}" in path:
            yield from _CONDITIONAL
    if one.body is not None:
        yield from _WITH_BODY


def _success(
    method: str,
    path: str,
    status: int,
    schema: shapes.Schema | None,
    media_type: str,
) -> Json:
    said = _SAID.get(status, http.HTTPStatus(status).phrase)
    told: Json = {"description": said}
    if schema is not None:
        told["content"] = {media_type: {"schema": schema}}
        if _may_stream(method, path):
            told["content"] = {
                _JSON: {"schema": schema},
                web.EVENT_STREAM: {"schema": resources.STREAMED},
            }
    headers = []
    if status in (201, 302):
        headers.append("Location")
    if method == "GET" and path.endswith("/{stack_id}"):
        headers.append("ETag")
    if headers:
        told["headers"] = {name: {"schema": shapes.TEXT} for name in headers}
    return told


def _fault() -> Json:
    told = {"schema": shapes.ref("Fault")}
    return {
        "description": "Why it was refused, or failed.",
        "content": {
            _JSON: told,
            problems.MEDIA_TYPE: told,
            _XML: {"schema": shapes.TEXT},
        },
    }


def _open_paths() -> dict[str, Json]:
    choice = {_JSON: {"schema": service.CHOICES}}
    text = {_TEXT: {"schema": shapes.TEXT}}
    document = {_JSON: {"schema": shapes.MAP}}
    return {
        path: {
            "get": {
                "operationId": identifier,
                "summary": summary,
                "tags": ["service"],
                "security": list(_OPEN),
                "responses": {
                    str(status): {
                        "description": http.HTTPStatus(status).phrase,
                        "content": content,
                    }
                    for status, content in answers.items()
                },
            }
        }
        for path, identifier, summary, answers in (
            ("/", "get_root", "List the versions.", {300: choice}),
            ("/versions", "get_versions", "List the versions.", {300: choice}),
            (PATH, "get_document", "Show this document.", {200: document}),
            (
                "/healthcheck",
                "get_healthcheck",
                "Say that this process lives.",
                {200: text},
            ),
            (
                "/readiness",
                "get_readiness",
                "Say whether requests can be answered now.",
                {200: text, 503: text},
            ),
        )
    }


def _identifier(method: str, path: str) -> str:
    words = re.findall(r"\w+", path.removeprefix(_ROOT))
    return "_".join([method.lower(), *words])


def _tag(path: str) -> str:
    """Return the first word of the path, a kind of thing."""
    return path.removeprefix(_ROOT).removeprefix("/v1").split("/")[1]


def _summary(handler: object) -> str:
    return (inspect.getdoc(handler) or "").partition("\n")[0]
