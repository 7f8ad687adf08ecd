"""Fetch templates from the addresses in requests and resources."""

import typing
import urllib.parse

import requests

from orch import clock
from orch import errors
from orch.clients import egress

_SCHEMES: typing.Final = ("http", "https")
_MAX_REDIRECTS: typing.Final = 5


def check_url(url: str, named: str = "template_url") -> None:
    """Return only if templates may be fetched from an address.

    :param named: what the request calls it
    :raises orch.errors.Invalid: they may not
    """
    try:
        scheme = urllib.parse.urlsplit(url).scheme
    except ValueError:
        scheme = ""
    if scheme not in _SCHEMES:
        raise errors.Invalid(
            f"Could not retrieve template: {named} is not http or https:"
            f" {url!r}"
        )


def fetch_template(
    url: str,
    *,
    limit: int,
    timeout_s: float,
    time: clock.Clock,
    within: egress.Egress,
    named: str = "template_url",
) -> str:
    """Return the text at an address; redirects are followed.

    :param named: what the request calls it
    :param limit: bytes; -1 for no limit
    :param timeout_s: seconds until all of it must be here
    :param within: where templates may come from
    :raises orch.errors.Invalid: it is not to be had, or no text
    :raises orch.clients.egress.EgressRefused: templates may not come from
        there
    :raises orch.errors.LimitExceeded: it is longer than the limit
    """
    check_url(url, named)
    deadline = time.monotonic() + timeout_s
    try:
        with (
            egress.open_session(within) as session,
            _get(session, url, named, deadline, time) as found,
        ):
            found.raise_for_status()
            return _read(found, limit, deadline, time).decode("utf-8")
    except (requests.RequestException, ValueError) as error:
        raise errors.Invalid(
            f"Could not retrieve template: {egress.describe_error(error)}"
        ) from error


def _get(
    session: requests.Session,
    url: str,
    named: str,
    deadline: float,
    time: clock.Clock,
) -> requests.Response:
    """Return the answer that redirects lead to, its text not read yet."""
    found = session.get(
        url,
        stream=True,
        allow_redirects=False,
        timeout=_left_s(url, deadline, time),
    )
    for _ in range(_MAX_REDIRECTS):
        if found.next is None:
            return found
        found.close()
        place = str(found.next.url)
        check_url(place, named)
        found = session.send(
            found.next,
            stream=True,
            allow_redirects=False,
            timeout=_left_s(place, deadline, time),
        )
    if found.next is not None:
        found.close()
        raise requests.TooManyRedirects(
            f"{url} redirects more than {_MAX_REDIRECTS} times"
        )
    return found


def _left_s(url: str, deadline: float, time: clock.Clock) -> float:
    """Return the seconds that are left.

    :raises requests.Timeout: there are none
    """
    left_s = deadline - time.monotonic()
    if left_s <= 0:
        raise requests.Timeout(f"{url} is too slow")
    return left_s


def _read(
    found: requests.Response, limit: int, deadline: float, time: clock.Clock
) -> bytes:
    text = bytearray()
    for piece in egress.iterate_body(found):
        text += piece
        if 0 <= limit < len(text):
            raise errors.LimitExceeded(
                f"Request limit exceeded: template at {found.url} exceeds "
                f"maximum allowed size ({limit} bytes)."
            )
        _left_s(found.url, deadline, time)
    return bytes(text)
