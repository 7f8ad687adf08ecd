"""Signals at addresses that are proof by themselves: sealed, or signed.

``/v1/signal/{arn}`` and ``/v1/waitcondition/{arn}``: made by
``orch.plugin.addresses``. What is wrong with an address is found here,
before a worker is asked; whether its resource exists the worker finds out.
A signal for an abandoned stack is stored, to be passed on, and answered with
202.

An address may bear a signature of version 2 by an EC2 credential instead, as
those that Heat makes; one for a wait condition needs no time.
"""

import re
import typing

import falcon

from orch import errors
from orch.api import body
from orch.api import web
from orch.api.handlers import backends
from orch.api.middleware import signed
from orch.context import request
from orch.context import seals
from orch.policies import enforcer
from orch.rpc import contract

PATH: typing.Final = re.compile(
    r"/v1/(?P<kind>signal|waitcondition)/(?P<arn>arn:(?s:.+))"
)
_ARN = re.compile(
    r"arn:openstack:heat::(?P<project>[^/]+):stacks/(?P<stack>[^/]+)"
    r"/(?P<stack_id>[^/]+)/resources/(?P<resource>[^/]+)\Z"
)
_METHODS = {seals.SIGNAL: "POST", seals.WAIT_CONDITION: "PUT"}
_MAX_SIZE = 4096
_KEY = "AWSAccessKeyId"
_ID = re.compile("[A-Za-z0-9_-]{1,64}")


class BadAddress(errors.Forbidden):
    """The address was not made by us, was altered, or has expired."""

    code = "orch.signals.bad_address"


def _signing_caller(
    identify: signed.Identify,
    rules: enforcer.Enforcer,
    req: web.Request,
    kind: str,
) -> request.RequestContext:
    """Return who has signed the address.

    :raises orch.errors.Forbidden: the rules do not allow it
    """
    query = {name: req.get_param(name) or "" for name in req.params}
    is_endless = kind == seals.WAIT_CONDITION
    found = identify(
        req,
        signed.signable_request(req, query, {}, b"", is_endless=is_endless),
    )
    rules.check(found, "resource:signal")
    return found


def take_signal(
    backend: backends.Backend, req: web.Request, kind: str, arn: str
) -> web.Answer:
    """Take in a signal, and wake the workers up for what goes on."""
    if req.method != _METHODS[kind]:
        raise falcon.HTTPMethodNotAllowed([_METHODS[kind]])
    if _KEY in req.params and backend.identify is not None:
        caller = _signing_caller(backend.identify, backend.rules, req, kind)
        what = _named(caller, kind, arn)
    else:
        what = _opened(backend, req, kind, arn)
        caller = request.RequestContext(
            project_id=what.project_id, request_id=req.request_id
        )
    caller.waiting = request.CallWaiting()
    details = body.read_any(req, backend.limits.max_json_body_size)
    taken = backend.resources.signal(
        caller,
        what.stack_id,
        what.resource_name,
        details,
        resource_id=what.resource_id or None,
        signal_id=_find_id(req),
        hops=_hops(req),
    )
    if taken.get("is_pending"):
        return web.Answer(_said(what, taken), status=202)
    backend.start(caller, taken["accepted"])
    return web.Answer(_said(what, taken))


def _opened(
    backend: backends.Backend, req: web.Request, kind: str, arn: str
) -> seals.Sealed:
    """Return what a genuine address stands for.

    :raises BadAddress: it is not genuine, or not any more
    """
    found = _ARN.match(arn)
    expiry = req.get_param("Expires") or ""
    is_sound = len(arn) <= _MAX_SIZE and expiry.isdecimal()
    if found is None or not is_sound or len(expiry) > 12:
        raise _rejection()
    what = seals.Sealed(
        kind,
        found["project"],
        found["stack"],
        found["stack_id"],
        found["resource"],
        req.get_param("Resource") or "",
        int(expiry),
    )
    given = req.get_param("Signature") or ""
    if not seals.is_genuine(backend.limits.signal_keys, what, given):
        raise _rejection()
    if what.expires_at and what.expires_at <= backend.clock.now():
        raise BadAddress(
            "The address for signals has expired; the resource has to be"
            " replaced to get another one."
        )
    return what


def _named(
    caller: request.RequestContext, kind: str, arn: str
) -> seals.Sealed:
    """Return what a signed address stands for; any incarnation of it.

    :raises BadAddress: it is of another project than its signature
    """
    found = _ARN.match(arn)
    is_own = found is not None and found["project"] == caller.project_id
    if found is None or not is_own or len(arn) > _MAX_SIZE:
        raise _rejection()
    return seals.Sealed(
        kind,
        found["project"],
        found["stack"],
        found["stack_id"],
        found["resource"],
        "",
        0,
    )


def _find_id(req: web.Request) -> str | None:
    """Return by what its sender knows a signal, if that is told.

    :raises orch.errors.Invalid: it is too long, or of other characters
    """
    found = req.get_header(seals.SIGNAL_ID)
    if found is not None and not _ID.fullmatch(found):
        raise errors.Invalid(
            f"{seals.SIGNAL_ID} has up to 64 letters, digits, - and _."
        )
    return found


def _hops(req: web.Request) -> int:
    """Return how often a signal was passed on.

    :raises orch.errors.Invalid: it is no number
    """
    found = req.get_header(seals.HOPS) or "0"
    if not re.fullmatch("[0-9]{1,4}", found):
        raise errors.Invalid(f"{seals.HOPS} must be a number.")
    return int(found)


def _rejection() -> BadAddress:
    return BadAddress(
        "The address for signals is not as it was given out; use it unaltered."
    )


def _said(what: seals.Sealed, taken: contract.Signalled) -> object:
    """Return what a wait condition's address answers; others say nothing."""
    if what.kind != seals.WAIT_CONDITION:
        return None
    return {"resource": what.resource_name, "metadata": taken["answer"]}
