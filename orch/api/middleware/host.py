"""Refuses requests that name this machine as no local user does.

A server on the loopback address without logins is safe from
other machines, not from web pages that a local user looks at. A page may
give its own name an address of this machine (DNS rebinding); the browser
then takes our answers for the page's. The name stands in ``Host``.
"""

import ipaddress
import urllib.parse

import falcon

from orch import errors
from orch.api import web

_LOCAL = "localhost"


class Host:
    """Lets requests pass that go to a loopback address or a name of ours."""

    def __init__(self, public_url: str) -> None:
        """Know the names.

        :param public_url: its host is ours too
        """
        self._public = urllib.parse.urlsplit(public_url).hostname

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Go on only if no web page can have chosen the name.

        :raises orch.errors.Forbidden: it is another name
        """
        named = req.get_header("Host")
        if named is None:
            return  # no browser: all of them send it
        if not self._is_ours(named):
            raise errors.Forbidden(
                f"This API is for its own machine: ask it as {_LOCAL}, or let"
                " the operator name the host in [api] public_url."
            )

    def _is_ours(self, named: str) -> bool:
        """Whether a host, with or without a port, is this machine."""
        try:
            host = urllib.parse.urlsplit(f"//{named}").hostname or ""
            name = host.rstrip(".")
            # A page may be at 0.0.0.0, too, and some browsers do not say
            # then that a request is a page's.
            return (
                name in (_LOCAL, self._public)
                or ipaddress.ip_address(name).is_loopback
            )
        except ValueError:
            return False
