"""Check whether a process on this machine serves requests."""

import collections.abc
import contextlib
import dataclasses
import http.client
import socket
import typing
import urllib.parse

from orch import errors

_PROPERTY: typing.Final = "health_check"
_LIMIT_S: typing.Final = 0.8
_LOOPBACK: typing.Final = ("127.0.0.1", "localhost", "::1")
DEFAULT_TIMEOUT_S: typing.Final = 30.0


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """How to determine whether a process serves requests.

    :ivar host: an address or name of the loopback interface
    :ivar target: path and query to ask for by HTTP; ``None`` only connects
    :ivar timeout_s: seconds from its start within which it has to serve
    """

    host: str
    port: int
    target: str | None
    timeout_s: float

    def find_problem(self) -> str:
        """Return why the process does not serve, empty when it does.

        It answers within a second.
        """
        try:
            if self.target is not None:
                return self._ask(self.target)
            socket.create_connection((self.host, self.port), _LIMIT_S).close()
        except (OSError, http.client.HTTPException) as error:
            text = str(error) or type(error).__name__
            return f"no answer on port {self.port} ({text})"
        return ""

    def is_port_taken(self) -> bool:
        """Whether a process listens there already."""
        return not dataclasses.replace(self, target=None).find_problem()

    def _ask(self, target: str) -> str:
        connection = http.client.HTTPConnection(
            self.host, self.port, timeout=_LIMIT_S
        )
        with contextlib.closing(connection):
            connection.request("GET", target)
            status = connection.getresponse().status
        if status // 100 == 2:
            return ""
        return f"{target} on port {self.port} answers {status}"


def parse_check(
    given: collections.abc.Mapping[str, object] | None,
) -> Check | None:
    """Return the check that the property ``health_check`` describes.

    :raises orch.errors.Invalid: it names no place on this machine, or two
    """
    if not given:
        return None
    port, url = given.get("port"), given.get("url")
    if (port is None) == (url is None):
        raise errors.property_error(
            _PROPERTY, "takes either port or url, one of them"
        )
    timeout = given.get("timeout_s")
    timeout_s = DEFAULT_TIMEOUT_S if timeout is None else float(str(timeout))
    if isinstance(port, int):
        return Check(_LOOPBACK[0], port, None, timeout_s)
    return _parse_url(str(url), timeout_s)


def _parse_url(url: str, timeout_s: float) -> Check:
    try:
        split = urllib.parse.urlsplit(url)
        port = split.port or 80
    except ValueError as error:
        raise errors.property_error(
            _PROPERTY, f"has a url that cannot be read: {error}"
        ) from error
    query = f"?{split.query}" if split.query else ""
    target = f"{split.path or '/'}{query}"
    is_encoded = target.isascii() and target.isprintable()
    for is_right, problem in (
        (split.scheme == "http", "needs a url that begins with http://"),
        (
            split.hostname in _LOOPBACK,
            "asks only on this machine; the url needs the host 127.0.0.1,"
            " localhost or [::1]",
        ),
        (
            is_encoded and " " not in target,
            "needs a url whose path is percent-encoded",
        ),
    ):
        if not is_right:
            raise errors.property_error(_PROPERTY, problem)
    return Check(str(split.hostname), port, target, timeout_s)
