"""The search service: starts and stops its parts."""

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
from orch.search.indexing import listener
from orch.search.indexing import outages
from orch.search.indexing import reader as indexing_reader
from orch.search.indexing import updater
from orch.search.rpc import endpoints
from orch.search.sources import port as sources

LOG = logging.getLogger(__name__)

_INFO = "info"
_WOKEN_POLL_S: typing.Final = 5.0


def _do_nothing() -> None:
    """Leave a source that is not followed to its notifications."""


class _Part(typing.Protocol):
    """Notices that stacks have changed."""

    def start(self) -> None:
        """Begin."""

    def stop(self, grace_s: float) -> bool:
        """End, in so many seconds; return whether it has."""


class Service:
    """A process of the search service, or the searching part of one."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        index: port.Index,
        source: sources.Source,
        transport: rpc_transport.Transport,
        host: str,
        *,
        is_alone: bool = False,
    ) -> None:
        """Build all parts; nothing runs yet.

        :param transport: serves calls only
            (``orch.rpc.transport.build_transport``)
        :param host: this machine's name, as operators know it
        :param is_alone: no other process keeps this index, and :meth:`wake`
            is called after each change of the source
        """
        clock_ = clock.SystemClock()
        is_followed = isinstance(source, sources.FollowedSource)
        complete = (
            source.complete
            if isinstance(source, sources.NotifiedSource)
            else None
        )
        reader = indexing_reader.Reader(source)
        self._index = index
        self._updater = updater.Updater(
            index,
            reader,
            clock_,
            reread_interval_s=(
                None if is_followed else conf.search.reread_interval
            ),
            complete=complete,
        )
        self._scanner = full_scan.FullScanner(
            index,
            source,
            indexing_reader.Reader(source),
            self._updater,
            clock_,
            ids.new(),
            check_interval_s=conf.search.check_interval,
            history_days=conf.search.history_days,
            is_alone=is_alone,
        )
        topic = next(iter(conf.notifications.topics), "")
        self._noticing: list[_Part] = []
        self._wake = _do_nothing
        if isinstance(source, sources.FollowedSource):
            follower = followers.Follower(
                index,
                source,
                self._updater.enqueue,
                clock_,
                _WOKEN_POLL_S if is_alone else followers.POLL_S,
                on_following=self._scanner.start,
                on_missed=self._scanner.wake,
            )
            self._noticing.append(follower)
            self._wake = follower.wake
            if topic:
                wake = listener.WakeRecorder(follower.wake)
                self._noticing.append(listener.Listener(conf, wake))
        else:
            marking = listener.Listener(
                conf,
                listener.MarkRecorder(
                    index, self._updater.enqueue, is_thin=complete is not None
                ),
                on_listening=self._begin,
            )
            lost = outages.Outages(
                marking.broker,
                conf.search.pool or f"{topic}.{_INFO}",
                self._scanner.catch_up,
            )
            self._noticing += [marking, lost]
        self._server = server.build_server(
            transport,
            host,
            [
                endpoints.build_endpoint(
                    endpoints.Search(index, clock_, self._scanner.wake)
                )
            ],
            conf.search.threads,
            topic=contract.SEARCH_TOPIC,
        )

    def gauges(self) -> list[meters.Reading]:
        """Return the gauges of the service, for the metrics."""
        waiting = self._updater.mark_queue.count()
        return [meters.Reading(catalogue.SEARCH_WAITING, waiting)]

    def wake(self) -> None:
        """Follow the source now, as it has changed; from any thread."""
        self._wake()

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
        self._updater.start()
        for each in self._noticing:
            each.start()
        self._server.serve()

    def stop(self, grace_s: float) -> None:
        """Stop all parts; marks remain.

        :param grace_s: seconds that each part may take
        """
        self._server.stop(grace_s)
        for each in self._noticing:
            each.stop(grace_s)
        self._scanner.stop(grace_s)
        self._updater.stop(grace_s)
        self._index.close()

    def _begin(self, has_missed: bool) -> None:
        """Scan only once what changes meanwhile is seen."""
        if has_missed:
            self._scanner.catch_up()
        self._scanner.start()
