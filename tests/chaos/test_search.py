"""``kill -9`` of orch-search at any moment, a lost index, a lost broker.

Whatever happened while stacks came, changed and went: at the end the index
is what a fresh fill of another one makes, document by document.
"""

import contextlib
import functools
import pathlib
import random
import threading
import time

import fixtures
import sqlalchemy as sa

from orch import errors
from orch.db.models import events
from orch.search.index import port
from tests.chaos import base
from tests.chaos import records
from tests.chaos import sites
from tests.chaos import templates
from tests.functional import databases
from tests.support import broker
from tests.support import indexed
from tests.support import queues
from tests.support import rest
from tests.support import running
from tests.support import soak
from tests.support import systems
from tests.support import waiting

_SEED = 20261122
_LIMIT_S = 60
_BETWEEN_S = 0.8
_KILLS = soak.rounds(6, 60)
_MOST = 12

OPTIONS = base.options()


class Changes(fixtures.Fixture):
    """Somebody who creates, updates and deletes stacks all the time.

    :ivar count: how often it was done
    """

    def __init__(self, endpoint: str, seed: str) -> None:
        super().__init__()
        self._endpoint = endpoint
        self._random = random.Random(seed)
        self._name = f"s{seed.rpartition('-')[2]}"

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.count = 0
        self._stacks: list[rest.Stack] = []
        self._is_stopping = threading.Event()
        self._client = rest.Client(self._endpoint)
        self.addCleanup(self._client.close)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.addCleanup(self.stop)

    def stop(self) -> None:
        """Change nothing more."""
        self._is_stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_stopping.wait(0.05):
            # A stack with an operation under way refuses another one.
            with contextlib.suppress(rest.RefusedError):
                self._change()
                self.count += 1

    def _change(self) -> None:
        number = self._random.randrange(_MOST)
        shape = templates.flat(f"t{self.count}", self._random.randint(1, 3))
        if number >= len(self._stacks):
            name = f"{self._name}-{self.count}"
            self._stacks.append(
                self._client.create(name, shape, tags=f"tag{number}")
            )
        elif self._random.random() < 0.5:
            path = self._stacks[number].path
            self._client.ask("PUT", path, {"template": shape})
        else:
            self._client.delete(self._stacks.pop(number))


class SearchTestCase(base.ChaosTestCase):
    system: systems.Distributed

    def open_index(self, url: str) -> port.Index:
        index = indexed.wait_for_index(url)
        self.addCleanup(index.close)
        return index

    def check_as_afresh(self, index: port.Index, transport_url: str) -> None:
        """Check that the index is what a fresh fill makes of all there is."""
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.records.wait_until_idle(timeout_s=_LIMIT_S)
        wanted = indexed.fill_afresh(transport_url, directory)
        statuses = {str(each["status"]) for each in wanted.values()}
        self.assertNotIn("IN_PROGRESS", statuses)
        self.assertGreater(len(wanted), 5)

        def is_same() -> bool:
            with contextlib.suppress(errors.Unavailable):
                return indexed.contents(index) == wanted
            return False

        with contextlib.suppress(AssertionError):
            waiting.wait_for(is_same, "they differ", _LIMIT_S)
        self.assertEqual(wanted, indexed.contents(index))


class KillTests(SearchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(_SEED)
        found = self.useFixture(
            running.Distributed(
                OPTIONS, self.world.environment, workers=1, searchers=1
            )
        )
        self.system = found.system
        self.transport_url = found.broker.url()
        self.records = self.useFixture(records.Records(found.database.url))
        self.url = found.database.url

    def test_s5_killed_at_any_moment_it_misses_nothing(self) -> None:
        # No notification leaves after the first.
        self.useFixture(
            queues.Queue(
                self.transport_url,
                "notifications.info",
                "notifications.error",
                arguments=queues.FULL,
            )
        )
        index = self.open_index(self.url)
        changes = self.useFixture(
            Changes(self.system.endpoint, f"{_SEED}-kill")
        )
        (searcher,) = self.system.searchers
        for _ in range(_KILLS):
            time.sleep(self.random.uniform(0.0, _BETWEEN_S))
            searcher.kill()
            searcher.start()
        changes.stop()

        self.assertGreater(changes.count, _KILLS)
        self.check_as_afresh(index, self.transport_url)

    def test_s2_lost_again_and_again_it_is_filled_again(self) -> None:
        index = self.open_index(self.url)
        changes = self.useFixture(
            Changes(self.system.endpoint, f"{_SEED}-lost")
        )
        (searcher,) = self.system.searchers
        for number in range(4):
            time.sleep(self.random.uniform(0.0, _BETWEEN_S))
            if number % 2:
                self.system.manage("search", "rebuild")
            searcher.kill()
            index.clear()
            searcher.start()
        changes.stop()

        self.check_as_afresh(index, self.transport_url)


class BrokerTests(SearchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.node = self.useFixture(broker.Broker())
        self.url = self.useFixture(databases.PostgreSQL()).url
        self.records = self.useFixture(records.Records(self.url))
        self.system = self.useFixture(
            sites.Site(
                OPTIONS,
                self.world.environment,
                connection=self.url,
                transport_url=self.node.url,
                searchers=1,
            )
        ).system

    def test_s5_what_the_broker_lost_is_found_by_itself(self) -> None:
        index = self.open_index(self.url)
        self.change_some("before")
        self.check_as_afresh(index, self.node.url)
        # It comes back long after the broker has, and so does its queue:
        # what is told until then nobody hears.
        (searcher,) = self.system.searchers
        searcher.freeze()
        self.node.kill()
        self.node.start()
        self.change_some("after")
        records.wait_until(
            lambda: not self.records.read(sa.select(events.OUTBOX)),
            timeout_s=_LIMIT_S,
            what="notifications are left",
        )
        searcher.thaw()

        self.check_as_afresh(index, self.node.url)

    def change_some(self, seed: str) -> None:
        changes = self.useFixture(
            Changes(self.system.endpoint, f"{_SEED}-{seed}")
        )
        records.wait_until(
            lambda: changes.count > 8, timeout_s=_LIMIT_S, what="no change"
        )
        changes.stop()
        self.records.wait_until_idle(timeout_s=_LIMIT_S)

    def test_s5_a_queue_that_went_with_the_broker_is_missed(self) -> None:
        index = self.open_index(self.url)
        changes = self.useFixture(
            Changes(self.system.endpoint, f"{_SEED}-queue")
        )
        records.wait_until(
            lambda: changes.count > 5, timeout_s=_LIMIT_S, what="no change"
        )
        (searcher,) = self.system.searchers
        searcher.kill()
        records.wait_until(
            functools.partial(self.has_gone_on, changes, changes.count),
            timeout_s=_LIMIT_S,
            what="nothing changes",
        )
        changes.stop()
        self.records.wait_until_idle(timeout_s=_LIMIT_S)
        self.node.kill()
        self.node.start()
        searcher.start()

        self.check_as_afresh(index, self.node.url)

    def has_gone_on(self, changes: Changes, before: int) -> bool:
        return changes.count > before + 3
