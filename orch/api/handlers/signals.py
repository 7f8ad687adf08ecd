"""Signals at addresses whose seal is all the proof that they need.

``/v1/signal/{arn}`` and ``/v1/waitcondition/{arn}``: made by
``orch.plugin.addresses``. What is wrong with an address is found here,
before any worker is asked; whether its resource still stands a worker knows.
"""

import re
import typing

import falcon

from orch import clock
from orch import errors
from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.handlers import accepted
from orch.context import request
from orch.context import seals
from orch.rpc import contract
from orch.rpc.clients import resources

PATH: typing.Final = re.compile(
    r"/v1/(?P<kind>signal|waitcondition)/(?P<arn>arn:(?s:.+))"
)
_ARN = re.compile(
    r"arn:openstack:heat::(?P<project>[^/]+):stacks/(?P<stack>[^/]+)"
    r"/(?P<stack_id>[^/]+)/resources/(?P<resource>[^/]+)\Z"
)
_METHODS = {seals.SIGNAL: "POST", seals.WAIT_CONDITION: "PUT"}
_LONGEST = 4096


class BadAddress(errors.Forbidden):
    """The address was not made by us, was altered, or has expired."""

    code = "orch.signals.bad_address"


class Signals:
    """Addresses with a seal."""

    def __init__(
        self,
        client: resources.Resources,
        starter: accepted.Starter,
        limits: settings.Settings,
        time: clock.Clock,
    ) -> None:
        self._resources = client
        self._starter = starter
        self._limits = limits
        self._clock = time

    def take(self, req: web.Request, kind: str, arn: str) -> web.Answer:
        """Take in a signal, and wake the workers up for what goes on."""
        if req.method != _METHODS[kind]:
            raise falcon.HTTPMethodNotAllowed([_METHODS[kind]])
        what = self._opened(req, kind, arn)
        caller = request.RequestContext(
            project_id=what.project_id, request_id=req.request_id
        )
        details = body.read_any(req, self._limits.max_json_body_size)
        taken = self._resources.signal(
            caller,
            what.stack_id,
            what.resource_name,
            details,
            resource_id=what.resource_id,
        )
        if taken["accepted"] is not None:
            self._starter.start(caller, taken["accepted"])
        return web.Answer(_said(what, taken))

    def _opened(self, req: web.Request, kind: str, arn: str) -> seals.Sealed:
        """Return what a genuine address stands for.

        :raises BadAddress: it is not genuine, or not any more
        """
        found = _ARN.match(arn)
        expiry = req.get_param("Expires") or ""
        is_sound = len(arn) <= _LONGEST and expiry.isdecimal()
        if found is None or not is_sound or len(expiry) > 12:
            raise _refusal()
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
        if not seals.is_genuine(self._limits.signal_keys, what, given):
            raise _refusal()
        if what.expires_at and what.expires_at <= self._clock.now():
            raise BadAddress(
                "The address for signals has expired; the resource has to be"
                " replaced to get another one."
            )
        return what


def _refusal() -> BadAddress:
    return BadAddress(
        "The address for signals is not as it was given out; use it unaltered."
    )


def _said(what: seals.Sealed, taken: contract.Signalled) -> object:
    """Return what a wait condition's address answers; others say nothing."""
    if what.kind != seals.WAIT_CONDITION:
        return None
    return {"resource": what.resource_name, "metadata": taken["answer"]}
