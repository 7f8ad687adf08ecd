"""Contents on each database."""

import concurrent.futures
import json
import threading

import sqlalchemy as sa
import testscenarios

from orch import errors
from orch.db.models import stacks as tables
from orch.db.repositories import contents
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class ContentsTest(base.TestCase):
    def put(self, *texts: str) -> list[str]:
        with self.database.write() as conn:
            return contents.save_texts(conn, texts)

    def count(self) -> int:
        with self.database.read() as conn:
            number = sa.select(sa.func.count()).select_from(tables.CONTENTS)
            return int(conn.execute(number).scalar_one())

    def test_what_was_put_is_read_back(self) -> None:
        texts = ["a: é\U0001f600", "", "x" * 500_000, "nul \x00 and \ud800"]

        hashes = self.put(*texts)

        self.assertEqual([contents.hash_of(text) for text in texts], hashes)
        with self.database.read() as conn:
            self.assertEqual(
                texts, [contents.get_text(conn, h) for h in hashes]
            )
            self.assertEqual(
                dict(zip(hashes, texts, strict=True)),
                contents.get_many(conn, hashes),
            )
            self.assertEqual({}, contents.get_many(conn, []))

    def test_the_hash_is_that_of_the_text(self) -> None:
        self.assertEqual(
            "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
            contents.hash_of("hello"),
        )

    def test_what_is_there_is_stored_once(self) -> None:
        first = self.put("a", "b", "a")
        second = self.put("b", "c")

        self.assertEqual([first[0], first[0]], [first[0], first[2]])
        self.assertEqual(first[1], second[0])
        self.assertEqual(3, self.count())
        self.assertEqual([], self.put())

    def test_text_that_repeats_takes_little_room(self) -> None:
        self.put("resource: OS::Heat::Value\n" * 10_000)

        with self.database.read() as conn:
            body = conn.execute(sa.select(tables.CONTENTS.c.body)).scalar_one()
        self.assertLess(len(body), 5000)

    def test_an_unknown_hash_is_not_found(self) -> None:
        (known,) = self.put("a")

        with self.database.read() as conn:
            self.assertRaises(
                errors.NotFound, contents.get_text, conn, base.HASH
            )
            self.assertRaises(
                errors.NotFound, contents.get_many, conn, [known, base.HASH]
            )

    def test_a_text_that_was_put_long_ago_is_marked_as_used(self) -> None:
        self.put("a")
        with self.database.write() as conn:
            conn.execute(sa.update(tables.CONTENTS).values(used_at=base.NOW))

        self.put("a")

        with self.database.read() as conn:
            used_at = conn.execute(
                sa.select(tables.CONTENTS.c.used_at)
            ).scalar_one()
        self.assertGreater(used_at, base.NOW + 1000)
        self.assertEqual(1, self.count())

    def test_those_that_a_text_names_are_noted(self) -> None:
        (used,) = self.put("file")
        (user,) = self.put(json.dumps({"files": {"f": used}}))

        uses = tables.CONTENT_USES
        with self.database.read() as conn:
            found = conn.execute(sa.select(uses.c.hash, uses.c.used_hash))
            self.assertEqual([(user, used)], [tuple(row) for row in found])

    def test_the_same_texts_are_put_at_the_same_time(self) -> None:
        texts = [f"text {number}" for number in range(20)]
        start = threading.Barrier(3)

        def put(number: int) -> list[str]:
            database = self.connect()
            mine = texts if number % 2 else list(reversed(texts))
            start.wait(10)
            with database.write() as conn:
                return sorted(contents.save_texts(conn, mine))

        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            found = list(pool.map(put, range(3)))

        expected = sorted(map(contents.hash_of, texts))
        self.assertEqual([expected] * 3, found)
        self.assertEqual(20, self.count())
