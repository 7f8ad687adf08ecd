"""The index follows the database, whatever becomes of notifications."""

import pathlib

import fixtures

from orch import errors
from orch.context import request
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc import transport
from orch.search.index import port
from tests import base
from tests.functional.search import test_service
from tests.support import indexed
from tests.support import queues
from tests.support import running
from tests.support import waiting

_LIMIT_S = 60


class FeedTest(base.TestCase):
    limit_s = 240

    def start(self, topics: str) -> port.Index:
        found = self.useFixture(
            running.Distributed(
                {
                    "notifications": {"topics": topics},
                    # The check of the index finds nothing in time.
                    "search": {"check_interval": 86_400},
                },
                workers=1,
                searchers=1,
            )
        )
        self.url = found.broker.url()
        self.client = found.system.client
        self.system = found.system
        index = indexed.wait_for_index(found.database.url)
        self.addCleanup(index.close)
        return index

    def change(self, index: port.Index) -> None:
        """Create, update and delete; check that all of it is found."""
        stacks = [
            self.client.create(f"web{number}", test_service.template())
            for number in range(3)
        ]
        self.wait_count(index, 9)
        self.client.ask(
            "PUT",
            stacks[0].path,
            {"template": test_service.template(9, 1), "tags": "blue"},
        )
        self.client.delete(stacks[1])
        self.wait_count(index, 5)
        waiting.wait_for(
            lambda: (
                indexed.find(index, "tags", "blue") == ["web0", "web0/text0"]
            ),
            "the tag is found",
            _LIMIT_S,
        )
        self.check_as_afresh(index)

    def wait_count(self, index: port.Index, count: int) -> None:
        waiting.wait_for(
            lambda: len(indexed.contents(index)) == count,
            f"{count} documents",
            _LIMIT_S,
        )

    def check_as_afresh(self, index: port.Index) -> None:
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        wanted = indexed.fill_afresh(self.url, directory)
        waiting.wait_for(
            lambda: indexed.contents(index) == wanted,
            "the index differs from a fresh fill",
            _LIMIT_S,
        )

    def test_changes_are_found_where_no_notifications_are_sent(self) -> None:
        self.change(self.start(topics=""))

    def test_changes_are_found_where_a_queue_rejects_notifications(
        self,
    ) -> None:
        index = self.start(topics="notifications")
        self.useFixture(
            queues.Queue(
                self.url,
                "notifications.info",
                "notifications.error",
                arguments=queues.FULL,
            )
        )
        self.change(index)
        self.assertIn("FAIL  topic notifications: ", self.system.doctor())

    def test_a_searcher_that_was_away_finds_what_came_meanwhile(self) -> None:
        index = self.start(topics="")
        stack = self.client.create("old", test_service.template())
        self.wait_count(index, 3)
        (searcher,) = self.system.searchers
        searcher.kill()
        self.client.delete(stack)
        self.client.wait(
            self.client.create("new", test_service.template(count=1)),
            "CREATE_COMPLETE",
        )
        searcher.start()

        waiting.wait_for(
            lambda: indexed.find(index, "name", "text0") == ["new/text0"],
            "the new stack alone",
            _LIMIT_S,
        )
        self.check_as_afresh(index)

    def test_bad_positions_and_limits_are_refused(self) -> None:
        self.start(topics="")
        bus = transport.build_transport(
            indexed.options_of("sqlite:///x"), self.url
        )
        self.addCleanup(bus.cleanup)
        documents = proxy.proxy(
            contract.Documents, transport.Caller(bus, _LIMIT_S)
        )
        asked = request.RequestContext()
        for position, limit, said in (
            ("7", 10, "'7' is no position of the change feed"),
            ("feed.x", 10, "'feed.x' is no position"),
            ("", 0, "limit must be between 1 and 10000, not 0"),
            ("", 10_001, "limit must be between 1 and 10000, not 10001"),
        ):
            error = self.assertRaises(
                errors.Invalid, documents.changes, asked, position, limit
            )
            self.assertIn(said, str(error))
        first = documents.changes(asked, "", 10)
        self.assertEqual(([], False), (first["stacks"], first["is_complete"]))
        foreign = documents.changes(asked, "other.5", 10)
        self.assertFalse(foreign["is_complete"])
        ahead = f"{first['position'].rpartition('.')[0]}.{10**9}"
        self.assertFalse(documents.changes(asked, ahead, 10)["is_complete"])
