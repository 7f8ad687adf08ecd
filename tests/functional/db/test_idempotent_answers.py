"""Answers to requests that may come again, on each database."""

import concurrent.futures

import testscenarios

from orch.db import functions
from orch.db.repositories import idempotent_answers
from orch.model import idempotent_answer
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


def _make(
    key: str = "k", **given: object
) -> idempotent_answer.IdempotentAnswer:
    values = {
        "project_id": "p",
        "key": key,
        "digest": "d" * 64,
        "request_id": "req-1",
        "answer": {"stack_id": "s"},
        "created_at": base.NOW,
    }
    return idempotent_answer.IdempotentAnswer(**(values | given))


class IdempotentAnswersTest(base.TestCase):
    def store_answer(self, value: idempotent_answer.IdempotentAnswer) -> None:
        with self.database.write() as conn:
            idempotent_answers.insert(conn, value)

    def find(self, key: str) -> idempotent_answer.IdempotentAnswer | None:
        with self.database.read() as conn:
            return idempotent_answers.find(conn, "p", key)

    def test_what_was_kept_is_found_by_its_project_and_key(self) -> None:
        value = _make("K" * 255)
        self.store_answer(value)
        self.store_answer(_make("K" * 255, project_id="other", answer=None))

        self.assertEqual(value, self.find("K" * 255))
        self.assertIsNone(self.find("k" * 255))

    def test_the_same_request_may_keep_its_answer_again(self) -> None:
        self.store_answer(_make())
        self.store_answer(_make())

        self.assertEqual(_make(), self.find("k"))

    def test_another_request_with_the_key_is_too_late(self) -> None:
        self.store_answer(_make())

        self.assertRaises(
            idempotent_answers.Repeated,
            self.store_answer,
            _make(request_id="req-2"),
        )

        self.assertEqual(_make(), self.find("k"))

    def test_of_several_at_the_same_time_one_wins(self) -> None:
        def attempt(number: int) -> bool:
            value = _make(request_id=f"req-{number}")
            try:
                self.database.run(
                    lambda conn: idempotent_answers.insert(conn, value)
                )
            except idempotent_answers.Repeated:
                return False
            return True

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            won = list(pool.map(attempt, range(8)))

        self.assertEqual(1, won.count(True))
        found = self.find("k")
        assert found is not None
        self.assertEqual(f"req-{won.index(True)}", found.request_id)

    def key_of(self, key: str) -> str | None:
        """Return the key of what is kept under it."""
        found = self.find(key)
        return None if found is None else found.key

    def test_what_is_too_old_goes_a_few_at_a_time(self) -> None:
        for number in range(3):
            self.store_answer(
                _make(f"old{number}", created_at=1000.0 + number)
            )
        with self.database.read() as conn:
            now = functions.read_clock(conn)
        self.store_answer(_make("new", created_at=now))

        with self.database.write() as conn:
            gone = [
                idempotent_answers.forget_old(conn, 3600.0, 2)
                for _ in range(3)
            ]

        self.assertEqual([2, 1, 0], gone)
        self.assertEqual(
            [None, None, None, "new"],
            [self.key_of(each) for each in ("old0", "old1", "old2", "new")],
        )

    def test_of_too_many_the_oldest_go(self) -> None:
        for number in range(5):
            self.store_answer(_make(f"k{number}", created_at=1000.0 + number))
        self.store_answer(_make("other", project_id="q", created_at=1.0))

        with self.database.write() as conn:
            gone = idempotent_answers.forget_surplus(conn, "p", 2, 100)
            again = idempotent_answers.forget_surplus(conn, "p", 2, 100)

        self.assertEqual((3, 0), (gone, again))
        self.assertEqual(
            [None, None, None, "k3", "k4"],
            [self.key_of(f"k{number}") for number in range(5)],
        )
