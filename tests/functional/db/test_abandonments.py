"""Documents of abandoned stacks, and who owns a thing, on each database."""

import dataclasses
import threading

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db.repositories import abandonments
from orch.db.repositories import ownership
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine.adoption import offer_states
from orch.model import abandonment
from orch.model import resource
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

VALUE = "OS::Heat::Value"


def make(**given: object) -> abandonment.Abandonment:
    values = {
        "id": ids.new(),
        "stack_id": ids.StackId("s"),
        "project_id": "demo",
        "basis": "b",
        "document": {"name": "web", "resources": {"a": {"resource_id": "x"}}},
        "created_at": base.NOW,
    }
    return abandonment.Abandonment(**(values | given))


class AbandonmentsTest(base.TestCase):
    def store(self, **given: object) -> abandonment.Abandonment:
        value = make(**given)
        with self.database.write() as conn:
            abandonments.insert(conn, value)
        return value

    def test_it_comes_back_as_it_was(self) -> None:
        value = self.store()

        with self.database.read() as conn:
            self.assertEqual(value, abandonments.find(conn, value.id))
            self.assertIsNone(abandonments.find(conn, ids.new()))

    def commit(self, value: abandonment.Abandonment, **given: object) -> None:
        with self.database.write() as conn:
            abandonments.commit(conn, value.id, ids.OperationId(ids.new()))
            if given:
                abandonments.update(conn, value.id, **given)

    def test_hand_overs_are_those_of_either_project(self) -> None:
        old, new, foreign, kept = (
            self.store(stack_id=ids.StackId(ids.new())) for _ in range(4)
        )
        self.commit(old, receiver_id="other", offered_at=base.NOW)
        self.commit(
            new, receiver_id="other", offered_at=base.NOW + 1, taken_by="t"
        )
        self.commit(foreign, receiver_id="third", offered_at=base.NOW - 1)
        self.commit(kept)

        with self.database.read() as conn:
            ours, theirs, others = (
                [each.id for each in abandonments.list_hand_overs(conn, name)]
                for name in ("demo", "other", "fourth")
            )
            found = abandonments.find_hand_over(conn, new.stack_id)

        self.assertEqual([new.id, old.id, foreign.id], ours)
        self.assertEqual([new.id, old.id], theirs)
        self.assertEqual([], others)
        assert found is not None
        self.assertEqual(("other", "t"), (found.receiver_id, found.taken_by))

    def hand_over(self, count: int) -> None:
        """Store hand-overs, two at each moment, which another has had."""
        for number in range(count):
            value = self.store(stack_id=ids.StackId(f"s{number}"))
            self.commit(
                value,
                receiver_id="other",
                offered_at=base.NOW + number // 2,
                taken_by="purged",
            )

    def test_hand_overs_come_page_by_page(self) -> None:
        self.hand_over(6)
        pages: list[list[str]] = []
        marker: str | None = None

        with self.database.read() as conn:
            whole = abandonments.list_hand_overs(conn, "other")
            while found := abandonments.list_hand_overs(
                conn, "other", limit=4, marker=marker
            ):
                pages.append([each.stack_id for each in found])
                marker = pages[-1][-1]

        self.assertEqual([4, 2], list(map(len, pages)))
        self.assertEqual(
            [each.stack_id for each in whole], [*pages[0], *pages[1]]
        )

    def test_the_states_of_many_take_the_statements_of_one(self) -> None:
        self.hand_over(6)

        counts = {self.count_statements(size) for size in (1, 6)}

        self.assertEqual(1, len(counts), counts)

    def count_statements(self, size: int) -> int:
        """Return how many statements a page of hand-overs takes."""
        statements: list[object] = []

        def note(*arguments: object) -> None:
            statements.append(arguments[2])

        engine = self.database.engine
        sa.event.listen(engine, "before_cursor_execute", note)
        try:
            with self.database.read() as conn:
                found = abandonments.list_hand_overs(conn, "other", limit=size)
                read = offer_states.read_states(conn, found)
        finally:
            sa.event.remove(engine, "before_cursor_execute", note)
        self.assertEqual(
            [offer_states.State.OFFERED] * size, [x.state for x in read]
        )
        return len(statements)

    def test_a_later_abandonment_of_a_stack_replaces_the_earlier_one(
        self,
    ) -> None:
        first = self.store()
        self.commit(first, receiver_id="other", offered_at=base.NOW)
        second = self.store(created_at=base.NOW - 9)

        self.commit(second)

        with self.database.read() as conn:
            found = abandonments.find_hand_over(conn, first.stack_id)
            self.assertEqual([], abandonments.list_hand_overs(conn, "other"))
        assert found is not None
        self.assertEqual(second.id, found.id)

    def test_only_a_committed_one_is_that_of_a_stack(self) -> None:
        value = self.store()
        self.store(stack_id=ids.StackId("other"))
        operation_id = ids.OperationId(ids.new())

        with self.database.write() as conn:
            before = abandonments.find_committed(conn, value.stack_id)
            abandonments.commit(conn, value.id, operation_id)
            after = abandonments.find_committed(conn, value.stack_id)

        self.assertIsNone(before)
        assert after is not None
        self.assertEqual(
            (value.id, operation_id), (after.id, after.operation_id)
        )

    def test_old_ones_are_forgotten(self) -> None:
        old = self.store()
        new = self.store(created_at=base.NOW + 1e9)

        with self.database.write() as conn:
            gone = abandonments.forget_old(conn, 1.0)

        self.assertEqual(1, gone)
        with self.database.read() as conn:
            self.assertIsNone(abandonments.find(conn, old.id))
            self.assertEqual(new, abandonments.find(conn, new.id))


class OwnershipTest(base.TestCase):
    def store(
        self, physical_id: str, deleted: bool = False, **given: object
    ) -> resource.Resource:
        stack = base.make_stack(deleted_at=base.NOW if deleted else None)
        row = base.make_resource(
            stack_id=stack.id, physical_id=physical_id, **given
        )
        with self.database.write() as conn:
            stacks.insert(conn, stack)
            resources.save_many(conn, [row])
        return row

    def owners(self, *things: tuple[str, str]) -> dict[object, str]:
        keys = [ownership.PhysicalKey(*each, None) for each in things]
        with self.database.read() as conn:
            found = ownership.find_owners(conn, keys)
        owners = {}
        for key, (owner,) in found.items():
            self.assertEqual("demo", owner.project_id)
            owners[key[:2]] = owner.stack_id
        return owners

    def test_the_owner_of_a_thing_is_found(self) -> None:
        row = self.store("x" * 5000)
        self.store("y")

        found = self.owners((VALUE, "x" * 5000), (VALUE, "z"))

        self.assertEqual({(VALUE, "x" * 5000): row.stack_id}, found)

    def test_an_id_of_another_scope_has_another_owner(self) -> None:
        row = self.store("1", id_scope="here")
        # One that is being adopted, or of an earlier release.
        unknown = self.store("2")
        self.store("3", id_scope="there")
        keys = [ownership.PhysicalKey(VALUE, each, "here") for each in "123"]
        in_any = ownership.PhysicalKey(VALUE, "3", None)

        with self.database.read() as conn:
            found = ownership.find_owners(conn, [*keys, in_any])

        self.assertEqual(
            {keys[0]: [row.id], keys[1]: [unknown.id]},
            {
                key: [each.resource_id for each in owners]
                for key, owners in found.items()
                if key != in_any
            },
        )
        self.assertEqual("there", found[in_any][0].id_scope)

    def test_what_is_still_of_another_stack_is_not_owned(self) -> None:
        row = self.store("x", taken_from="former")
        self.assertEqual({}, self.owners((VALUE, "x")))

        with self.database.write() as conn:
            resources.save_many(
                conn, [dataclasses.replace(row, taken_from=None)]
            )
        self.assertEqual({}, self.owners((VALUE, "x")))
        with self.database.write() as conn:
            resources.set_column(conn, "taken_from", [(row, None)])
            resources.save_many(conn, [row])

        self.assertEqual(
            {(VALUE, "x"): row.stack_id}, self.owners((VALUE, "x"))
        )

    def test_an_owner_is_found_without_its_type(self) -> None:
        row = self.store("x")
        self.store("y")

        self.assertEqual({("", "x"): row.stack_id}, self.owners(("", "x")))

    def test_what_was_not_verified_is_owned_in_its_project(self) -> None:
        self.store("x", is_unverified=True)
        self.store("y")

        with self.database.read() as conn:
            found = ownership.find_owners(
                conn,
                [ownership.PhysicalKey(VALUE, each, None) for each in "xy"],
            )

        self.assertEqual(
            {"x": (True, False), "y": (True, True)},
            {
                key.physical_id: (owner.is_in("demo"), owner.is_in("other"))
                for key, (owner,) in found.items()
            },
        )

    def test_a_type_that_is_mapped_counts_as_what_it_is(self) -> None:
        row = self.store("x", type_name="My::Type", mapped_type=VALUE)

        found = self.owners((VALUE, "x"), ("My::Type", "x"))

        self.assertEqual({(VALUE, "x"): row.stack_id}, found)

    def test_who_is_gone_or_looks_only_owns_nothing(self) -> None:
        self.store("x", deleted=True)
        self.store("x", external_id="x")
        self.store(
            "x",
            action=states.Action.DELETE,
            status=states.Status.COMPLETE,
        )

        self.assertEqual({}, self.owners((VALUE, "x")))

    def test_tokens_of_what_is_there_are_found(self) -> None:
        row = self.store("x")
        deleted = self.store("y", deleted=True)
        gone = self.store(
            "z",
            action=states.Action.DELETE,
            status=states.Status.COMPLETE,
        )

        with self.database.read() as conn:
            found = ownership.find_tokens(
                conn, [row.id, deleted.id, gone.id, row.stack_id, ids.new()]
            )
            nothing = ownership.find_tokens(conn, [])

        self.assertEqual({row.id, row.stack_id}, found)
        self.assertEqual(set(), nothing)

    def test_more_than_a_page_of_things(self) -> None:
        first, last = self.store("thing-0"), self.store("thing-1199")

        found = self.owners(
            *((VALUE, f"thing-{number}") for number in range(1200))
        )

        self.assertEqual({first.stack_id, last.stack_id}, set(found.values()))

    def test_of_two_that_decide_the_second_waits(self) -> None:
        seen: list[dict[object, list[ownership.Owner]]] = []
        begun = threading.Event()
        key = ownership.PhysicalKey(VALUE, "x", "")

        def second() -> None:
            begun.set()
            with self.connect().write() as conn:
                ownership.decide_alone(conn)
                seen.append(dict(ownership.find_owners(conn, [key])))

        stack = base.make_stack()
        row = base.make_resource(stack_id=stack.id, physical_id="x")
        other = threading.Thread(target=second)
        with self.database.write() as conn:
            ownership.decide_alone(conn)
            other.start()
            begun.wait(10)
            stacks.insert(conn, stack)
            resources.save_many(conn, [row])
        other.join(30)

        ((owner,),) = (each.values() for each in seen)
        self.assertEqual([row.id], [each.resource_id for each in owner])
