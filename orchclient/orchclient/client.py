"""The client: one part for each noun of the API."""

import collections.abc
import contextlib
import types
import typing

from orchclient import adoption
from orchclient import drift
from orchclient import events
from orchclient import hand_overs
from orchclient import leftovers
from orchclient import lifecycle
from orchclient import moves
from orchclient import object_store
from orchclient import operations
from orchclient import plans
from orchclient import resources
from orchclient import search
from orchclient import services
from orchclient import snapshots
from orchclient import software
from orchclient import stacks
from orchclient import templates
from orchclient import transport
from orchclient import waiters


class Client:
    """Calls the API of one project; built by :mod:`orchclient.connection`."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender
        self.adoption = adoption.Adoption(sender)
        self.drift = drift.Drifts(sender)
        self.events = events.EventLog(sender)
        self.hand_overs = hand_overs.HandOvers(sender)
        self.leftovers = leftovers.Leftovers(sender)
        self.lifecycle = lifecycle.Lifecycle(sender)
        self.moves = moves.Moves(sender)
        self.operations = operations.Operations(sender)
        self.plans = plans.Plans(sender)
        self.resource_types = resources.ResourceTypes(sender)
        self.resources = resources.Resources(sender)
        self.search = search.Search(sender)
        self.services = services.Services(sender)
        self.snapshots = snapshots.Snapshots(sender)
        self.software_configs = software.Configs(sender)
        self.software_deployments = software.Deployments(sender)
        self.stacks = stacks.Stacks(sender)
        self.templates = templates.Templates(sender)
        self.waiters = waiters.Waiters(sender)

    def endpoint(self) -> str:
        """Return the address of the service, with the project.

        :raises orchclient.errors.Error: it cannot be found out
        """
        return self._sender.endpoint()

    @contextlib.contextmanager
    def overriding(self, reason: str) -> collections.abc.Iterator[None]:
        """Let requests override denials of soft-mandatory plug-ins.

        It holds for all requests of the client within the context, also those
        of other threads.

        :param reason: why, 1 to 255 characters; it is recorded
        """
        before = self._sender.override_reason
        self._sender.override_reason = reason
        try:
            yield
        finally:
            self._sender.override_reason = before

    def object_store(self) -> object_store.ObjectStore:
        """Return the object store of the same cloud.

        :raises orchclient.errors.LoginError: the login leads to no catalog
        """
        return object_store.ObjectStore(self._sender)

    def close(self) -> None:
        """Close the connections, unless the session is the caller's."""
        self._sender.close()

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self.close()
