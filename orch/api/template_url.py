"""Fetches the template that a request names by its address."""

import collections.abc
import urllib.parse

import requests
from urllib3 import exceptions

from orch import clock
from orch import errors

_CHUNK = 65536


def fetch(url: str, *, limit: int, timeout_s: float, time: clock.Clock) -> str:
    """Return the text at an address.

    :param limit: bytes; -1 for no limit
    :param timeout_s: seconds until all of it must be here
    :raises orch.errors.Invalid: it is not to be had, or no text
    :raises orch.errors.LimitExceeded: it is longer than the limit
    """
    deadline = time.monotonic() + timeout_s
    try:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"template_url is not http or https: {url!r}")
        with requests.get(url, stream=True, timeout=timeout_s) as found:
            found.raise_for_status()
            return _read(found, limit, deadline, time).decode("utf-8")
    except (requests.RequestException, ValueError) as error:
        raise errors.Invalid(
            f"Could not retrieve template: {error}"
        ) from error


def _read(
    found: requests.Response, limit: int, deadline: float, time: clock.Clock
) -> bytes:
    text = bytearray()
    for piece in _pieces(found):
        text += piece
        if 0 <= limit < len(text):
            raise errors.LimitExceeded(
                f"Request limit exceeded: template at {found.url} exceeds "
                f"maximum allowed size ({limit} bytes)."
            )
        if time.monotonic() > deadline:
            raise requests.Timeout(f"{found.url} is too slow")
    return bytes(text)


def _pieces(found: requests.Response) -> collections.abc.Iterator[bytes]:
    """Yield what has come, however little, so that nobody can trickle.

    :raises requests.RequestException: nothing more comes
    """
    try:
        while piece := found.raw.read1(_CHUNK, decode_content=True):
            yield piece
    except exceptions.HTTPError as error:
        raise requests.ConnectionError(str(error)) from error
