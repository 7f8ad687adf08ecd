"""How the local files of several processes follow the shared rows."""

import contextlib
import os
import pathlib
import sqlite3
import threading
import time
import typing

import fixtures
import sqlalchemy as sa

from orch import errors
from orch.db import engine
from orch.db import schema_lock
from orch.search import document as documents
from orch.search.index import port
from orch.search.index import replacement
from orch.search.index.shared import index as shared_index
from orch.search.index.shared import rows
from orch.search.index.shared import tables
from orch.search.index.sqlite import index as sqlite_index
from tests import base
from tests.contract.search import samples
from tests.functional import databases
from tests.support import waiting

_WAIT_S: typing.Final = 60
_NEVER_S: typing.Final = 3600.0


class Case(base.TestCase):
    """Openings of one index, each as a process of its own has it."""

    limit_s = 180
    fixture: type[databases.PostgreSQL | databases.MariaDB] = (
        databases.PostgreSQL
    )

    def setUp(self) -> None:
        super().setUp()
        self.url: str = self.useFixture(self.fixture()).url
        self.folder: pathlib.Path = self.make_directory() / "files"

    def open(
        self,
        *,
        is_prepared: bool = True,
        limit_s: float = _WAIT_S,
        interval_s: float = _NEVER_S,
    ) -> shared_index.SharedIndex:
        """Return another opening; it follows only when it is asked."""
        index = shared_index.SharedIndex(
            self.url, self.folder, limit_s=limit_s, interval_s=interval_s
        )
        if is_prepared:
            index.prepare()
        self.addCleanup(index.close)
        return index

    def names(
        self, index: port.Index, as_of: float | None = None
    ) -> list[str]:
        moment = None if as_of is None else samples.at(as_of)
        found = index.search(
            samples.query(sort=(port.Sort("name"),), as_of=moment)
        )
        self.assertEqual(len(found.hits), found.total)
        return [each.document.name for each in found.hits]

    def database(self) -> engine.Database:
        database = engine.Database(self.url)
        self.addCleanup(database.dispose)
        return database

    def execute(self, *statements: sa.Executable) -> None:
        with self.database().write() as connection:
            for each in statements:
                connection.execute(each)


def _put(index: port.Index, name: str, version: int, **values: object) -> None:
    """Let stack ``s1`` have one resource, as it was read at its version."""
    index.put(
        [
            samples.stacked(
                samples.resource(name),
                version=version,
                read_at=version,
                **values,
            )
        ]
    )


class FoldersTest(Case):
    def test_each_process_has_a_folder_of_its_own(self) -> None:
        one, other = self.open(), self.open()
        _put(one, "a", 1)

        self.assertEqual(["a"], self.names(one))
        self.assertEqual(["a"], self.names(other))
        self.assertEqual(["0", "1"], self.folders())
        other.close()
        self.assertEqual(["a"], self.names(self.open()))
        self.assertEqual(["0", "1"], self.folders())

    def folders(self) -> list[str]:
        return sorted(each.name for each in self.folder.iterdir())

    def test_files_that_no_process_has_had_for_long_are_deleted(self) -> None:
        one, other, third = self.open(), self.open(), self.open()
        _put(one, "a", 1)
        for each in (one, other, third):
            self.names(each)
        other.close()
        third.close()
        long_ago = time.time() - 7200
        for each in ("0", "1"):
            os.utime(self.folder / each / "lock", (long_ago, long_ago))
        one.close()

        again = self.open()
        self.assertEqual(["a"], self.names(again))

        waiting.wait_for(lambda: self.with_files() == ["0", "2"], "deleted")

    def test_files_that_cannot_be_deleted_do_not_fail_searches(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        (self.folder / "9" / "search.db").mkdir(parents=True)
        lock = self.folder / "9" / "lock"
        lock.touch()
        os.utime(lock, (0.0, 0.0))

        self.assertEqual(["a"], self.names(one))

    def test_the_hour_of_a_process_that_is_killed_begins_late(self) -> None:
        lock = self.folder / "0" / "lock"
        lock.parent.mkdir(parents=True)
        lock.touch()
        os.utime(lock, (0.0, 0.0))

        self.open().start()

        waiting.wait_for(lambda: lock.stat().st_mtime > 0.0, "in use")

    def with_files(self) -> list[str]:
        return sorted(
            each.name
            for each in self.folder.iterdir()
            if list(each.glob("search.db*"))
        )

    def test_what_is_ready_is_prepared_without_the_lock(self) -> None:
        one = self.open()
        with schema_lock.locked(self.database(), shared_index._LOCK):
            one.prepare()

        self.assertTrue(one.index_state().is_ready)

    def test_who_only_looks_or_writes_takes_no_folder(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        one.save("x", "y")
        self.assertEqual(1, one.counts().documents)
        self.assertTrue(one.index_state().is_ready)

        self.assertFalse(self.folder.exists())

    def test_it_is_filled_before_it_is_asked_once_it_is_started(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        one.start()
        self.assertEqual(["a"], self.names(one))
        self.assertEqual(["0"], self.folders())

    def test_a_folder_is_taken_again_and_goes_on(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        self.names(one)
        one.close()
        # A fill would find nothing.
        self.execute(sa.delete(tables.DOCUMENTS))
        again = self.open()
        self.assertEqual(["a"], self.names(again))

        self.put_elsewhere("b")
        self.assertEqual(["a", "b"], self.names(again))

    def put_elsewhere(self, name: str) -> None:
        self.open().put(
            [
                samples.stacked(
                    samples.resource(name, stack_id="s2"), stack_id="s2"
                )
            ]
        )

    def test_a_folder_that_cannot_be_used_is_named(self) -> None:
        self.folder.write_text("a file")
        one = self.open()
        _put(one, "a", 1)

        error = self.assertRaises(errors.Unavailable, self.names, one)

        self.assertIn(str(self.folder), error.message)
        self.assertIn("[search] folder", error.message)
        self.folder.unlink()
        self.assertEqual(["a"], self.names(one))

    def test_files_that_are_gone_are_filled_again(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        _put(one, "b", 9)
        for is_closed in (False, True):
            self.assertEqual(["b"], self.names(one))
            if is_closed:
                one.close()
            for each in (self.folder / "0").glob("search.db*"):
                each.unlink()

            self.assertEqual(["b"], self.names(one))
            self.assertEqual(["a"], self.names(one, as_of=5))

    def test_a_damaged_file_is_filled_again(self) -> None:
        one = self.open()
        one.put(
            [samples.stacked(*(samples.resource(f"r{n}") for n in range(300)))]
        )
        before = self.names(one)
        self.assertEqual(300, len(before))
        one.close()
        path = self.folder / "0" / "search.db"
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\x5a" * (size - 4096))

        again = self.open()
        # A search, the thread that follows, or both meet the damage.
        for _ in range(2):
            with contextlib.suppress(errors.Unavailable):
                self.names(again)
        self.assertEqual(before, self.names(again))
        self.assertEqual([], [*path.parent.glob("*broken*")])

    def test_damage_that_only_searches_meet_is_repaired(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        self.names(one)
        one.close()
        samples.damage_documents(self.folder / "0" / "search.db")

        again = self.open()
        self.assertRaises(errors.Unavailable, self.names, again)
        self.assertEqual(["a"], self.names(again))

    def test_a_file_of_a_newer_release_is_made_anew(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        self.names(one)
        one.close()
        path = self.folder / "0" / "search.db"
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 9999")
        connection.close()

        self.assertEqual(["a"], self.names(self.open()))

    def test_files_of_other_rows_are_not_believed(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        self.names(one)
        one.close()
        self.url = self.useFixture(self.fixture()).url
        other = self.open()
        _put(other, "b", 1)

        self.assertEqual(["b"], self.names(other))


class FollowingTest(Case):
    def test_what_was_hidden_since_is_gone_in_each_process(self) -> None:
        one, other = self.open(), self.open()
        _put(one, "a", 1)
        _put(one, "b", 2)
        self.assertEqual(["a"], self.names(other, as_of=1))

        _put(one, "c", 3, redacted=frozenset({"x"}))

        for moment in (1, 2):
            self.assertEqual([], self.names(other, as_of=moment))
        self.assertEqual(["c"], self.names(other))

    def test_a_state_replaced_and_forgotten_unseen_is_gone(self) -> None:
        one, other = self.open(), self.open()
        _put(one, "a", 1)
        self.assertEqual(["a"], self.names(other))

        _put(one, "b", 2)
        self.assertEqual(1, one.forget_history(samples.at(1000)))

        for each in (one, other):
            self.assertEqual(["b"], self.names(each))
            self.assertEqual([], self.names(each, as_of=1))

    def test_who_is_too_far_behind_fills_again(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        self.assertEqual(["a"], self.names(one))
        self.useFixture(
            fixtures.MonkeyPatch(f"{rows.__name__}._MAX_DELETED", 0)
        )
        self.useFixture(
            fixtures.MonkeyPatch(f"{rows.__name__}._FORGOTTEN_AT_ONCE", 1)
        )
        for version in (2, 3):
            _put(one, f"b{version}", version)
        other = self.open()
        other.forget_history(samples.at(1000))

        self.assertEqual(["b3"], self.names(one))
        self.assertEqual([], self.names(one, as_of=1))

    def test_rows_that_were_restored_from_a_backup(self) -> None:
        one = self.open(interval_s=0.1)
        _put(one, "a", 1)
        backup = self.read_all()
        _put(one, "b", 2)
        _put(one, "c", 3)
        self.assertEqual(["c"], self.names(one))

        self.execute(
            *(sa.delete(table) for table in backup),
            *(
                sa.insert(table).values(found)
                for table, found in backup.items()
                if found
            ),
        )

        waiting.wait_for(
            lambda: self.names(one) == ["a"], "it has what was restored"
        )
        _put(one, "d", 2)
        self.assertEqual(["d"], self.names(one))
        self.assertEqual(["a"], self.names(one, as_of=1))

    def read_all(self) -> dict[sa.Table, list[dict[str, typing.Any]]]:
        with self.database().read() as connection:
            return {
                table: [
                    dict(row)
                    for row in connection.execute(sa.select(table)).mappings()
                ]
                for table in tables.ALL
            }

    def test_a_number_that_means_another_document_now(self) -> None:
        one, other = self.open(), self.open()
        _put(one, "a", 1)
        self.names(one)
        other.clear()
        _put(other, "b", 1)

        self.assertEqual(["b"], self.names(one))
        self.assertEqual(["b"], self.names(other))

    def test_a_file_that_is_taken_away_in_a_search_gives_no_answer(
        self,
    ) -> None:
        one = self.open()
        _put(one, "a", 1)
        self.names(one)
        search, calls = sqlite_index.SQLiteIndex.search, 0

        def take_away(
            index: sqlite_index.SQLiteIndex, query: port.Query
        ) -> port.Found:
            nonlocal calls
            calls += 1
            if calls == 1:
                for each in (self.folder / "0").glob("search.db*"):
                    each.unlink()
            return search(index, query)

        self.useFixture(
            fixtures.MonkeyPatch(
                f"{sqlite_index.__name__}.SQLiteIndex.search", take_away
            )
        )

        self.assertEqual(["a"], self.names(one))
        self.assertEqual(2, calls)

    def test_rows_that_are_emptied_while_a_search_begins(self) -> None:
        one, other = self.open(), self.open()
        _put(one, "a", 1)
        self.names(one)
        read_state, is_emptied = rows.read_state, False
        asking = threading.current_thread()

        def empty(connection: sa.Connection) -> rows.State:
            nonlocal is_emptied
            found = read_state(connection)
            if threading.current_thread() is asking and not is_emptied:
                is_emptied = True
                _put(one, "b", 2)
                found = read_state(connection)
                other.clear()
                _put(other, "c", 1)
            return found

        self.useFixture(
            fixtures.MonkeyPatch(f"{rows.__name__}.read_state", empty)
        )

        self.assertEqual(["c"], self.names(one))

    def test_nothing_is_answered_before_there_are_rows(self) -> None:
        one = self.open(is_prepared=False, limit_s=0.1)

        error = self.assertRaises(errors.Unavailable, self.names, one)

        self.assertIn("search_shared_state", error.message)

    def test_nothing_is_answered_while_it_is_filled(self) -> None:
        one = self.open()
        _put(one, "a", 1)
        goes_on = threading.Event()
        list_states = rows.list_states

        def wait(connection: sa.Connection, number: int) -> list[typing.Any]:
            self.assertTrue(goes_on.wait(_WAIT_S))
            return list_states(connection, number)

        self.useFixture(
            fixtures.MonkeyPatch(f"{rows.__name__}.list_states", wait)
        )
        self.addCleanup(goes_on.set)
        one = self.open(limit_s=0.2)

        error = self.assertRaises(errors.Unavailable, self.names, one)
        self.assertIn("is being filled", error.message)

        goes_on.set()
        self.assertEqual(["a"], self.names(self.open()))

    def test_what_changes_during_a_fill_is_not_missed(self) -> None:
        self.useFixture(fixtures.MonkeyPatch(f"{rows.__name__}.PAGE", 1))
        writer = self.open()
        stacks = [f"s{number}" for number in range(6)]
        writer.put([self.stack(each, 1) for each in stacks])
        list_states, calls = rows.list_states, 0

        def change(connection: sa.Connection, number: int) -> list[typing.Any]:
            nonlocal calls
            calls += 1
            if calls == 3:
                # One that was copied, and one that was not.
                writer.put([self.stack("s0", 2), self.stack("s5", 2)])
                writer.put([self.stack("s1", 2, frozenset({"x"}))])
            if calls == 5:
                raise errors.Unavailable("The fill ends in its middle.")
            return list_states(connection, number)[:1]

        self.useFixture(
            fixtures.MonkeyPatch(f"{rows.__name__}.list_states", change)
        )
        one = self.open()
        self.assertRaises(errors.Unavailable, self.names, one)

        wanted = ["s0-2", "s1-2", "s2-1", "s3-1", "s4-1", "s5-2"]
        self.assertEqual(wanted, self.names(one))
        self.assertEqual(
            ["s0-1", "s2-1", "s3-1", "s4-1", "s5-1"],
            self.names(one, as_of=1),
        )
        # It went on where it had ended: one state a call, and the last one.
        self.assertLess(calls, 15)

    def stack(
        self,
        stack_id: str,
        version: int,
        redacted: frozenset[str] = frozenset(),
    ) -> documents.StackDocuments:
        return samples.stacked(
            samples.resource(f"{stack_id}-{version}", stack_id=stack_id),
            stack_id=stack_id,
            version=version,
            read_at=version,
            redacted=redacted,
        )


class ServersTest(Case):
    """What each database server has to do alike."""

    def test_a_writer_waits_for_who_has_the_revision_before(self) -> None:
        index = self.open()
        first = samples.stacked(samples.resource("a"))
        second = samples.stacked(
            samples.resource("b", stack_id="s2"), stack_id="s2"
        )
        writer = threading.Thread(target=index.put, args=([second],))
        with self.database().write() as connection:
            packed = [(first, replacement.pack(first))]
            rows.replace_stacks(connection, packed)
            writer.start()
            # Nothing of the second may be seen while the first is open.
            for _ in range(5):
                self.assertEqual([], self.names(index))
        writer.join()
        self.assertEqual(["a", "b"], self.names(index))

    def test_all_that_is_followed_at_once_is_of_one_moment(self) -> None:
        one, other = self.open(), self.open()
        _put(one, "a", 1)
        self.assertEqual(["a"], self.names(one))
        _put(other, "b", 2)
        list_deleted, is_changed = rows.list_deleted, False

        def change(
            connection: sa.Connection, revision: int
        ) -> list[list[int]]:
            nonlocal is_changed
            found = list(list_deleted(connection, revision))
            if not is_changed:
                is_changed = True
                # What it deletes is not told any more.
                _put(other, "c", 3, redacted=frozenset({"x"}))
            return found

        self.useFixture(
            fixtures.MonkeyPatch(f"{rows.__name__}.list_deleted", change)
        )
        state = self.database().query(rows.read_state)
        follower = one._following()
        local = follower.current(state, _WAIT_S)

        self.assertEqual(["b"], self.names(local))
        self.assertTrue(is_changed)
        self.assertEqual(["c"], self.names(one))
        self.assertEqual([], self.names(one, as_of=2))


class MariaDBServersTest(ServersTest):
    fixture = databases.MariaDB
