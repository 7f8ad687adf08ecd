"""Sends one request to a JSON REST service and judges the answer."""

import collections.abc
import dataclasses
import json
import time
import typing

import requests
from oslo_config import cfg
from urllib3 import exceptions

from orch import errors
from orch.resources.http import fence

_CHUNK: typing.Final = 65536
_QUOTED: typing.Final = 300
_PASSING: typing.Final = (408, 425, 429)
"""Statuses below 500 that may be another one the next time."""


class ServiceRefused(errors.Permanent):
    """The service understood the request and does not do it."""

    code = "orch.http.refused"


class NotThere(ServiceRefused):
    """The service knows no such thing, or none any more."""

    code = "orch.http.not_there"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request.

    :ivar body: sent as JSON; ``None`` sends none
    :ivar statuses: that count as success; empty for 200 to 299
    :ivar verify: whether the certificate is checked, or by which file
    """

    method: str
    url: str
    headers: collections.abc.Mapping[str, str]
    body: object = None
    statuses: collections.abc.Collection[int] = ()
    verify: bool | str = True


class Client:
    """Requests within the limits that the operator set."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Keep the options; no connection is kept."""
        self._conf = conf

    def send(self, request: Request) -> object:
        """Send a request.

        :returns: the JSON document of the answer; ``None`` when it is empty
        :raises NotThere: 404 or 410
        :raises ServiceRefused: another status that is no success, or an
            answer that cannot be used
        :raises orch.errors.Transient: the same request may succeed later
        :raises orch.errors.Forbidden: the operator does not allow it
        """
        options = self._conf.http_resource
        fence.check(request.url, options.allowed_urls)
        status, text = self._exchange(request)
        if request.statuses:
            is_good = status in request.statuses
        else:
            is_good = status // 100 == 2
        if not is_good:
            raise _judge(request, status, text)
        if not text.strip():
            return None
        try:
            document: object = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ServiceRefused(
                f"{_name(request)} answered {status} with something that is"
                f" no JSON: {_quote(text)}"
            ) from error
        return document

    def _exchange(self, request: Request) -> tuple[int, str]:
        options = self._conf.http_resource
        try:
            with requests.Session() as session:
                # Neither .netrc nor variables of the worker decide here.
                session.trust_env = False
                with session.request(
                    request.method,
                    request.url,
                    headers={"Accept": "application/json", **request.headers},
                    json=request.body,
                    timeout=(options.connect_timeout, options.read_timeout),
                    verify=request.verify,
                    allow_redirects=False,
                    stream=True,
                ) as answer:
                    return answer.status_code, self._read(request, answer)
        except (
            requests.exceptions.SSLError,
            requests.exceptions.InvalidHeader,
            requests.exceptions.InvalidURL,
            requests.exceptions.InvalidSchema,
        ) as error:
            raise ServiceRefused(
                f"{_name(request)} cannot be sent: {error}"
            ) from error
        except requests.exceptions.RequestException as error:
            raise errors.Transient(
                f"{_name(request)} got no answer: {error}"
            ) from error
        except OSError as error:
            # requests says so when the file of certificates is missing.
            raise ServiceRefused(
                f"{_name(request)} cannot be sent: {error}"
            ) from error

    def _read(self, request: Request, answer: requests.Response) -> str:
        options = self._conf.http_resource
        most = options.max_response_kib * 1024
        last = time.monotonic() + options.read_timeout
        content = bytearray()
        for piece in _pieces(answer):
            content += piece
            if len(content) > most:
                raise ServiceRefused(
                    f"{_name(request)} answered with more than"
                    f" {options.max_response_kib} KiB; the operator may raise"
                    " [http_resource] max_response_kib"
                )
            if time.monotonic() > last:
                raise errors.Transient(
                    f"{_name(request)} was not answered whole within"
                    f" {options.read_timeout:g} seconds"
                )
        return content.decode("utf-8", "replace")


def _pieces(answer: requests.Response) -> collections.abc.Iterator[bytes]:
    """Yield what has come, however little, so that nobody can trickle.

    :raises requests.RequestException: nothing more comes
    """
    try:
        while piece := answer.raw.read1(_CHUNK, decode_content=True):
            yield piece
    except exceptions.HTTPError as error:
        raise requests.ConnectionError(str(error)) from error


def _judge(request: Request, status: int, text: str) -> errors.OrchError:
    said = f"{_name(request)} answered {status}"
    if text.strip():
        said = f"{said}: {_quote(text)}"
    if status in (404, 410):
        return NotThere(said)
    if status >= 500 or status in _PASSING:
        return errors.Transient(said)
    return ServiceRefused(said)


def _name(request: Request) -> str:
    """Return the request for people; a query may hold secrets."""
    return f"{request.method} {request.url.partition('?')[0]}"


def _quote(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"
