"""What handlers ask: the clients of all services, rules and settings."""

import dataclasses
import logging
import typing

from orch import clock
from orch import project_slots
from orch.api import event_stream
from orch.api import settings
from orch.api.middleware import signed
from orch.context import request
from orch.policies import enforcer
from orch.rpc import caller as rpc_caller
from orch.rpc import contract
from orch.rpc import proxy

LOG = logging.getLogger(__name__)

MAX_FETCHES: typing.Final = 8
MAX_FETCHES_PER_PROJECT: typing.Final = 2
"""How many templates are fetched at a time, in all and for one project. Each
fetch has a thread of its own, so that others serve requests."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Backend(proxy.Clients):
    """Built once for each application.

    :ivar search: of the search service; the other clients are of the engine
    :ivar identify: finds out who has signed a request; ``None`` where
        signatures cannot be checked
    """

    search: contract.Search
    rules: enforcer.Enforcer
    limits: settings.Settings
    clock: clock.Clock
    identify: signed.Identify | None
    fetches: project_slots.ProjectSlots
    streams: event_stream.EventStreams

    def start(
        self, ctxt: request.RequestContext, accepted: contract.Accepted | None
    ) -> None:
        """Send the workers a hint of an operation; no failure is raised.

        The operation is a row: without the hint the workers' scan finds it,
        a few seconds later.

        :param accepted: ``None`` where there is nothing to do
        """
        if accepted is None:
            return
        operation_id = accepted["operation_id"]
        try:
            self.operations.run(ctxt, operation_id)
        except Exception as error:
            LOG.warning(
                "No hint sent for operation %s, the scan will find it: %r",
                operation_id,
                error,
            )


def build_backend(
    bus: rpc_caller.Caller,
    rules: enforcer.Enforcer,
    limits: settings.Settings,
    time: clock.Clock,
    identify: signed.Identify | None,
    search_bus: rpc_caller.Caller | None = None,
) -> Backend:
    """Return what asks the services over the bus.

    :param search_bus: reaches the search service; ``None`` where the same
        one does
    """
    return Backend(
        **proxy.build_clients(bus),
        search=proxy.proxy(
            contract.Search, rpc_caller.SearchCaller(search_bus or bus)
        ),
        rules=rules,
        limits=limits,
        clock=time,
        identify=identify,
        fetches=project_slots.ProjectSlots(
            "requests that fetch a template",
            MAX_FETCHES,
            MAX_FETCHES_PER_PROJECT,
        ),
        streams=event_stream.EventStreams(
            limits.max_event_streams, limits.event_stream_max_duration_s, time
        ),
    )
