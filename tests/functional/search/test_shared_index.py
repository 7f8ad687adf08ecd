"""The shared index when things go wrong, and when many use it."""

import collections.abc
import multiprocessing
import os
import shutil
import signal
import threading
import typing

import fixtures
import sqlalchemy as sa

from orch import clock
from orch import errors
from orch.search import document as documents
from orch.search.index import formats
from orch.search.index import port
from orch.search.index.shared import index as shared_index
from orch.search.index.shared import rows
from orch.search.index.shared import tables
from orch.search.index.sqlite import write as local
from orch.search.indexing import lease
from tests.contract.search import samples
from tests.functional import databases
from tests.functional.search import test_shared_following as following
from tests.support import postgres_server
from tests.support import waiting

_WAIT_S: typing.Final = 60


def _open(url: str, folder: str) -> shared_index.SharedIndex:
    return shared_index.SharedIndex(url, following.pathlib.Path(folder))


def _pair(stack_id: str, version: int) -> documents.StackDocuments:
    """Return a stack of many documents that all name its version."""
    return samples.stacked(
        *(
            samples.resource(
                f"{stack_id}{number}",
                stack_id=stack_id,
                fields={"properties.version": (version,)},
            )
            for number in range(40)
        ),
        stack_id=stack_id,
        version=version,
        read_at=version,
    )


def _prepare(
    url: str, folder: str, started: "multiprocessing.synchronize.Barrier"
) -> None:
    index = _open(url, folder)
    started.wait(_WAIT_S)
    index.prepare()
    index.put([samples.stacked(samples.resource("a"), stack_id=url[-3:])])
    index.close()


def _put_for_ever(url: str, folder: str) -> None:
    index = _open(url, folder)
    index.start()
    version = 1
    while True:
        version += 1
        index.put([_pair("s1", version), _pair("s2", version)])
        index.search(samples.query(limit=1))


class PreparingTest(following.Case):
    def test_several_processes_may_prepare_at_once(self) -> None:
        spawning = multiprocessing.get_context("spawn")
        started = spawning.Barrier(4)
        processes = [
            spawning.Process(
                target=_prepare, args=(self.url, str(self.folder), started)
            )
            for _ in range(4)
        ]
        for each in processes:
            each.start()
        for each in processes:
            each.join(_WAIT_S)

        self.assertEqual([0] * 4, [each.exitcode for each in processes])
        self.assertEqual(["a"], self.names(self.open()))

    def test_an_older_format_is_forgotten_with_all_that_was_noted(
        self,
    ) -> None:
        index = self.open()
        index.put([samples.stacked(samples.resource("a"))])
        index.save("x", "y")
        self.assertEqual(["a"], self.names(index))
        self.add_to_format(-1)

        index.prepare()

        self.assertEqual([], self.names(index))
        self.assertEqual([], index.stack_ids("", 10))
        self.assertIsNone(index.load("x"))

    def test_a_table_that_is_missing_is_made_anew(self) -> None:
        for each in tables.ALL:
            index = self.open()
            index.put([samples.stacked(samples.resource("a"))])
            self.execute(sa.schema.DropTable(each))
            self.assertFalse(index.index_state().is_ready, each.name)

            index.prepare()

            self.assertTrue(index.index_state().is_ready)
            index.put([samples.stacked(samples.resource("b"))])
            self.assertEqual(["b"], self.names(index))
            index.close()

    def add_to_format(self, number: int) -> None:
        state = tables.STATE
        self.execute(sa.update(state).values(format=state.c.format + number))

    def test_a_newer_format_stays_though_a_table_of_ours_is_missing(
        self,
    ) -> None:
        index = self.open()
        index.save("x", "y")
        self.add_to_format(1)
        self.execute(sa.text("DROP TABLE search_shared_deleted"))

        refused = self.assertRaises(formats.NewerFormat, index.prepare)

        self.assertIn("a newer release", refused.message)
        self.assertEqual("y", index.load("x"))


class MariaDBPreparingTest(PreparingTest):
    fixture = databases.MariaDB


class SharingTest(following.Case):
    def setUp(self) -> None:
        super().setUp()
        self.index = self.open()

    def test_s5_two_processes_answer_alike_whatever_becomes_of_one(
        self,
    ) -> None:
        folder = str(self.folder)
        for _ in range(2):
            # The first folder is that of the process which is killed.
            self.index.close()
            writer = multiprocessing.get_context("spawn").Process(
                target=_put_for_ever, args=(self.url, folder)
            )
            writer.start()
            self.addCleanup(writer.kill)
            waiting.wait_for(
                lambda: (self.folder / "0" / "search.db").exists(),
                "it searches",
                _WAIT_S,
            )
            waiting.wait_for(
                lambda: self.newest(self.index) > 3, "it puts", _WAIT_S
            )
            os.kill(writer.pid or 0, signal.SIGKILL)
            writer.join(_WAIT_S)

            again = self.open()
            newest = self.newest(self.index)
            for moment in (None, *range(newest, newest - 3, -1)):
                wanted = self.versions(self.index, moment)
                self.assertEqual({moment or newest: 80}, wanted)
                self.assertEqual(wanted, self.versions(again, moment))
            again.close()
            # It is filled from nothing.
            shutil.rmtree(self.folder / "0")
            again = self.open()
            for moment in (None, newest, newest - 1):
                self.assertEqual(
                    self.versions(self.index, moment),
                    self.versions(again, moment),
                )
            again.close()
            self.index.clear()

    def newest(self, index: port.Index) -> int:
        found = index.search(samples.query(statistics=("version",), limit=0))
        return int(found.statistics["version"].greatest or 0)

    def versions(
        self, index: port.Index, moment: int | None
    ) -> dict[int, int]:
        """Return how many documents of each version there were."""
        found = index.search(
            samples.query(
                facets=(port.Facet("version"),),
                limit=0,
                as_of=None if moment is None else samples.at(moment),
            )
        )
        return {int(key): count for key, count in found.facets["version"]}

    def test_s5_writers_of_the_same_stacks_do_not_hinder_each_other(
        self,
    ) -> None:
        failures: list[BaseException] = []
        names = [f"s{number}" for number in range(6)]

        def write(index: port.Index, order: list[str], first: int) -> None:
            try:
                for version in range(first, 21, 2):
                    index.put([_pair(each, version) for each in order])
            except BaseException as e:
                failures.append(e)

        threads = [
            threading.Thread(target=write, args=(self.index, names, 1)),
            threading.Thread(target=write, args=(self.open(), names[::-1], 2)),
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

        self.assertEqual([], failures)
        self.assertEqual({20: 240}, self.versions(self.index, None))

    def test_repeated_changes_leave_no_rows_behind(self) -> None:
        def change(first: int) -> None:
            for version in range(first, first + 10):
                self.index.put([_pair("s1", version), _pair("s2", version)])
            self.index.put([samples.stacked(stack_id="s3", version=first)])
            self.index.forget_history(samples.at(1e6))

        change(1)
        once = self.rows()
        change(100)

        self.assertEqual(once, self.rows())
        self.assertEqual({"documents": 80, "stacks": 2}, once)

    def test_what_the_rows_take_is_known_without_reading_them(self) -> None:
        before = self.index.counts().stored_bytes
        self.index.put([_pair(f"s{number}", 1) for number in range(100)])
        statements: list[str] = []

        def note(*given: typing.Any) -> None:
            statements.append(given[2])

        sa.event.listen(sa.Engine, "before_cursor_execute", note)
        self.addCleanup(
            sa.event.remove, sa.Engine, "before_cursor_execute", note
        )
        # MariaDB learns it a moment later.
        waiting.wait_for(
            lambda: self.index.counts().stored_bytes > before + 100_000,
            "it has grown",
            _WAIT_S,
        )

        self.assertEqual([], [each for each in statements if "body" in each])
        self.assertTrue(statements)

    def rows(self) -> dict[str, int]:
        with self.database().read() as connection:
            return {
                name: connection.scalar(
                    sa.select(sa.func.count()).select_from(table)
                )
                or 0
                for name, table in (
                    ("documents", tables.DOCUMENTS),
                    ("stacks", tables.STACKS),
                )
            }

    def test_many_deleted_states_are_followed_page_by_page(self) -> None:
        count = 2 * rows.PAGE + 1
        for version in (1, 2):
            some = (
                samples.resource(f"{number}-{version}")
                for number in range(count)
            )
            self.index.put(
                [samples.stacked(*some, version=version, read_at=version)]
            )
        former = samples.query(limit=0, as_of=samples.at(1))
        self.assertEqual(count, self.index.search(former).total)
        followed: list[int] = []
        follow = local.Writer.follow

        def note(
            writer: local.Writer,
            states: collections.abc.Sequence[local.State],
            deleted: collections.abc.Sequence[int],
        ) -> None:
            followed.append(len(deleted))
            follow(writer, states, deleted)

        self.useFixture(
            fixtures.MonkeyPatch(f"{local.__name__}.Writer.follow", note)
        )
        forgotten = self.open().forget_history(samples.at(1000))

        self.assertEqual(count, forgotten)
        self.assertEqual(0, self.index.search(former).total)
        self.assertEqual([rows.PAGE, rows.PAGE, 1, 0], followed)

    def test_who_cannot_write_its_folder_does_not_take_the_lease(self) -> None:
        one = self.make_lease("one", self.index)
        self.assertTrue(one.hold())
        self.folder = self.make_directory() / "no folder"
        self.folder.write_text("a file")
        other = self.make_lease("other", self.open())

        self.assertRaises(errors.Unavailable, other.hold)

        self.assertTrue(one.hold())
        self.folder.unlink()
        self.assertTrue(other.hold())
        self.assertFalse(one.hold())

    def make_lease(self, owner: str, index: port.Index) -> lease.Lease:
        return lease.Lease(index, owner, clock.SystemClock())


class MariaDBSharingTest(SharingTest):
    fixture = databases.MariaDB


class OutageTest(following.Case):
    def setUp(self) -> None:
        super().setUp()
        self.server = self.useFixture(postgres_server.PostgresServer())
        self.url = self.server.url
        self.index = self.open()
        self.index.put([samples.stacked(samples.resource("a"))])
        self.index.save("x", "y")

    def test_s5_nothing_is_lost_when_the_server_is_killed(self) -> None:
        self.assertEqual(["a"], self.names(self.index))
        self.server.kill()
        newer = samples.stacked(samples.resource("b"), version=2)
        for act in (
            lambda: self.index.put([newer]),
            lambda: self.index.save("x", "z"),
            lambda: self.index.search(samples.query()),
            self.index.prepare,
            self.index.counts,
        ):
            self.assertRaises(errors.Unavailable, act)
        self.server.start()

        self.assertEqual("y", self.index.load("x"))
        self.assertEqual(["a"], self.names(self.index))
        self.assertEqual(1, self.index.put([newer]))
        self.assertEqual(["b"], self.names(self.index))

    def test_a_restart_between_two_calls_is_not_noticed(self) -> None:
        self.server.kill()
        self.server.start()

        newer = samples.stacked(samples.resource("b"), version=2)
        self.assertEqual(1, self.index.put([newer]))
        self.assertEqual(["b"], self.names(self.index))
