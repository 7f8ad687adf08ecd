"""The service itself: its processes, its revisions, whether it lives."""

import collections.abc
import typing

import falcon

from orch.api import web
from orch.api.handlers import backends
from orch.api.views import facts as facts_
from orch.rpc import contract


def index(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the processes that report."""
    found = backend.services.list(req.caller)
    return web.Answer({"services": [_view(one) for one in found]})


def build_info(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Show the revisions of this process and of a worker."""
    return web.Answer(
        {
            "api": {"revision": backend.limits.revision},
            "engine": {"revision": backend.services.revision(req.caller)},
        }
    )


HEALTH: typing.Final = "/healthcheck"
READINESS: typing.Final = "/readiness"

Parts = collections.abc.Mapping[str, collections.abc.Callable[[], bool]]
"""Whether parts of the service are ready, by their names in the answer."""


class Health:
    """Address ``/healthcheck``, for load balancers: this process answers."""

    def on_get(self, req: web.Request, resp: falcon.Response) -> None:
        """Say OK."""
        resp.content_type = falcon.MEDIA_TEXT
        resp.text = "OK"

    on_head = on_get


class Readiness:
    """Address ``/readiness``, for probes: requests can be answered now."""

    def __init__(
        self,
        is_ready: collections.abc.Callable[[], bool],
        parts: Parts,
    ) -> None:
        """Ask these at each probe.

        :param is_ready: answers within a second, see ``orch.api.readiness``
        :param parts: answer by what is known, and wait a second only where
            that is old: they do not change the status
        """
        self._is_ready = is_ready
        self._parts = parts

    def on_get(self, req: web.Request, resp: falcon.Response) -> None:
        """Say READY, or 503 while the broker is away or no worker is there.

        Further lines name the parts that are not ready.
        """
        is_ready = self._is_ready()
        resp.status = 200 if is_ready else 503
        resp.content_type = falcon.MEDIA_TEXT
        resp.text = "READY" if is_ready else "NOT READY"
        for name, is_part_ready in self._parts.items():
            if is_ready and not is_part_ready():
                resp.text += f"\n{name}: NOT READY"

    on_head = on_get


def _view(facts: contract.ServiceFacts) -> dict[str, object]:
    """Return a process; ``status`` is ``up`` or ``down``."""
    return {
        **facts_.view(facts, contract.ServiceFacts),
        "engine_id": facts["id"],
        "hostname": facts["host"],
        "status": "up" if facts["is_up"] else "down",
        "deleted_at": None,
    }
