"""Refuses requests that name this machine as no local user does.

A server on the loopback address that asks nobody who they are is safe from
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
    """Lets requests pass that go to an address or to a name of ours."""

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
        name = _name(named)
        if name in (_LOCAL, self._public) or _is_address(name):
            return
        raise errors.Forbidden(
            f"This API is for its own machine: ask it as {_LOCAL}, or let"
            " the operator name the host in [api] public_url."
        )


def _name(named: str) -> str:
    """Return the name without a port; empty when it is none."""
    try:
        found = urllib.parse.urlsplit(f"//{named}").hostname
    except ValueError:
        return ""
    return (found or "").rstrip(".")


def _is_address(name: str) -> bool:
    """Answer whether it is an address, which stands for no other one."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
