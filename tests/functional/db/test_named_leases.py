"""Named leases on each database: who has a duty, and until when."""

import concurrent.futures
import threading

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db import functions
from orch.db.models import services
from orch.db.repositories import named_leases
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

ONE = ids.WorkerId("worker-1")
TWO = ids.WorkerId("worker-2")
TTL_S = 60.0


class NamedTest(base.TestCase):
    def acquire(self, owner: ids.WorkerId) -> object:
        with self.database.write() as conn:
            return named_leases.acquire(conn, "relay", owner, TTL_S)

    def expire_named(self) -> None:
        with self.database.write() as conn:
            conn.execute(
                sa.update(services.LEASES).values(
                    expires_at=functions.now() - 0.001
                )
            )

    def test_the_first_has_it_until_it_runs_out(self) -> None:
        held = self.acquire(ONE)
        with self.database.read() as conn:
            now = functions.read_clock(conn)

        self.assertEqual(("relay", ONE, 1), (held.name, held.owner, 1))
        self.assertTrue(now + TTL_S - 5 < held.expires_at <= now + TTL_S)
        self.assertIsNone(self.acquire(TWO))

    def test_its_owner_renews_it_under_the_same_fence(self) -> None:
        first = self.acquire(ONE)
        self.expire_named()

        second = self.acquire(ONE)

        self.assertEqual(first.fence, second.fence)
        self.assertIsNone(self.acquire(TWO))

    def test_it_passes_to_another_under_a_higher_fence(self) -> None:
        self.acquire(ONE)
        self.expire_named()

        self.assertEqual(2, self.acquire(TWO).fence)
        self.assertIsNone(self.acquire(ONE))

    def test_what_was_given_back_is_taken_at_once(self) -> None:
        self.acquire(ONE)
        with self.database.write() as conn:
            self.assertFalse(named_leases.release(conn, "relay", TWO))
            self.assertTrue(named_leases.release(conn, "relay", ONE))

        self.assertEqual((TWO, 2), _named_holder(self.acquire(TWO)))

    def test_what_is_held_is_listed_by_the_beginning_of_its_name(self) -> None:
        with self.database.write() as conn:
            for name in ("call/s_1/a", "call/s_1/b", "call/sx1/a"):
                named_leases.acquire(conn, name, ONE, TTL_S)
            named_leases.drop(conn, "call/s_1/b", TWO)
            found = named_leases.list_held(conn, "call/s_1/")
            named_leases.drop(conn, "call/s_1/b", ONE)
            left = named_leases.list_held(conn, "call/s_1/")
        self.expire_named()
        with self.database.read() as conn:
            expired = named_leases.list_held(conn, "call/")

        self.assertEqual({"call/s_1/a": ONE, "call/s_1/b": ONE}, found)
        self.assertEqual({"call/s_1/a": ONE}, left)
        self.assertEqual({}, expired)

    def test_what_nobody_holds_any_more_is_forgotten(self) -> None:
        def forget(older_than_s: float) -> int:
            with self.database.write() as conn:
                return named_leases.forget(conn, "call/", older_than_s)

        def acquire(name: str) -> None:
            with self.database.write() as conn:
                named_leases.acquire(conn, name, ONE, TTL_S)

        acquire("relay")
        acquire("call/s/gone")
        self.expire_named()
        acquire("call/s/held")

        self.assertEqual((0, 1, 0), (forget(1e12), forget(0), forget(0)))
        with self.database.read() as conn:
            left = conn.scalars(sa.select(services.LEASES.c.name)).all()
        self.assertEqual({"relay", "call/s/held"}, set(left))

    def test_of_many_that_want_it_first_one_gets_it(self) -> None:
        for number in range(10):
            start = threading.Barrier(3)

            def acquire(worker, number=number, start=start):
                database = self.connect()
                start.wait(10)
                return database.run(
                    lambda conn: named_leases.acquire(
                        conn, f"duty-{number}", worker, TTL_S
                    )
                )

            with concurrent.futures.ThreadPoolExecutor(3) as pool:
                found = list(pool.map(acquire, ("a", "b", "c")))

            self.assertEqual(1, len([each for each in found if each]))


def _named_holder(value: object) -> tuple[object, ...]:
    return (value.owner, value.fence)
