"""Fetch templates from the addresses in requests and resources.

All fetches of one request have one time limit. An address that has failed, and
a host that gave no answer in time, are not asked again by the same request.
"""

import typing
import urllib.parse

import requests

from orch import clock
from orch import errors
from orch.clients import deadlines
from orch.clients import egress
from orch.context import outside

_SCHEMES: typing.Final = ("http", "https")
_MAX_REDIRECTS: typing.Final = 5
_KIND: typing.Final = "templates"


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
    :param timeout_s: seconds until all of it must be here, with all others
        that the request of this thread fetches
    :param within: where templates may come from
    :raises orch.errors.Invalid: it is not to be had, or no text
    :raises orch.clients.egress.EgressRefused: templates may not come from
        there
    :raises orch.errors.LimitExceeded: it is longer than the limit
    :raises orch.project_slots.SlotsTaken: too many fetch something
    """
    check_url(url, named)
    asked = outside.current()
    host = urllib.parse.urlsplit(url).netloc
    known = asked.failures.get(url) or asked.failures.get(host)
    if known is not None:
        raise known.with_traceback(None)
    with asked.slot(_KIND):
        left_s = asked.left_s(_KIND, timeout_s)
        if not left_s:
            raise errors.Invalid(
                f"Could not retrieve template: the {timeout_s:g} seconds that"
                " all templates of a request may take are over, and"
                f" {url[:1000]} was not asked."
            )
        try:
            end = time.monotonic() + left_s
            return _fetch(url, named, limit, end, time, within)
        except errors.Invalid as error:
            is_late = isinstance(error.__cause__, requests.Timeout)
            asked.failures[host if is_late else url] = error
            raise


def _fetch(
    url: str,
    named: str,
    limit: int,
    end: float,
    time: clock.Clock,
    within: egress.Egress,
) -> str:
    """Return the text at an address.

    :param end: monotonic seconds
    """
    try:
        with (
            deadlines.Deadline(_left_s(url, end, time)) as deadline,
            egress.open_session(within, deadline=deadline) as session,
        ):
            try:
                with _get(session, url, named, end, time) as found:
                    found.raise_for_status()
                    return _read(found, limit, end, time).decode("utf-8")
            except requests.RequestException as error:
                if deadline.is_over:
                    raise _too_slow(url) from error
                raise
    except (requests.RequestException, ValueError) as error:
        raise errors.Invalid(
            f"Could not retrieve template: {egress.describe_error(error)}"
        ) from error


def _get(
    session: requests.Session,
    url: str,
    named: str,
    end: float,
    time: clock.Clock,
) -> requests.Response:
    """Return the answer that redirects lead to, its text not read yet."""
    found = session.get(
        url,
        stream=True,
        allow_redirects=False,
        timeout=_left_s(url, end, time),
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
            timeout=_left_s(place, end, time),
        )
    if found.next is not None:
        found.close()
        raise requests.TooManyRedirects(
            f"{url} redirects more than {_MAX_REDIRECTS} times"
        )
    return found


def _left_s(url: str, end: float, time: clock.Clock) -> float:
    """Return the seconds that are left.

    :raises requests.Timeout: there are none
    """
    left_s = end - time.monotonic()
    if left_s <= 0:
        raise _too_slow(url)
    return left_s


def _too_slow(url: str) -> requests.Timeout:
    return requests.Timeout(f"{url} is too slow")


def _read(
    found: requests.Response, limit: int, end: float, time: clock.Clock
) -> bytes:
    text = bytearray()
    for piece in egress.iterate_body(found):
        text += piece
        if 0 <= limit < len(text):
            raise errors.LimitExceeded(
                f"Request limit exceeded: template at {found.url} exceeds "
                f"maximum allowed size ({limit} bytes)."
            )
        _left_s(found.url, end, time)
    # A broken connection looks like the end of the text.
    _left_s(found.url, end, time)
    return bytes(text)
