"""Sends who knows a stack's name or id only to its full address."""

import re
import urllib.parse

from orch import errors
from orch.api import links
from orch.api import web
from orch.api.handlers import backends
from orch.rpc import contract

_ARN = re.compile(
    r"arn:openstack:heat::(?P<project>[^/]+):stacks/(?P<name>[^/]+)"
    r"/(?P<stack_id>[^/]+)(?P<rest>/(?s:.+))?\Z"
)


def by_name(
    backend: backends.Backend, req: web.Request, name: str
) -> web.Answer:
    """Redirect to the stack, or to what stands below it."""
    identity = backend.stacks.identify(req.caller, name)
    below = req.path.split("/")[5:]
    return _redirect(req, identity, "".join(f"/{one}" for one in below))


def by_arn(
    backend: backends.Backend, req: web.Request, arn: str
) -> web.Answer:
    """Redirect to what the resource name (ARN) means, unasked."""
    found = _ARN.match(arn)
    if found is None:
        raise errors.NotFound(f"The Stack ({arn}) could not be found.")
    identity: contract.StackIdentity = {
        "project_id": found["project"],
        "stack_name": found["name"],
        "stack_id": found["stack_id"],
    }
    return _redirect(req, identity, urllib.parse.quote(found["rest"] or ""))


def _redirect(
    req: web.Request, identity: contract.StackIdentity, below: str
) -> web.Answer:
    location = links.stack(req.base_url, identity) + below
    if req.query_string:
        location = f"{location}?{req.query_string}"
    return web.Answer(status=302, location=location)
