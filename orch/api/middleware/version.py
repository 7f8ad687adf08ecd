"""Finds which version of the API a request means.

The path says it (``/v1``, ``/v1.0``), else the ``Accept`` header. There is
one version; who asks for none or for another gets the document that says
so. There it is what Heat answers, to the letter; at ``/v1/`` itself, where
Heat has nothing, it leads to the description of the API, as a header does in
both.
"""

import re

import falcon

from orch.api import codec
from orch.api import links
from orch.api import web

_VERSION = re.compile(r"/(v\d+(?:\.\d+)?)(?=/|$)")
_ACCEPTED = re.compile(r"application/vnd\.openstack\.orchestration-(v[\d.]+)")
_SERVED = ("v1", "v1.0")


class Version:
    """Leaves all paths of the API beginning with ``/v1``.

    :ivar public_url: what links begin with; empty for the request's host
    """

    def __init__(self, public_url: str) -> None:
        self._public_url = public_url.rstrip("/")

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Rewrite the path, or answer 300 at once."""
        req.base_url = self._public_url or req.prefix
        named = _VERSION.match(req.path)
        if named is not None:
            version, rest = named.group(1), req.path[named.end() :]
        elif req.path in ("/", "/versions"):
            version = rest = ""
        elif (wanted := _ACCEPTED.match(req.accept)) is not None:
            version, rest = wanted.group(1), req.path
        else:
            return
        # Heat knows nothing at /v1 itself. Clients without a catalogue look
        # there for the document (keystoneauth's discovery).
        if version in _SERVED and rest not in ("", "/"):
            req.path = "/v1" + rest
        else:
            _answer_versions(req, resp, is_verbose=version in _SERVED)


def _answer_versions(
    req: web.Request, resp: falcon.Response, *, is_verbose: bool
) -> None:
    described_by = f"{req.base_url}/openapi.json"
    found = [links.link("self", f"{req.base_url}/v1/")]
    if is_verbose:
        found.append(links.link("describedby", described_by))
    resp.append_link(described_by, "describedby")
    served = {"id": "v1.0", "status": "CURRENT", "links": found}
    resp.status = 300
    resp.data = codec.dumps({"versions": [served]})
    resp.complete = True
