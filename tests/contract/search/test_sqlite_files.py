"""What becomes of the file: broken, foreign, old, killed, out of reach."""

import contextlib
import os
import pathlib
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap

import fixtures

from orch import errors
from orch.search.index import port
from orch.search.index.sqlite import index as sqlite_index
from orch.search.query import nodes
from tests import base
from tests.contract.search import samples
from tests.contract.search.samples import at
from tests.contract.search.samples import resource
from tests.contract.search.samples import stacked


class FileTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.path: pathlib.Path = self.make_directory() / "search.db"

    def open(self, **options: float) -> sqlite_index.SQLiteIndex:
        index = sqlite_index.SQLiteIndex(self.path, **options)  # type: ignore[arg-type]
        self.addCleanup(index.close)
        return index

    def names(self, index: port.Index) -> list[str]:
        found = index.search(samples.query(sort=(port.Sort("name"),)))
        return [each.document.name for each in found.hits]

    def aside(self) -> list[pathlib.Path]:
        return list(self.path.parent.glob("search.db.broken-*"))

    def test_s2_a_broken_file_is_moved_aside(self) -> None:
        self.path.write_bytes(b"no database at all" * 1000)
        logged = self.useFixture(fixtures.FakeLogger())
        index = self.open()
        index.prepare()

        self.assertEqual([], self.names(index))
        self.assertEqual(0, index.counts().documents)
        (aside,) = self.aside()
        self.assertIn(b"no database", aside.read_bytes())
        self.assertIn(str(aside), logged.output)
        index.put([stacked(resource("a"))])
        self.assertEqual(["a"], self.names(self.open()))

    def test_s2_a_damaged_file_is_moved_aside(self) -> None:
        index = self.open()
        index.put([stacked(*(resource(f"r{each}") for each in range(300)))])
        index.close()
        size = self.path.stat().st_size
        with self.path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\x5a" * (size - 4096))
        index = self.open()

        refused = self.assertRaises(
            errors.Unavailable, index.search, samples.query()
        )

        self.assertIn("made anew", refused.message)
        self.assertEqual([], self.names(index))
        self.assertEqual(1, len(self.aside()))
        index.put([stacked(resource("a"))])
        index.close()
        self.assertEqual(["a"], self.names(self.open()))

    def test_s2_what_a_search_finds_damaged_is_made_anew(self) -> None:
        index = self.open(readers=3)
        index.put([stacked(resource("a"))])
        index.save("filled", "yes")
        self._occupy_readers(index, 3)
        samples.damage_documents(self.path)

        self.assertRaises(errors.Unavailable, port.check_searchable, index)

        for _ in range(3):
            self._assert_empty(index)
        self.assertEqual(1, len(self.aside()))
        index.put([stacked(resource("b"))])
        self.assertEqual(["b"], self.names(index))

    def test_s2_a_file_that_was_replaced_answers_no_more(self) -> None:
        index = self.open(readers=3)
        index.put([stacked(resource("old"))])
        index.save("filled", "yes")
        self._occupy_readers(index, 3)
        self.path.with_name("search.db.damaged").touch()

        index.prepare()

        self.assertEqual(1, len(self.aside()))
        for _ in range(3):
            self._assert_empty(index)
        index.put([stacked(resource("new"))])
        self.assertEqual(["new"], self.names(index))
        index.close()
        self.assertEqual(["new"], self.names(self.open()))

    def test_s2_another_process_replaces_the_file(self) -> None:
        index = self.open(readers=3)
        index.put([stacked(resource("old"))])
        index.save("filled", "yes")
        self._occupy_readers(index, 3)
        self.path.with_name("search.db.damaged").touch()
        other = self.open()
        other.prepare()

        for _ in range(3):
            self._assert_empty(index)
        index.put([stacked(resource("new"))])
        self.assertEqual(["new"], self.names(other))
        other.put([stacked(resource("newer"), version=2)])
        self.assertEqual(["newer"], self.names(index))

    def test_s2_a_file_that_was_taken_away_is_made_anew(self) -> None:
        for takes_all in (False, True):
            for begin in (
                self._assert_empty,
                lambda index: index.save("walk", "begun"),
            ):
                index = self.open()
                index.put([stacked(resource("old"))])
                index.save("filled", "yes")
                logged = self.useFixture(fixtures.FakeLogger())
                for suffix in ("", "-wal", "-shm") if takes_all else ("",):
                    self.path.with_name(f"search.db{suffix}").unlink()

                begin(index)

                self.assertIn("was removed, replaced", logged.output)
                self._assert_empty(index)
                index.put([stacked(resource("new"))])
                self.assertEqual(["new"], self.names(index))
                index.close()
                self.assertEqual(["new"], self.names(self.open()))
                self.path.unlink()

    def _occupy_readers(
        self, index: sqlite_index.SQLiteIndex, count: int
    ) -> None:
        """Let each reader of the index have a connection."""
        with contextlib.ExitStack() as stack:
            for _ in range(count):
                stack.enter_context(index._reading())

    def _assert_empty(self, index: port.Index) -> None:
        self.assertEqual([], self.names(index))
        self.assertEqual([], index.stack_ids("", 10))
        self.assertIsNone(index.load("filled"))

    def test_its_files_are_for_their_owner_alone(self) -> None:
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        index = self.open()
        index.put([stacked(resource("a"))])

        modes = {
            each.name: stat.S_IMODE(each.stat().st_mode)
            for each in self.path.parent.glob("search.db*")
        }

        self.assertEqual(
            {
                "search.db": 0o600,
                "search.db-wal": 0o600,
                "search.db-shm": 0o600,
            },
            modes,
        )

    def test_numbers_beyond_all_bounds_hold_up_nothing(self) -> None:
        index = self.open()
        great = {"properties.size": (10**400, -(10**5000))}

        index.put([stacked(resource("a"), resource("b", fields=great))])

        self.assertEqual(["a", "b"], self.names(index))
        found = index.search(
            samples.query(nodes.Term("properties.size", str(10**400)))
        )
        self.assertEqual(["b"], [each.document.name for each in found.hits])

    def test_the_database_of_something_else_is_moved_aside(self) -> None:
        with sqlite3.connect(self.path) as connection:
            connection.execute("CREATE TABLE theirs (x)")
        connection.close()
        index = self.open()
        index.prepare()

        self.assertEqual([], self.names(index))
        (aside,) = self.aside()
        with sqlite3.connect(aside) as connection:
            found = connection.execute("SELECT name FROM sqlite_master")
            self.assertEqual([("theirs",)], found.fetchall())
        connection.close()

    def test_s2_an_index_of_an_older_format_is_made_anew(self) -> None:
        index = self.open()
        index.put([stacked(resource("a"))])
        index.save("filled", "yes")
        index.close()
        with sqlite3.connect(self.path) as connection:
            connection.execute("PRAGMA user_version = 1")
        connection.close()

        index = self.open()
        index.prepare()

        self.assertEqual([], self.names(index))
        self.assertIsNone(index.load("filled"))
        self.assertEqual([], self.aside())

    def test_what_cannot_be_opened_is_unavailable(self) -> None:
        self.path.write_text("a file")
        index = sqlite_index.SQLiteIndex(self.path / "below" / "search.db")
        for act in (
            index.prepare,
            index.counts,
            lambda: index.load("x"),
            lambda: index.put([stacked(resource("a"))]),
            lambda: index.search(samples.query()),
        ):
            self.assertRaises(errors.Unavailable, act)
        index.close()

    def test_a_locked_file_is_unavailable_and_works_again(self) -> None:
        index = self.open(busy_s=0.2)
        index.put([stacked(resource("a"))])
        other = sqlite3.connect(self.path, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")

        newer = stacked(resource("b"), version=2)

        self.assertRaises(errors.Unavailable, index.put, [newer])
        self.assertRaises(errors.Unavailable, index.save, "x", "y")
        self.assertEqual(["a"], self.names(index))
        other.execute("ROLLBACK")
        self.assertEqual(1, index.put([newer]))
        self.assertEqual(["b"], self.names(index))

    def test_a_search_that_takes_too_long_is_refused(self) -> None:
        self.open().put(
            [
                stacked(
                    *(
                        resource(f"{each}", path=f"x/{each}" * 20)
                        for each in range(3000)
                    )
                )
            ]
        )
        index = self.open(limit_s=0.0)
        node = nodes.Pattern("path", "*1*2*3*4*5*6*")

        refused = self.assertRaises(
            errors.LimitExceeded, index.search, samples.query(node)
        )

        self.assertIn("seconds", refused.message)
        self.assertEqual(3000, index.counts().documents)

    def test_buckets_that_take_too_long_are_refused(self) -> None:
        self.open().put([stacked(resource("a"))])
        index = self.open(limit_s=0.0)

        def search(**children: port.Aggregation) -> port.Found:
            names = port.Aggregation(
                kind=port.TERMS, field="name", place="x", children=children
            )
            query = samples.query(limit=0, aggregations={"names": names})
            return index.search(query)

        self.assertEqual(1, search().total)
        self.assertRaises(
            errors.LimitExceeded,
            search,
            types=port.Aggregation(kind=port.TERMS, field="type", place="y"),
        )
        self.assertEqual(1, index.counts().documents)

    def test_repeated_changes_do_not_let_the_file_grow(self) -> None:
        index = self.open()

        def change(first: int) -> int:
            for version in range(first, first + 60):
                found = [
                    resource(f"r{each}", tags=(f"t{version}x{each}",))
                    for each in range(20)
                ]
                put = stacked(*found, version=version, read_at=version)
                index.put([put])
                index.forget_history(at(version))
            index.close()
            return self.path.stat().st_size

        before = change(1)
        self.assertLess(change(100), before * 1.3)
        self.assertEqual(20, index.counts().documents)
        facet = index.search(
            samples.query(facets=(port.Facet("tags", 100),))
        ).facets["tags"]
        self.assertEqual(20, len(facet))

    def test_s5_kill_in_the_middle_leaves_whole_stacks(self) -> None:
        for _ in range(5):
            self._kill_while_putting()
            index = self.open()
            index.prepare()
            stacks = dict(index.stack_ids("", 1000))
            found = index.search(
                samples.query(facets=(port.Facet("stack_id", 1000),))
            )
            counts = dict(found.facets["stack_id"])
            self.assertEqual(set(stacks), set(counts))
            self.assertEqual({3}, set(counts.values()))
            for stack_id in stacks:
                versions = {
                    each.document.fields["properties.version"]
                    for each in found.hits
                    if each.document.stack_id == stack_id
                }
                self.assertEqual(1, len(versions))
            index.close()

    def _kill_while_putting(self) -> None:
        program = textwrap.dedent(
            """
            import itertools, pathlib, sys, time
            from orch.search.index.sqlite import index as sqlite_index
            from tests.contract.search import samples

            index = sqlite_index.SQLiteIndex(pathlib.Path(sys.argv[1]))
            start = int(time.time() * 1000)
            for number in itertools.count(start):
                stack_id = f"s{number % 40}"
                documents = [
                    samples.resource(
                        f"{stack_id}{name}",
                        stack_id=stack_id,
                        fields={"properties.version": (number,)},
                    )
                    for name in "abc"
                ]
                index.put(
                    [
                        samples.stacked(
                            *documents, stack_id=stack_id, version=number
                        )
                    ]
                )
                print(number, flush=True)
            """
        )
        with subprocess.Popen(
            [sys.executable, "-c", program, str(self.path)],
            cwd=pathlib.Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": "."},
        ) as process:
            assert process.stdout is not None
            for _ in range(50):
                self.assertTrue(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
