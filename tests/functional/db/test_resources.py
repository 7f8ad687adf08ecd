"""Resources on each database."""

import dataclasses

import sqlalchemy as sa
import testscenarios
from oslo_db import exception

from orch import ids
from orch.db.models import stacks
from orch.db.repositories import resources
from orch.model import marked
from orch.model import resource
from orch.model import states
from tests.functional.db import base
from tests.functional.db import statements

load_tests = testscenarios.load_tests_apply_scenarios

STACK = ids.StackId("00000000-0000-0000-0000-000000000001")


def _make(**given: object) -> resource.Resource:
    return base.make_resource(**({"stack_id": STACK} | given))


def _make_all(count: int) -> list[resource.Resource]:
    return [_make(name=f"r{number:05}") for number in range(count)]


def _completed(value: resource.Resource) -> resource.Resource:
    return dataclasses.replace(
        value,
        action=states.Action.CREATE,
        status=states.Status.COMPLETE,
        physical_id=f"thing-{value.name}",
        attributes={"output": value.name},
    )


class _Case(base.TestCase):
    def save(self, *values: resource.Resource) -> None:
        with self.database.write() as conn:
            resources.save_many(conn, values)

    def read(self) -> list[resource.Resource]:
        with self.database.read() as conn:
            return resources.list_(conn, STACK)


RICH = _make(
    name="näme",
    action=states.Action.UPDATE,
    status=states.Status.FAILED,
    status_reason="a \U0001f600 % ' \" \\ %(x)s :y",
    physical_id="/a/long path/" + "p" * 5000,
    attempt=3,
    is_outcome_unknown=True,
    requires=("a", "b"),
    properties={
        "text": "é\x00\u2028'%s",
        "big": 2**80,
        "float": 0.1,
        "nested": {"list": [1, None, True, {"a": []}]},
    },
    attributes={"show": "x" * 100_000},
    data={"key": "value"},
    metadata={"m": [1, 2]},
    deletion_policy="Retain",
    replaced_by=ids.ResourceId(ids.new()),
    created_at=base.NOW + 0.123456,
    updated_at=base.NOW + 0.654321,
    started_at=base.NOW,
    operation_id=ids.OperationId(ids.new()),
)


class StoreTest(_Case):
    def test_what_was_saved_is_read_back(self) -> None:
        self.save(RICH)

        self.assertEqual([RICH], self.read())

    def test_text_that_databases_refuse_is_made_storable(self) -> None:
        self.save(_make(status_reason="a\x00b\ud800c"))

        (found,) = self.read()
        self.assertEqual("a\ufffdb\ufffdc", found.status_reason)

    def test_a_save_updates_all_that_can_change(self) -> None:
        fixed = {
            name: getattr(RICH, name) for name in ("id", "name", "created_at")
        }
        self.save(_make(**fixed))

        self.save(RICH)

        self.assertEqual([RICH], self.read())

    def has_secrets(self) -> bool:
        with self.database.read() as conn:
            return conn.scalars(
                sa.select(stacks.RESOURCES.c.has_secrets)
            ).one()

    def test_marks_are_read_back(self) -> None:
        value = marked.Marked({"a": "s3cret", "b": 1}, [("a",)])
        names = ("properties", "attributes", "desired_properties")
        self.save(_make(**dict.fromkeys(names, value)))

        (found,) = self.read()
        for name in names:
            self.assertEqual(value, getattr(found, name))
            self.assertEqual(
                (("a",),), marked.paths_of(getattr(found, name)), name
            )

    def test_each_save_says_whether_it_has_secrets(self) -> None:
        plain = _make()
        for value, expected in (
            (plain, False),
            (
                dataclasses.replace(
                    plain, properties=marked.Marked({"a": 1}, [("a",)])
                ),
                True,
            ),
            (plain, False),
            (
                dataclasses.replace(
                    plain, mapped_type="OS::Heat::RandomString"
                ),
                True,
            ),
        ):
            self.save(value)

            self.assertIs(expected, bool(self.has_secrets()))

    def test_a_save_leaves_what_cannot_change(self) -> None:
        value = _make()
        self.save(value)

        self.save(
            dataclasses.replace(
                value, external_id="x", created_at=base.NOW + 9
            )
        )

        self.assertEqual([value], self.read())

    def test_a_save_takes_new_and_old_ones_together(self) -> None:
        old, new = _make(name="old"), _make(name="new")
        self.save(old)

        self.save(_completed(old), new)

        self.assertEqual([new, _completed(old)], self.read())

    def test_nothing_is_stored_for_nothing(self) -> None:
        self.save()

        self.assertEqual([], self.read())

    def test_a_value_too_long_for_its_column_is_refused(self) -> None:
        if self.database.dialect == "sqlite":
            self.skipTest("SQLite has no bounds")
        value = _make(name="n" * 256)

        self.assertRaises(exception.DBError, self.save, value)

        self.assertEqual([], self.read())


class BulkTest(_Case):
    def test_a_thousand_rows_are_one_statement(self) -> None:
        if self.database.dialect == "sqlite":
            self.skipTest("SQLite has no server")
        values = _make_all(3000)
        with self.database.write() as conn:
            with statements.counted(conn) as inserted:
                resources.save_many(conn, values)
            with statements.counted(conn) as saved:
                resources.save_many(conn, [_completed(v) for v in values])

        # PyMySQL sends a megabyte at most.
        self.assertTrue(1 <= inserted.value <= 4, inserted.value)
        self.assertTrue(1 <= saved.value <= 4, saved.value)

    def test_many_rows_are_all_stored(self) -> None:
        values = _make_all(2345)
        self.save(*values)
        completed = [_completed(each) for each in values]

        self.save(*completed)

        self.assertEqual(completed, self.read())


class FindTest(_Case):
    def test_a_list_has_all_incarnations_of_this_stack_by_name(self) -> None:
        values = [
            _make(name="a"),
            _make(name="b"),
            _make(name="b", created_at=base.NOW + 1),
        ]
        self.save(*reversed(values), base.make_resource())

        self.assertEqual(values, self.read())

    def test_a_list_of_summaries_has_the_same_rows(self) -> None:
        self.save(_make(), RICH, _completed(_make(name="b")))

        with self.database.read() as conn:
            found = resources.list_summaries(conn, STACK)

        names = [field.name for field in dataclasses.fields(found[0])]
        for whole, summary in zip(self.read(), found, strict=True):
            for name in names:
                self.assertEqual(getattr(whole, name), getattr(summary, name))

    def test_a_name_finds_its_incarnations_the_oldest_first(self) -> None:
        old, new = _make(), _make(created_at=base.NOW + 1)
        old = dataclasses.replace(old, replaced_by=new.id)
        self.save(new, old, base.make_resource(name="elsewhere"))

        with self.database.read() as conn:
            self.assertEqual(
                [old, new], resources.list_named(conn, STACK, "web")
            )
            for name in ("WEB", "elsewhere"):
                self.assertEqual([], resources.list_named(conn, STACK, name))

    def test_a_name_or_a_physical_id_finds_what_stands_for_it(self) -> None:
        old = _make(name="a", physical_id="x", replaced_by=ids.new())
        first = _make(name="a", physical_id="p")
        second = _make(name="b", physical_id="a")
        gone = _make(name="c", physical_id="g", action=states.Action.DELETE)
        self.save(old, first, second, gone, base.make_resource(name="e"))

        with self.database.read() as conn:
            found = {
                name: resources.find_current(conn, STACK, name)
                for name in ("a", "p", "b", "x", "g", "e")
            }

        self.assertEqual(
            {
                "a": first,
                "p": first,
                "b": second,
                **dict.fromkeys("xge", None),
            },
            found,
        )


class CountTest(_Case):
    def test_what_stands_for_its_name_is_counted_by_its_state(self) -> None:
        made = [_completed(each) for each in _make_all(3)]
        replaced = dataclasses.replace(made[0], replaced_by=made[1].id)
        gone = dataclasses.replace(
            _completed(_make(name="gone")), action=states.Action.DELETE
        )
        other = base.make_resource(
            stack_id=ids.StackId("00000000-0000-0000-0000-000000000002")
        )
        waiting = _make(name="waiting")
        self.save(replaced, made[1], made[2], gone, other, waiting)

        with self.database.read() as conn:
            found = resources.count_by_status(conn, STACK)

        self.assertEqual({"CREATE_COMPLETE": 2, "INIT_COMPLETE": 1}, found)


class DeleteTest(_Case):
    def test_those_that_are_named_go(self) -> None:
        values = _make_all(1500)
        other = base.make_resource()
        self.save(*values, other)

        with self.database.write() as conn:
            gone = resources.delete_many(
                conn, STACK, [each.id for each in values[1:]] + [other.id]
            )
            self.assertEqual([other], resources.list_(conn, other.stack_id))

        self.assertEqual(1499, gone)
        self.assertEqual(values[:1], self.read())

    def test_all_of_a_stack_go(self) -> None:
        other = base.make_resource()
        self.save(_make(name="a"), _make(name="b"), other)

        with self.database.write() as conn:
            self.assertEqual(2, resources.delete_all(conn, STACK))
            self.assertEqual([other], resources.list_(conn, other.stack_id))

        self.assertEqual([], self.read())
