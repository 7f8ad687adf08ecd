"""Send one request to a service of the cloud, and check its answer.

The clients of this package use a keystoneauth session, which logs in, finds
the endpoint and repeats a request with a new token where that is needed.
"""

import collections.abc
import importlib
import re
import typing
import urllib.parse

import requests

from orch import errors
from orch import redacted
from orch.clients import ended_calls

if typing.TYPE_CHECKING:
    # Plug-ins import this, and a worker without a cloud never needs these.
    from keystoneauth1 import adapter
    from openstack import connection

Params = collections.abc.Mapping[str, str | list[str]]
"""What stands behind the path; a list is the same name several times."""

_CREATING: typing.Final = "POST"
_QUOTED: typing.Final = 300
_NO_SEGMENTS: typing.Final = ("", ".", "..")
_PASSING: typing.Final = (408, 425, 429)
_GONE: typing.Final = (404, 410)
_TOO_LARGE: typing.Final = 413
_QUOTA: typing.Final = (507,)
_MAYBE_QUOTA: typing.Final = (403, 409)
"""Nova answers the first of them where a quota is used up, Neutron the
second; only the text tells."""
_BUSY: typing.Final = (409, 423)
_LASTING: typing.Final = re.compile(
    r"IpAddressAlreadyAllocated|IpAddressInUse|MacAddressInUse|VlanIdInUse"
    r"|FlatNetworkInUse|TunnelIdInUse|Multiple possible networks found"
    r"|Duplicate entry|port with MAC address \S+ already exists"
)
"""Conflicts that only another request resolves: of Neutron by the type of the
error, of Nova, Keystone and Ironic by the text."""
_OF_THE_CALLER: typing.Final = (401, 403, 407)
"""They say who may not ask, and nothing of what was asked about."""


class CloudRefused(errors.Permanent):
    """A service of the cloud understood the request and refuses it.

    :ivar service_message: what the service alone said; the first of several
        problems
    :ivar status: of the answer, where there was one
    """

    code = "orch.cloud.refused"
    service_message = ""
    status: int | None = None


class CloudNotFound(CloudRefused):
    """A service of the cloud has no such resource, or none any more."""

    code = "orch.cloud.not_found"


class TooLarge(errors.QuotaExceeded):
    """413: the request or its quota exceeds what the service takes."""


class NoPath(CloudRefused):
    """A name cannot be one part of a path; nothing was sent."""

    code = "orch.cloud.no_path"


class NoService(errors.Permanent):
    """The cloud has no such service, or does not accept this login."""

    code = "orch.cloud.no_service"
    is_verdict = False


def service_of(
    cloud: "connection.Connection",
    service_type: str,
    region_name: str | None = None,
    version: str | None = None,
) -> "adapter.Adapter":
    """Return what speaks to a service of a cloud; nothing is sent yet.

    :param region_name: ``None`` for that of the connection
    :param version: of its interface, whose address is asked for where the
        catalogue does not name it; ``None`` for the address of the catalogue
    """
    kind = service_type.replace("-", "_")
    adapters = importlib.import_module("keystoneauth1.adapter")
    created: adapter.Adapter = adapters.Adapter(
        session=cloud.session,
        service_type=service_type,
        interface=cloud.config.get_interface(kind),
        region_name=region_name or cloud.config.get_region_name(kind),
        version=version,
    )
    return created


def path_segment(name: str) -> str:
    """Return a name as one part of a path, whatever stands in it.

    Dots alone lead elsewhere however they are quoted: requests takes
    ``%2E`` for a dot again, and so do servers on the way.

    :raises NoPath: it is empty, ``.`` or ``..``
    """
    if name in _NO_SEGMENTS:
        raise NoPath(f"no path can lead to something that is named {name!r}")
    return urllib.parse.quote(name, safe="")


def is_found_by_path(name: str) -> bool:
    """Whether services find a name that is one part of a path.

    Many of them take ``%2F`` for a slash.
    """
    return name not in _NO_SEGMENTS and "/" not in name


def send_request(
    service: "adapter.Adapter",
    method: str,
    path: str,
    *,
    json: object = None,
    data: bytes | None = None,
    headers: collections.abc.Mapping[str, str] | None = None,
    params: Params | None = None,
    microversion: str | None = None,
    is_secret: bool = False,
    is_streamed: bool = False,
) -> requests.Response:
    """Send a request; return its answer, which is one of success.

    :param service: bound to the type of the service, and to a region
    :param path: below the endpoint of the service
    :param microversion: of the interface of the service; ``None`` for the
        one that it takes without being told
    :param is_secret: keystoneauth logs nothing of it, however much it logs
    :param is_streamed: the caller reads the body of the answer, and closes it
    :param json: body, sent as JSON; ``None`` sends none
    :raises CloudNotFound: 404 or 410
    :raises NoService: no endpoint, or this login has no access
    :raises CloudRefused: another status that is no success
    :raises orch.errors.Busy: 409 or 423, unless only another request resolves
        the conflict (``CloudRefused`` then)
    :raises orch.errors.QuotaExceeded: a quota is used up
    :raises orch.errors.Outage: no server takes the connection, or the service
        is away behind a proxy
    :raises orch.errors.Transient: no answer came in time, or the service
        cannot do it now; whether it was done is not known
    """
    what = f"{method} {service.service_type}{path}"
    more: dict[str, object] = {} if json is None else {"json": json}
    if data is not None:
        more["data"] = data
    if is_streamed:
        more["stream"] = True
    if microversion is not None:
        more["microversion"] = microversion
    if method == _CREATING:
        # keystoneauth would repeat also what was sent and got no answer.
        more["connect_retries"] = 0
    try:
        answer = service.request(
            path,
            method,
            headers=dict(headers or {}),
            params=dict(params or {}),
            raise_exc=False,
            log=not is_secret,
            **more,
        )
    except Exception as error:
        raise of_exception(error, what) from error
    if answer.status_code >= 300:
        raise _check_answer(answer, what)
    return answer


def endpoint_of(service: "adapter.Adapter") -> str:
    """Return the address of a service, without a slash at its end.

    :raises NoService: it has none, or this login has no access
    :raises orch.errors.Transient: it cannot be asked for now
    """
    what = f"the endpoint of {service.service_type}"
    try:
        found = service.get_endpoint()
    except Exception as error:
        raise of_exception(error, what) from error
    if not found:
        raise NoService(f"{what} is not in the catalogue of the cloud")
    return str(found).rstrip("/")


def has_service(cloud: "connection.Connection", service_type: str) -> bool:
    """Return whether the catalogue has a service.

    :raises orch.errors.OrchError: it is empty, or cannot be read now
    """
    exceptions = importlib.import_module("keystoneauth1.exceptions")
    try:
        return bool(service_of(cloud, service_type).get_endpoint())
    except exceptions.EmptyCatalog as error:
        raise NoService("the catalogue is empty") from error
    except exceptions.EndpointNotFound:
        return False
    except Exception as error:
        raise of_exception(error, "the catalogue") from error


def read_body(answer: requests.Response) -> dict[str, object]:
    """Return the JSON object that an answer holds.

    :raises CloudRefused: it holds none
    """
    try:
        found = answer.json()
    except ValueError:
        found = None
    if not isinstance(found, dict):
        error = CloudRefused(
            f"{answer.url} answered no JSON object; is it the right service?"
        )
        error.is_verdict = False
        raise error
    return found


def of_exception(error: Exception, what: str) -> Exception:
    """Return what an exception of keystoneauth means.

    :param what: was asked, for people
    :returns: the same where it says nothing of the cloud
    """
    said = f"{what}: {error}"
    exceptions = importlib.import_module("keystoneauth1.exceptions")
    if isinstance(error, exceptions.ConnectTimeout):
        return _unanswered(errors.Transient(said), error)
    if isinstance(error, exceptions.ConnectFailure):
        return _unanswered(errors.Outage(said), error)
    if isinstance(error, exceptions.ConnectionError):
        return errors.Transient(said)
    if isinstance(error, exceptions.HttpError):
        # The login is a request of its own.
        if error.http_status >= 500 or error.http_status in _PASSING:
            passing = _passing(error.http_status)(said)
            passing.is_over = True
            return passing
        return NoService(said)
    if isinstance(error, exceptions.ClientException):
        return NoService(said)
    return error


def _unanswered(
    unanswered: errors.Transient, error: Exception
) -> errors.Transient:
    """Return an error that says whether the request may have arrived.

    keystoneauth raises the same for what was sent and what was not.
    """
    unanswered.is_over = ended_calls.is_unconnected(error.__context__)
    return unanswered


def _check_answer(answer: requests.Response, what: str) -> errors.OrchError:
    status = answer.status_code
    said = f"{what} answered {status}: {_error_message(answer)}"
    if status in _GONE:
        return CloudNotFound(said)
    if status == _TOO_LARGE:
        return TooLarge(said)
    if status in _QUOTA or (status in _MAYBE_QUOTA and _is_of_quota(answer)):
        return errors.QuotaExceeded(said)
    if status in _BUSY and not _is_lasting(answer):
        return errors.Busy(said)
    if status >= 500 or status in _PASSING:
        passing = _passing(status)(said)
        passing.after_s = _after_s(answer.headers.get("Retry-After", ""))
        passing.is_over = ended_calls.is_over_with(status)
        return passing
    error = CloudRefused(said)
    error.service_message = _first_message(answer)
    error.status = status
    error.is_verdict = status not in _OF_THE_CALLER
    return error


def _passing(status: int) -> type[errors.Transient]:
    return errors.Outage if ended_calls.is_away(status) else errors.Transient


def _after_s(text: str) -> float | None:
    """Return the seconds that a header tells; a date in it is not read."""
    text = text.strip()
    return float(text) if text.isascii() and text.isdigit() else None


def _is_of_quota(answer: requests.Response) -> bool:
    message = _error_message(answer).lower()
    return "quota" in message and "exceeded" in message


def _is_lasting(answer: requests.Response) -> bool:
    """Whether a conflict does not pass by itself."""
    text = _error_message(answer)
    return bool(_LASTING.search(f"{_error_type(answer)} {text}"))


def _error_type(answer: requests.Response) -> str:
    """Return the type of an error of Neutron; empty for none."""
    try:
        found = answer.json()["NeutronError"]["type"]
    except (ValueError, LookupError, TypeError):
        return ""
    return str(found)


def _first_message(answer: requests.Response) -> str:
    """Return the first problem that the service tells."""
    try:
        found = answer.json()
    except ValueError:
        return _error_message(answer)
    problems = found.get("problems") if isinstance(found, dict) else None
    first = problems[0] if isinstance(problems, list) and problems else {}
    if isinstance(first, dict) and first.get("message"):
        return str(first["message"])
    return _message(found) or _error_message(answer)


def _error_message(answer: requests.Response) -> str:
    """Return what the service says in its error, cut short."""
    try:
        found = answer.json()
    except ValueError:
        found = None
    text = _message(found) or answer.text
    line = " ".join(text.split())
    return redacted.cut(line, _QUOTED)


def _message(found: object) -> str:
    """Return the message within an error of one of the usual forms."""
    if not isinstance(found, dict):
        return ""
    for inner in (found, *found.values()):
        if isinstance(inner, dict) and isinstance(inner.get("message"), str):
            return str(inner["message"])
    return ""
