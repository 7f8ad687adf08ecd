"""Sends requests to one endpoint, and raises errors of the client's tree."""

import collections.abc
import contextlib
import json as json_
import re
import typing
import urllib.parse
import uuid

import requests
from keystoneauth1 import adapter as adapters
from keystoneauth1 import exceptions
from keystoneauth1 import plugin

from orchclient import errors
from orchclient import response_parser

Query = collections.abc.Mapping[str, object]
Headers = collections.abc.Mapping[str, str]
Wait = float | tuple[float, float]

JSON: typing.Final = "application/json"
EVENT_STREAM: typing.Final = "text/event-stream"
_REQUEST_ID = "X-Openstack-Request-Id"
_KEY = "Idempotency-Key"
_OVERRIDE = "Lifecycle-Override"
_READING = ("GET", "HEAD")
_CONNECT_TIMEOUT_S = 10.0
_RETRIES = 2
_REDIRECTS = 4


class Transport:
    """Sends requests to one endpoint, of one project.

    :param adapter: knows session and endpoint
    :param timeout_s: how long one answer may take
    :param owns_session: close the session's connections with this one
    :ivar override_reason: why requests override denials of lifecycle plug-ins;
        ``None`` where they do not
    """

    def __init__(
        self,
        adapter: adapters.Adapter,
        timeout_s: float,
        *,
        owns_session: bool = False,
    ) -> None:
        self._adapter = adapter
        self._timeout_s = timeout_s
        self._owns_session = owns_session
        self.override_reason: str | None = None

    def beside(self, service_type: str) -> "Transport":
        """Return the transport to another service of the same cloud.

        :raises orchclient.errors.LoginError: the login leads to no catalog
        """
        known = self._adapter
        session = known.session
        auth = known.auth or session.auth
        if isinstance(auth, plugin.FixedEndpointPlugin):
            raise errors.LoginError(
                f"The service {service_type} is needed too: log in to a cloud"
                " whose catalog names it."
            )
        return Transport(
            adapters.Adapter(
                session,
                auth=known.auth,
                service_type=service_type,
                interface=known.interface,
                region_name=known.region_name,
                client_name=known.client_name,
            ),
            self._timeout_s,
        )

    def endpoint(self) -> str:
        """Return the address of the service, no slash at the end.

        :raises orchclient.errors.Error: it cannot be found out
        """
        try:
            found = self._adapter.get_endpoint()
        except exceptions.ClientException as error:
            raise errors.LoginError(str(error)) from error
        if not found:
            raise self._not_named()
        return str(found).rstrip("/")

    def _not_named(self) -> errors.ConnectError:
        return errors.ConnectError(
            f"The catalog of the cloud names no {self._adapter.service_type}"
            " service: give an endpoint."
        )

    def get(self, path: str, query: Query | None = None) -> object:
        """Send a GET; return the parsed response."""
        return parse_body(self.send("GET", path, query=query))

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Query | None = None,
        headers: Headers | None = None,
    ) -> object:
        """Send a request; return the parsed response; ``None``: it is empty.

        :param body: sent as JSON; ``None`` sends none
        :raises orchclient.errors.ApiError: the status is 400 or above
        :raises orchclient.errors.Error: there was no answer
        """
        return parse_body(
            self.send(method, path, body, query=query, headers=headers)
        )

    def ask_once(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Query | None = None,
        headers: Headers | None = None,
        key: str | None = None,
    ) -> object:
        """Send a request with an idempotency key, so that it is done once.

        The request has a key by which the service recognises it, so that
        it can be sent again when the connection breaks.

        :param key: ``None`` makes a new one
        """
        known = {_KEY: key or str(uuid.uuid4()), **(headers or {})}
        return self.ask(method, path, body, query=query, headers=known)

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Query | None = None,
        headers: Headers | None = None,
        redirects: int = _REDIRECTS,
    ) -> requests.Response:
        """Send a request; return the response; raises as :meth:`ask`."""
        sent = {"Accept": JSON, **(headers or {})}
        if self.override_reason is not None and method not in _READING:
            sent[_OVERRIDE] = urllib.parse.quote(self.override_reason)
        answer = self._request(
            method,
            path,
            body,
            query=query,
            headers=sent,
            redirects=redirects,
            timeout=(_CONNECT_TIMEOUT_S, self._timeout_s),
        )
        if answer.status_code >= 400:
            raise errors.error_of(read_error(answer))
        return answer

    @contextlib.contextmanager
    def stream(
        self,
        path: str,
        *,
        query: Query,
        headers: Headers,
        silence_s: float,
    ) -> collections.abc.Iterator[requests.Response]:
        """Return a response whose body is read as it comes.

        :param silence_s: how long nothing at all may come
        :raises orchclient.errors.ApiError: the status is 400 or above
        :raises orchclient.errors.Error: there was no answer
        """
        answer = self._request(
            "GET",
            path,
            None,
            query=query,
            headers=headers,
            redirects=_REDIRECTS,
            timeout=(_CONNECT_TIMEOUT_S, silence_s),
            is_stream=True,
        )
        with contextlib.closing(answer):
            if answer.status_code >= 400:
                raise errors.error_of(read_error(answer))
            yield answer

    def close(self) -> None:
        """Close the connections, unless the session is the caller's."""
        if self._owns_session:
            self._adapter.session.session.close()

    def _request(
        self,
        method: str,
        path: str,
        body: object,
        *,
        query: Query | None,
        headers: Headers,
        redirects: int,
        timeout: Wait,
        is_stream: bool = False,
    ) -> requests.Response:
        # A connection may break after the request came through: sent twice
        # is only what changes nothing, or what the service knows again.
        can_repeat = method == "GET" or _KEY in headers
        try:
            return self._adapter.request(
                path + _query_string(query),
                method,
                json=body,
                headers=dict(headers),
                redirect=redirects,
                timeout=timeout,
                stream=is_stream,
                connect_retries=_RETRIES if can_repeat else 0,
                raise_exc=False,
            )
        except exceptions.ConnectionError as error:
            raise errors.ConnectError(
                f"No answer to {method} {path}: {_why(error)}"
            ) from error
        except exceptions.EndpointNotFound as error:
            raise self._not_named() from error
        except exceptions.ClientException as error:
            raise errors.LoginError(str(error)) from error


def parse_body(answer: requests.Response) -> object:
    """Return the parsed body of a response, ``None`` where it is empty.

    :raises orchclient.errors.AnswerError: it is no JSON
    """
    if not answer.content:
        return None
    try:
        return typing.cast(object, answer.json())
    except ValueError as error:
        raise errors.AnswerError(
            f"{answer.url} answered no JSON: {answer.text[:80]!r}"
        ) from error


def _why(error: BaseException) -> str:
    """Return what the operating system said, else what the library did."""
    each: BaseException | None = error
    while each is not None:
        if isinstance(each, OSError) and each.strerror:
            return each.strerror
        each = each.__context__
    return str(error)


def quote_part(text: str) -> str:
    """Quote a text as one part of a path."""
    return urllib.parse.quote(text, safe="")


def read_error(answer: requests.Response) -> errors.ErrorDetails:
    """Return the error details of a response.

    The body is Heat's, one of problem details (RFC 9457), both in one, or
    what a proxy between us and the service has written.
    """
    try:
        body = answer.json()
    except ValueError:
        body = None
    document: response_parser.Json = body if isinstance(body, dict) else {}
    given = document.get("error")
    error_body: response_parser.Json = given if isinstance(given, dict) else {}
    return errors.ErrorDetails(
        status=answer.status_code,
        message=_message(answer, document, error_body),
        type=response_parser.get_text(error_body, "type"),
        code=_code(document, error_body),
        title=response_parser.get_text(document, "title")
        or str(answer.reason or ""),
        request_id=_request_id(answer, document),
        problems=_problems(document),
        retry_after_s=_retry_after(answer),
    )


def _message(
    answer: requests.Response,
    document: response_parser.Json,
    error_body: response_parser.Json,
) -> str:
    for body, key in (
        (error_body, "message"),
        (document, "detail"),
        (document, "explanation"),
        (document, "title"),
    ):
        found = response_parser.get_text(body, key)
        if found:
            return found
    said = re.sub(r"<[^>]*>|\s+", " ", answer.text or "").strip()
    return said[:500] or f"HTTP {answer.status_code} {answer.reason or ''}"


def _code(
    document: response_parser.Json, error_body: response_parser.Json
) -> str:
    """Return Orch's code; ``code`` of Heat's body is the HTTP status."""
    for body, key in (
        (error_body, "code"),
        (document, "code"),
        (document, "error_code"),
    ):
        value = body.get(key)
        if isinstance(value, str):
            return value
    return ""


def _request_id(
    answer: requests.Response, document: response_parser.Json
) -> str:
    header: str = answer.headers.get(_REQUEST_ID, "")
    return header or response_parser.get_text(document, "request_id")


def _problems(document: response_parser.Json) -> tuple[errors.Problem, ...]:
    found = document.get("problems")
    if not isinstance(found, list):
        return ()
    return tuple(
        errors.Problem(
            message=response_parser.get_text(each, "message"),
            path=response_parser.get_text(each, "path"),
            advice=response_parser.get_text(each, "advice"),
            file=response_parser.get_text(each, "file"),
            line=response_parser.get_integer(each, "line"),
            column=response_parser.get_integer(each, "column"),
        )
        for each in found
        if isinstance(each, dict)
    )


def _retry_after(answer: requests.Response) -> float | None:
    value = answer.headers.get("Retry-After", "")
    return float(value) if re.fullmatch(r"\d{1,9}", value) else None


def _query_string(query: Query | None) -> str:
    """Return the query string; ``None`` and empty sequences are left out.

    Sequences are repeated; truth is written as the service reads it.
    """
    pairs: list[tuple[str, str]] = []
    for key, value in (query or {}).items():
        many = value if isinstance(value, list | tuple) else (value,)
        pairs.extend(
            (key, _written(each)) for each in many if each is not None
        )
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def _written(value: object) -> str:
    if isinstance(value, bool):
        return json_.dumps(value)
    return str(value)
