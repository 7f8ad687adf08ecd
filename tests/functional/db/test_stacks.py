"""Stacks on each database."""

import concurrent.futures
import dataclasses
import threading

import sqlalchemy as sa
import testscenarios

from orch import errors
from orch.db import errors as db_errors
from orch.db.models import stacks as tables
from orch.db.repositories import stacks
from orch.model import stack
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class StacksTest(base.TestCase):
    def store(self, **given: object) -> stack.Stack:
        value = base.make_stack(**given)
        with self.database.write() as conn:
            stacks.insert(conn, value)
        return value

    def read(self, value: stack.Stack) -> stack.Stack:
        with self.database.read() as conn:
            return stacks.get(conn, value.id)

    def read_tags(self, value: stack.Stack) -> set[str]:
        tags = tables.STACK_TAGS
        with self.database.read() as conn:
            found = conn.scalars(
                sa.select(tags.c.tag).where(tags.c.stack_id == value.id)
            )
            return set(found)

    def test_what_was_stored_is_read_back(self) -> None:
        value = self.store(
            name="Web-é",
            status_reason="a\U0001f600" * 40_000,
            tags=("b", "a"),
            description="line\nline",
            disable_rollback=False,
            timeout_s=90,
            user_id="u",
            username="n",
            depth=2,
            updated_at=base.NOW + 0.123456,
        )

        found = self.read(value)

        self.assertEqual(value, found)
        self.assertIs(states.Status.IN_PROGRESS, found.status)
        self.assertIs(False, found.disable_rollback)

    def test_a_value_that_is_none_is_stored_as_null(self) -> None:
        value = self.store()

        blocked = tables.STACKS.c.blocked
        with self.database.read() as conn:
            found = conn.execute(
                sa.select(sa.type_coerce(blocked, sa.Text()).is_(None))
            ).scalar_one()
        self.assertTrue(found)
        self.assertIsNone(self.read(value).blocked)

    def test_an_unknown_id_is_not_found(self) -> None:
        value = base.make_stack()
        with self.database.write() as conn:
            for read in (stacks.get, stacks.lock):
                self.assertRaises(errors.NotFound, read, conn, value.id)
            self.assertRaises(
                errors.NotFound, stacks.update, conn, value.id, depth=1
            )

    def test_a_name_is_found_in_its_project_only(self) -> None:
        value = self.store(name="web", project_id="one")

        with self.database.read() as conn:
            self.assertEqual(value, stacks.find_live(conn, "one", "web"))
            self.assertIsNone(stacks.find_live(conn, "two", "web"))
            self.assertIsNone(stacks.find_live(conn, "one", "Web"))

    def test_a_project_has_a_name_once(self) -> None:
        first = self.store(name="web")
        self.store(name="web", project_id="other")
        self.store(name="WEB")
        second = base.make_stack(name="web", tags=("new",))

        with self.database.write() as conn:
            self.assertRaises(db_errors.NameTaken, stacks.insert, conn, second)
            # The transaction is still good.
            self.assertEqual(first, stacks.find_live(conn, "demo", "web"))

        with self.database.read() as conn:
            self.assertRaises(errors.NotFound, stacks.get, conn, second.id)

    def test_nested_stacks_do_not_take_names(self) -> None:
        root = self.store(name="web")
        for _ in range(2):
            self.store(name="web", parent_id=root.id, root_id=root.id)

        with self.database.read() as conn:
            self.assertEqual(root, stacks.find_live(conn, "demo", "web"))

    def test_a_deleted_stack_gives_its_name_back_and_stays(self) -> None:
        first = self.store(name="web")
        with self.database.write() as conn:
            stacks.update(conn, first.id, deleted_at=base.NOW + 1)
            self.assertIsNone(stacks.find_live(conn, "demo", "web"))
        second = self.store(name="web")

        with self.database.read() as conn:
            self.assertEqual(second, stacks.find_live(conn, "demo", "web"))
        self.assertEqual(base.NOW + 1, self.read(first).deleted_at)

    def test_a_stack_that_is_stored_again_stays_as_it_is(self) -> None:
        value = self.store(tags=("a",))

        with self.database.write() as conn:
            stacks.insert(conn, dataclasses.replace(value, depth=9))

        self.assertEqual(value, self.read(value))

    def test_of_two_that_want_a_name_at_once_one_gets_it(self) -> None:
        start = threading.Barrier(2)

        def store(_: object) -> bool:
            database, value = self.connect(), base.make_stack(name="web")
            start.wait(10)
            try:
                database.run(lambda conn: stacks.insert(conn, value))
            except db_errors.NameTaken:
                return False
            return True

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(store, range(2)))

        self.assertEqual([False, True], sorted(answers))

    def test_an_update_changes_what_it_names(self) -> None:
        value = self.store(tags=("old", "kept"))
        changed = {
            "status": states.Status.FAILED,
            "status_reason": "no\x00thing \ud800 works",
            "tags": ("kept", "new"),
            "updated_at": base.NOW,
        }

        with self.database.write() as conn:
            stacks.update(conn, value.id, **changed)

        changed["status_reason"] = "no\ufffdthing \ufffd works"
        self.assertEqual(
            dataclasses.replace(value, **changed), self.read(value)
        )
        self.assertEqual({"kept", "new"}, self.read_tags(value))

    def test_a_locked_stack_waits_for_the_end_of_the_transaction(
        self,
    ) -> None:
        value = self.store()
        other, is_locked = self.connect(), threading.Event()
        order: list[str] = []

        def wait() -> None:
            is_locked.wait(10)

            def work(conn: object) -> None:
                stacks.lock(conn, value.id)
                order.append("second")

            other.run(work)

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(wait)
            with self.database.write() as conn:
                stacks.lock(conn, value.id)
                is_locked.set()
                concurrent.futures.wait([waiting], timeout=0.2)
                order.append("first")
            waiting.result(10)

        self.assertEqual(["first", "second"], order)
