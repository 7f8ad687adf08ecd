"""``orch-all`` searches: what changes is found, whatever happens to it."""

import contextlib
import pathlib
import sqlite3

from orch import clock
from orch.cmd import state_directory
from orch.search.index import port
from orch.search.indexing import full_scan_state
from orch.search.indexing import lease
from tests import base
from tests.support import forks
from tests.support import indexed
from tests.support import processes
from tests.support import running
from tests.support import serving
from tests.support import waiting

_LIMIT_S = 60
_CLOCK = clock.SystemClock()


def template(length: int = 8, count: int = 2) -> dict[str, object]:
    """Return a template of random texts."""
    return {
        "heat_template_version": "2021-04-16",
        "description": "Texts for nobody.",
        "resources": {
            f"text{number}": {
                "type": "OS::Heat::RandomString",
                "properties": {"length": length},
            }
            for number in range(count)
        },
    }


class EmbeddedTest(base.TestCase):
    limit_s = 180

    def setUp(self) -> None:
        super().setUp()
        found = self.useFixture(running.Embedded(serving.options()))
        self.system = found.system
        self.client = found.system.client
        self.state: pathlib.Path = found.directory / "state"

    def open_index(self) -> port.Index:
        index = indexed.open_index(f"sqlite:///{self.state}/search.db")
        self.addCleanup(index.close)
        return index

    def wait_found(
        self, index: port.Index, field: str, value: str, *paths: str
    ) -> None:
        waiting.wait_for(
            lambda: indexed.find(index, field, value) == list(paths),
            f"{field}:{value} is not {paths}",
            _LIMIT_S,
        )

    def wait_settled(self, index: port.Index) -> None:
        waiting.wait_for(
            lambda: not indexed.find(index, "status", "IN_PROGRESS"),
            "something is left to read",
            _LIMIT_S,
        )

    def test_s5_creates_updates_and_deletes_are_found(self) -> None:
        index = self.open_index()
        stack = self.client.create("web", template(), tags="red")
        self.wait_found(index, "tags", "red", "web", "web/text0", "web/text1")
        self.wait_found(index, "name", "text1", "web/text1")
        self.wait_settled(index)
        self.wait_found(index, "length", "8", "web/text0", "web/text1")

        self.client.ask(
            "PUT",
            stack.path,
            {"template": template(9, 1), "tags": "blue"},
        )
        self.wait_found(index, "length", "9", "web/text0")
        self.wait_found(index, "name", "text1")
        self.wait_settled(index)
        self.wait_found(index, "tags", "red")

        self.client.delete(stack)
        self.wait_found(index, "stack_id", stack.id)
        self.assertEqual({}, indexed.contents(index))

    def test_s2_a_lost_index_is_filled_again(self) -> None:
        index = self.open_index()
        for number in range(3):
            self.client.create(f"web{number}", template())
        waiting.wait_for(
            lambda: len(indexed.contents(index)) == 9, "9", _LIMIT_S
        )
        self.wait_settled(index)
        before = indexed.contents(index)
        index.close()

        self.system.server.kill()
        for each in self.state.glob("search.db*"):
            each.unlink()
        self.system.start()

        again = self.open_index()
        waiting.wait_for(
            lambda: indexed.contents(again) == before, "a new fill", _LIMIT_S
        )

    def test_s2_a_scan_that_a_kill_left_is_resumed(self) -> None:
        index = self.open_index()
        self.client.create("web", template())
        waiting.wait_for(
            lambda: len(indexed.contents(index)) == 3, "3", _LIMIT_S
        )
        self.system.server.kill()
        full_scan_state.save(
            index, full_scan_state.FullScan(full_scan_state.FILL, "00000000")
        )
        # Elsewhere a process that was heard of just now keeps it.
        lease.Lease(index, "dead", _CLOCK).hold()
        self.system.start()

        waiting.wait_for(
            lambda: full_scan_state.find_scan(index) is None,
            "it ends",
            _LIMIT_S,
        )

    def test_s2_one_command_rebuilds_the_index(self) -> None:
        index = self.open_index()
        self.client.create("web", template())
        waiting.wait_for(
            lambda: len(indexed.contents(index)) == 3, "3", _LIMIT_S
        )
        self.wait_settled(index)
        before = indexed.contents(index)

        said = self.manage("rebuild")

        self.assertIn("reads all stacks again", said)
        waiting.wait_for(
            lambda: indexed.contents(index) == before, "a rebuild", _LIMIT_S
        )
        said = self.manage("status")
        self.assertIn("1 stacks, 3 documents", said)
        self.assertIn("filled at", said)
        self.assertIn("reads all stacks again", self.manage("refill"))

    def manage(self, verb: str) -> str:
        return processes.run(
            "orch-manage",
            *("--config-file", str(self.system.directory / "orch.conf")),
            *("search", verb, "--state-dir", str(self.state)),
            launch=forks.launch,
        )

    def test_s5_a_kill_loses_no_change(self) -> None:
        index = self.open_index()
        for number in range(6):
            self.client.create(f"web{number}", template())
            if number % 2:
                self.system.server.kill()
                self.system.start()

        waiting.wait_for(
            lambda: len(indexed.contents(index)) == 18, "18", _LIMIT_S
        )
        self.wait_settled(index)
        found = indexed.contents(index)
        self.manage("rebuild")
        waiting.wait_for(
            lambda: indexed.contents(index) == found, "a rebuild", _LIMIT_S
        )


class SwitchedOffTest(base.TestCase):
    def test_nothing_is_kept_where_nobody_searches(self) -> None:
        found = self.useFixture(
            running.Embedded({"search": {"embedded": False}})
        )

        found.system.client.create("web", template())

        self.assertFalse((found.directory / "state" / "search.db").exists())

    def test_one_change_of_each_stack_is_kept_where_nothing_follows(
        self,
    ) -> None:
        found = self.useFixture(
            running.Embedded({"search": {"embedded": False}})
        )
        stack = found.system.client.create("web", template())
        found.system.client.wait(stack, "CREATE_COMPLETE")
        place = found.directory / "state" / state_directory.DATABASE

        # At its start a worker sweeps.
        found.system.server.kill()
        found.system.start()

        def count() -> list[int]:
            with contextlib.closing(sqlite3.connect(place)) as opened:
                return [
                    opened.execute(f"SELECT count(*) FROM {table}").fetchone()[
                        0
                    ]
                    for table in ("change_records", "changed_stacks")
                ]

        waiting.wait_for(
            lambda: count() == [0, 1], "the records are compact", _LIMIT_S
        )
