"""Leases of calls that were given up and have not ended yet.

A plug-in's call cannot be stopped. One that takes too long is given up, and
its resource fails; but what it is about to make may still come. So its worker
holds a named lease until the call has ended: until then, or until the worker
is dead, no operation calls the plug-in for that resource. It waits, as for a
service that is unavailable.
"""

import collections.abc
import functools
import threading
import typing

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import named_leases
from orch.flow import call_pool

PREFIX: typing.Final = "call/"
"""With which the names of all such leases begin."""


class StillOpen(errors.Outage):
    """An earlier call for the resource has not ended yet."""

    code = "orch.resource.call_still_open"
    is_over = True


def lease_name(stack_id: ids.StackId, resource_id: ids.ResourceId) -> str:
    """Return the name of the lease of a call for a resource."""
    return f"{_prefix(stack_id)}{resource_id}"


def _prefix(stack_id: ids.StackId) -> str:
    return f"{PREFIX}{stack_id}/"


class OpenCalls:
    """The open calls of one stack, as its operation finds them."""

    def __init__(
        self, database: db_engine.Database, stack_id: ids.StackId
    ) -> None:
        """Read no lease before the first call."""
        self._database = database
        self._stack_id = stack_id

    @functools.cached_property
    def _open(self) -> collections.abc.Mapping[str, ids.WorkerId]:
        """The leases held before the first call of the operation.

        None can come while it runs but its own, and those come later.
        """
        return self._list(_prefix(self._stack_id))

    def check(self, resource_id: ids.ResourceId) -> None:
        """Raise StillOpen if an earlier call for the resource is running.

        It may ask the database, so it is called where calls are made.

        :raises StillOpen: one is
        :raises orch.errors.Outage: the database does not say
        """
        name = lease_name(self._stack_id, resource_id)
        try:
            held = self._open
            if name in held:
                held = self._list(name)
        except db_errors.DatabaseDown as error:
            raise errors.Outage(
                "no call is made while the outcome of earlier calls is"
                f" unknown: {error}"
            ) from error
        if name in held:
            raise StillOpen(
                "an earlier call of its plug-in has given no answer and has"
                " not ended; nothing is done with the resource before that,"
                f" or before the worker {held[name]} has ended"
            )

    def _list(self, prefix: str) -> collections.abc.Mapping[str, ids.WorkerId]:
        return self._database.query(
            functools.partial(named_leases.list_held, prefix=prefix)
        )


class OpenCallLeases:
    """The leases of the calls that this worker has given up."""

    def __init__(
        self,
        database: db_engine.Database,
        pool: call_pool.CallPool,
        worker_id: ids.WorkerId,
        ttl_s: float,
    ) -> None:
        """Hold no lease yet.

        :param ttl_s: for how long each holds after the worker's death
        """
        self._database = database
        self._pool = pool
        self._worker_id = worker_id
        self._ttl_s = ttl_s
        self._leases: set[str] = set()
        self._lock = threading.Lock()

    def beat(self) -> None:
        """Give up hung calls, renew the leases of open ones, drop the rest.

        Called well within each ``ttl_s``. The lease of a call is committed
        before the runner is notified that the call was given up.

        :raises orch.db.errors.DatabaseDown: the next beat tries again
        """
        with self._lock:
            self._pool.abandon_hung(self._hold)
            lost = self._pool.lost
            if lost:
                self._hold(lost)
            ended = self._leases - lost
            if ended:
                self._release(ended)

    def _hold(self, names: collections.abc.Set[str]) -> None:
        def work(connection: db_engine.Connection) -> None:
            for name in sorted(names):
                named_leases.acquire(
                    connection, name, self._worker_id, self._ttl_s
                )

        self._database.run(work)
        self._leases |= names

    def _release(self, names: collections.abc.Set[str]) -> None:
        def work(connection: db_engine.Connection) -> None:
            for name in sorted(names):
                named_leases.drop(connection, name, self._worker_id)

        self._database.run(work)
        self._leases -= names
