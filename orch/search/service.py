"""The search service: starts and stops its parts."""

import contextlib
import logging
import typing

from oslo_config import cfg

from orch import clock
from orch import errors
from orch import ids
from orch.metrics import catalogue
from orch.metrics import meters
from orch.rpc import contract
from orch.rpc import server
from orch.rpc import transport as rpc_transport
from orch.search.index import formats
from orch.search.index import port
from orch.search.indexing import follower as followers
from orch.search.indexing import full_scan
from orch.search.indexing import known_stacks
from orch.search.indexing import lease
from orch.search.indexing import updater
from orch.search.rpc import endpoints
from orch.search.sources import port as sources

LOG = logging.getLogger(__name__)

_WOKEN_POLL_S: typing.Final = 5.0


class Service:
    """A process of the search service, or the searching part of one."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        index: port.Index,
        saved: port.SavedStore,
        source: sources.Source,
        transport: rpc_transport.Transport,
        host: str,
        *,
        is_alone: bool = False,
    ) -> None:
        """Build all parts; nothing runs yet.

        :param saved: stores saved searches
        :param transport: serves calls only
            (``orch.rpc.transport.build_transport``)
        :param host: this machine's name, as operators know it
        :param is_alone: no other process keeps this index, and :meth:`wake`
            is called after each change of the source
        """
        clock_ = clock.SystemClock()
        known = known_stacks.KnownStacks()
        self._index = index
        self._saved = saved
        self._lease = lease.Lease(index, ids.new(), clock_, is_alone=is_alone)
        self._follower = followers.Follower(
            index,
            source,
            updater.Updater(index, source, known),
            self._lease,
            clock_,
            poll_s=_WOKEN_POLL_S if is_alone else followers.POLL_S,
            # What changes during a scan is seen then.
            on_following=lambda: self._scanner.start(),
            on_missed=lambda: self._scanner.wake(),
        )
        self._scanner = full_scan.FullScanner(
            index,
            source,
            updater.Updater(index, source, known, is_comparing=False),
            self._lease,
            clock_,
            check_interval_s=conf.search.check_interval,
            history_days=conf.search.history_days,
            on_unread=self._follower.retry,
        )
        self._server = server.build_server(
            transport,
            host,
            [
                endpoints.build_endpoint(
                    endpoints.Search(index, saved, clock_, self._scanner.wake)
                )
            ],
            conf.search.threads,
            topic=contract.SEARCH_TOPIC,
        )

    def gauges(self) -> list[meters.Reading]:
        """Return the gauges of the service, for the metrics."""
        waiting = self._follower.queue.count()
        return [meters.Reading(catalogue.SEARCH_WAITING, waiting)]

    def wake(self) -> None:
        """Follow the source now, as it has changed; from any thread."""
        self._follower.wake()

    def start(self) -> None:
        """Start to answer queries, and to update the index.

        :raises orch.search.index.formats.NewerFormat: the index is a newer
            release's
        """
        try:
            self._index.prepare()
        except formats.NewerFormat:
            raise
        except errors.Unavailable as error:
            LOG.warning("the index cannot be reached: %s", error)
        self._index.start()
        self._follower.start()
        self._server.serve()

    def stop(self, grace_s: float) -> None:
        """Stop all parts; another process continues.

        :param grace_s: seconds that each part may take
        """
        self._server.stop(grace_s)
        self._follower.stop(grace_s)
        self._scanner.stop(grace_s)
        with contextlib.suppress(errors.OrchError):
            self._lease.release()
        self._index.close()
        self._saved.close()
