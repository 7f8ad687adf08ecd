"""Send one request to a JSON REST service and check the answer."""

import collections.abc
import dataclasses
import time
import typing

import requests
from oslo_config import cfg

from orch import errors
from orch import json_depth
from orch import redacted
from orch.clients import deadlines
from orch.clients import egress
from orch.clients import ended_calls
from orch.plugin import reality
from orch.resources.http import allowed_urls
from orch.resources.http import certificates

_QUOTED: typing.Final = 300
_MAX_RETRY_AFTER_S: typing.Final = 3600.0
"""How long a service may tell us to stay away."""


_NOT_MODIFIED: typing.Final = 304


class ServiceRefused(errors.Permanent):
    """The service understood the request and refuses it."""

    code = "orch.http.refused"
    is_verdict = False


class NotFound(ServiceRefused):
    """The service has no such physical resource, or none any more."""

    code = "orch.http.not_found"
    is_verdict = True


class Failed(ServiceRefused):
    """The service says that the physical resource is of no use."""

    code = "orch.http.failed"
    shown_as = "ServiceRefused"
    is_verdict = True


class Gone(NotFound, reality.Vanished):
    """A physical resource that the service created does not exist any more."""

    code = "orch.http.gone"


class RetryLater(errors.Transient):
    """The service cannot do it now."""

    code = "orch.http.retry_later"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ErrorStatuses:
    """The meanings of status codes other than success.

    :ivar passing: it may succeed later; so do all others from 500 on, of
        which some say that the service is away
    :ivar busy: another act is under way with the resource
    :ivar quota: a quota is used up
    """

    passing: collections.abc.Collection[int] = (408, 425, 429)
    busy: collections.abc.Collection[int] = (409, 423)
    quota: collections.abc.Collection[int] = (413, 507)


class Answer(typing.NamedTuple):
    """An answer of the service.

    :ivar etag: the header, empty for none
    """

    status: int
    text: str
    retry_after: str
    etag: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to the service.

    :ivar body: sent as JSON; ``None`` sends none
    :ivar statuses: that count as success; empty for 200 to 299
    :ivar errors: what the others mean
    :ivar trust: how the certificate is checked
    """

    method: str
    url: str
    headers: collections.abc.Mapping[str, str]
    body: object = None
    statuses: collections.abc.Collection[int] = ()
    errors: ErrorStatuses = ErrorStatuses()
    trust: certificates.Trust = certificates.DEFAULT_TRUST


class Client:
    """Sends requests within the limits that the operator set."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Keep the options; no connection is kept."""
        self._conf = conf

    def send(self, request: Request) -> object:
        """Send a request.

        :returns: the JSON document of the answer; ``None`` when it is empty
        :raises orch.errors.OrchError: see :meth:`fetch`
        """
        answer = self.fetch(request)
        return None if answer is None else parse_body(request, answer.text)

    def fetch(self, request: Request, known: str = "") -> Answer | None:
        """Send a request; return its answer, not parsed yet.

        :param known: the ``ETag`` of an answer that need not be sent again;
            empty for none
        :returns: ``None`` where that one is what would be sent
        :raises NotFound: 404 or 410
        :raises ServiceRefused: another status that is no success, or an
            answer that cannot be used
        :raises RetryLater: the service cannot do it now
        :raises orch.errors.Busy: another act is under way with the resource
        :raises orch.errors.QuotaExceeded: a quota is used up
        :raises orch.errors.Outage: no server takes the connection, or the
            service is away behind a proxy
        :raises orch.errors.Transient: no answer came in time
        :raises orch.errors.Forbidden: the operator does not allow it
        :raises orch.clients.egress.EgressRefused: it is no place for requests
            that users ask for
        """
        options = self._conf.http_resource
        allowed_urls.check_url(request.url, options.allowed_urls)
        if known:
            headers = {**request.headers, "If-None-Match": known}
            request = dataclasses.replace(request, headers=headers)
        answer = self._exchange(request)
        status = answer.status
        if request.statuses:
            is_good = status in request.statuses
        else:
            is_good = status // 100 == 2
        if is_good:
            return answer
        if status == _NOT_MODIFIED and known:
            return None
        raise _check_answer(request, answer)

    def _exchange(self, request: Request) -> Answer:
        options = self._conf.http_resource
        # Byte by byte an answer may take for ever.
        deadline = deadlines.Deadline(
            options.connect_timeout + options.read_timeout
        )
        try:
            with (
                request.trust.open(options.ca_dir) as verify,
                deadline,
                self._session(deadline) as session,
                session.request(
                    request.method,
                    request.url,
                    headers={"Accept": "application/json", **request.headers},
                    json=request.body,
                    timeout=(options.connect_timeout, options.read_timeout),
                    verify=verify,
                    allow_redirects=False,
                    stream=True,
                ) as answer,
            ):
                return Answer(
                    answer.status_code,
                    self._read(request, answer, deadline),
                    answer.headers.get("Retry-After", ""),
                    answer.headers.get("ETag", ""),
                )
        except (
            requests.exceptions.SSLError,
            requests.exceptions.InvalidHeader,
            requests.exceptions.InvalidURL,
            requests.exceptions.InvalidSchema,
        ) as error:
            if deadline.is_over:
                raise _late(request, options.read_timeout) from error
            raise ServiceRefused(
                f"{_name(request)} cannot be sent: {error}"
            ) from error
        except requests.exceptions.RequestException as error:
            is_outage = ended_calls.is_unsent(error)
            if deadline.is_over and not is_outage:
                raise _late(request, options.read_timeout) from error
            kind = errors.Outage if is_outage else errors.Transient
            unanswered = kind(f"{_name(request)} got no answer: {error}")
            unanswered.is_over = ended_calls.is_unconnected(error)
            raise unanswered from error
        except OSError as error:
            # requests says so when a file of certificates is missing.
            raise ServiceRefused(
                f"{_name(request)} cannot be sent: {error}"
            ) from error

    def _session(self, deadline: deadlines.Deadline) -> requests.Session:
        """Return what connects where it may.

        What the operator has allowed by its URL may stand anywhere.
        """
        within = egress.from_conf(self._conf)
        if self._conf.http_resource.allowed_urls:
            within = dataclasses.replace(within, allowed=egress.ANYWHERE)
        return egress.open_session(within, deadline=deadline)

    def _read(
        self,
        request: Request,
        answer: requests.Response,
        deadline: deadlines.Deadline,
    ) -> str:
        options = self._conf.http_resource
        max_bytes = options.max_response_kib * 1024
        last = time.monotonic() + options.read_timeout
        content = bytearray()
        for piece in egress.iterate_body(answer):
            content += piece
            if len(content) > max_bytes:
                raise ServiceRefused(
                    f"{_name(request)} answered with more than"
                    f" {options.max_response_kib} KiB; the operator may raise"
                    " [http_resource] max_response_kib"
                )
            if time.monotonic() > last:
                raise _late(request, options.read_timeout)
        # A broken connection looks like the end of the answer.
        if deadline.is_over:
            raise _late(request, options.read_timeout)
        return content.decode("utf-8", "replace")


def _late(request: Request, limit_s: float) -> errors.Transient:
    return errors.Transient(
        f"{_name(request)} was not answered whole within {limit_s:g} seconds"
    )


def parse_body(request: Request, text: str) -> object:
    """Return the document of an answer; ``None`` when it is empty.

    :raises ServiceRefused: it is no JSON
    """
    if not text.strip():
        return None
    try:
        document: object = json_depth.parse_json(text)
    except json_depth.TooDeepError as error:
        raise ServiceRefused(f"{_name(request)} answered: {error}") from error
    except ValueError as error:
        raise ServiceRefused(
            f"{_name(request)} answered with something that is no JSON:"
            f" {_quote(text)}"
        ) from error
    return document


def _check_answer(request: Request, answer: Answer) -> errors.OrchError:
    status = answer.status
    said = f"{_name(request)} answered {status}"
    if answer.text.strip():
        said = f"{said}: {_quote(answer.text)}"
    if status in request.errors.quota:
        return errors.QuotaExceeded(said)
    if status in request.errors.busy:
        return errors.Busy(said)
    if status in (404, 410) and status not in request.errors.passing:
        return NotFound(said)
    if status in request.errors.passing or status >= 500:
        is_declared = status in request.errors.passing
        is_away = ended_calls.is_away(status) and not is_declared
        later = errors.Outage(said) if is_away else RetryLater(said)
        later.after_s = _after_s(answer.retry_after)
        later.is_over = ended_calls.is_over_with(status)
        return later
    return ServiceRefused(said)


def _after_s(text: str) -> float | None:
    """Return the seconds of the header ``Retry-After``, as far as it is one.

    The header may name a date instead; then we go by our own intervals.
    """
    text = text.strip()
    if not text.isascii() or not text.isdigit():
        return None
    return min(float(text), _MAX_RETRY_AFTER_S)


def _name(request: Request) -> str:
    """Return the request for people; a query may hold secrets."""
    return f"{request.method} {request.url.partition('?')[0]}"


def _quote(text: str) -> str:
    line = " ".join(text.split())
    return redacted.cut(line, _QUOTED)
