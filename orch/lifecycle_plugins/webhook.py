"""Get verdicts from an HTTP service, and notify it of outcomes.

Requests are signed as https://www.standardwebhooks.com says, so that there
are libraries to check them. One section of the settings is one service;
further ones have labels, ``webhook:licences``.
"""

import ipaddress
import os
import pathlib
import random
import threading
import time
import typing
import urllib.parse

import requests

from orch import clock
from orch import errors
from orch import redacted
from orch.clients import egress
from orch.clients import header_names
from orch.clients import webhooks
from orch.lifecycle_plugins import remote_base
from orch.plugin import lifecycle_settings

SCHEMA: typing.Final[dict[str, object]] = {
    **lifecycle_settings.mapping(
        {
            **remote_base.PROPERTIES,
            "url": {
                "type": "string",
                "pattern": "^https?://[^/?#@]+([/?#]|$)",
            },
            "allow_http": {"type": "boolean"},
            "secret_file": lifecycle_settings.TEXT,
            "secret_env": lifecycle_settings.TEXT,
            "headers": {
                "type": "object",
                "additionalProperties": {"type": "string"},
            },
            "ca_file": lifecycle_settings.TEXT,
            "allowed_networks": {
                "type": "array",
                "items": lifecycle_settings.TEXT,
            },
            "refuse_private": {"type": "boolean"},
            "attempts": {"type": "integer", "minimum": 1, "maximum": 20},
            "request_timeout": lifecycle_settings.SECONDS,
        },
        ["url"],
    ),
    "oneOf": [
        {"required": ["secret_file"]},
        {"required": ["secret_env"]},
    ],
}

_MAX_BYTES: typing.Final = 1024 * 1024
_PASSING: typing.Final = (408, 425, 429)
_ATTEMPTS: typing.Final = 4
_REQUEST_TIMEOUT_S: typing.Final = 10.0
_PAUSE_S: typing.Final = 0.5


class WebhookRefused(errors.Permanent):
    """A service understood a call and refuses it."""

    code = "orch.lifecycle.webhook_refused"


class Webhook(remote_base.RemotePlugin):
    """Sends operations to an HTTP service, and takes its verdicts."""

    def __init__(
        self,
        name: str,
        settings: object,
        moments: clock.Clock | None = None,
    ) -> None:
        """Read the settings and the secrets.

        :param moments: what tells the time; ``None`` for the machine's
        :raises orch.errors.Invalid: they are wrong
        """
        super().__init__(name, settings, SCHEMA)
        given = self._given
        self._moments = moments or clock.SystemClock()
        self._url: str = given["url"]
        if self._url.startswith("http:") and not given.get("allow_http"):
            raise errors.Invalid(
                "url: it has to be https, or allow_http has to be true: what"
                " is sent can be read on the way"
            )
        self._host = urllib.parse.urlsplit(self._url).netloc
        self._keys = _keys(given)
        self._attempts: int = given.get("attempts", _ATTEMPTS)
        self._request_timeout_s: float = given.get(
            "request_timeout", _REQUEST_TIMEOUT_S
        )
        self._headers: dict[str, str] = given.get("headers", {})
        header_names.check_names(self._headers, "headers")
        self._egress = _egress(given)
        _check_address(self._url, self._egress)
        self._threads = threading.local()

    def ask(self, call: bytes, call_id: str) -> bytes:
        """Return the body of the service's answer.

        What may pass by itself is tried again, as long as there is time.

        :raises WebhookRefused: the service answered with an error of its own
        :raises orch.errors.Transient: no answer came, again and again
        """
        ends = self._moments.monotonic() + self._limit_s
        attempt = 1
        while True:
            left_s = ends - self._moments.monotonic()
            try:
                return self._ask_once(call, call_id, left_s)
            except errors.Transient as error:
                pause_s = (
                    _PAUSE_S
                    * 2 ** (attempt - 1)
                    * (
                        1 + random.random()  # noqa: S311 - no secret
                    )
                )
                rest_s = ends - self._moments.monotonic() - pause_s
                if attempt >= self._attempts or rest_s <= 0:
                    over = (
                        f"; the {self._limit_s:g} s that it has are over"
                        if rest_s <= 0
                        else ""
                    )
                    raise errors.Transient(
                        f"{error.message} (attempt {attempt}){over}"
                    ) from error
                time.sleep(pause_s)
                attempt += 1

    def sign(self, call: bytes, call_id: str) -> dict[str, str]:
        """Return the headers by which the service knows who sends."""
        return webhooks.signature_headers(
            self._keys, call_id, self._moments.now(), call
        )

    def _ask_once(self, call: bytes, call_id: str, left_s: float) -> bytes:
        ends = self._moments.monotonic() + min(self._request_timeout_s, left_s)
        try:
            answer = self._session().post(
                self._url,
                data=call,
                headers={
                    **self._headers,
                    "content-type": "application/json",
                    "accept": "application/json",
                    **self.sign(call, call_id),
                },
                timeout=max(ends - self._moments.monotonic(), 0.1),
                allow_redirects=False,
                stream=True,
            )
            with answer:
                body = self._read(answer, ends)
        except egress.EgressRefused as error:
            raise _closed(self._host) from error
        except (requests.RequestException, OSError) as error:
            raise errors.Transient(
                f"{self._host} gave no answer:"
                f" {webhooks.describe_error(error)}"
            ) from error
        return self._judge(answer.status_code, body)

    def _read(self, answer: requests.Response, ends: float) -> bytes:
        """Return the body.

        :raises WebhookRefused: it is too long
        :raises orch.errors.Transient: it comes too slowly
        """
        found = bytearray()
        for piece in egress.iterate_body(answer):
            found += piece
            if len(found) > _MAX_BYTES:
                raise WebhookRefused(
                    f"{self._host} answered more than {_MAX_BYTES} bytes"
                )
            if self._moments.monotonic() > ends:
                raise errors.Transient(
                    f"{self._host} gave no whole answer in time"
                )
        return bytes(found)

    def _judge(self, status: int, body: bytes) -> bytes:
        if 200 <= status < 300:
            return body
        line = " ".join(body.decode("utf-8", "replace").split())
        shown = redacted.cut(line, 200)
        said = f"{self._host} answered {status}: {shown or 'nothing'}"
        if status >= 500 or status in _PASSING:
            raise errors.Transient(said)
        raise WebhookRefused(said)

    def _session(self) -> requests.Session:
        """Return the session of this thread."""
        found: requests.Session | None = getattr(
            self._threads, "session", None
        )
        if found is None:
            found = egress.open_session(self._egress)
            self._threads.session = found
        return found


def _keys(given: dict[str, typing.Any]) -> list[bytes]:
    """Return the secrets, one a line; the first is the newest.

    :raises orch.errors.Invalid: there is none, or one is too short
    """
    if "secret_env" in given:
        place = f"the variable {given['secret_env']}"
        text = os.environ.get(given["secret_env"], "")
    else:
        place = given["secret_file"]
        try:
            text = pathlib.Path(place).read_text("utf-8")
        except (OSError, ValueError) as error:
            raise errors.Invalid(
                f"secret_file: {place} cannot be read: {error}"
            ) from error
    return webhooks.parse_keys(text, place)


def _check_address(url: str, allowed: egress.Egress) -> None:
    """Raise Invalid if a URL has an address that may not be reached.

    A name is looked up at each call.

    :raises orch.errors.Invalid: it has one
    """
    host = urllib.parse.urlsplit(url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return
    if not allowed.is_open(address):
        raise errors.Invalid(f"url: {_closed(host).message}")


def _closed(host: str) -> WebhookRefused:
    return WebhookRefused(
        f"{host} is on this machine, its link, or in a private network: name"
        " its network in allowed_networks of this plug-in to send there"
    )


def _egress(given: dict[str, typing.Any]) -> egress.Egress:
    try:
        networks = tuple(
            ipaddress.ip_network(each)
            for each in given.get("allowed_networks", ())
        )
    except ValueError as error:
        raise errors.Invalid(f"allowed_networks: {error}") from error
    return egress.Egress(
        allowed=networks,
        refuses_private=given.get("refuse_private", False),
        ca_file=given.get("ca_file", ""),
    )
