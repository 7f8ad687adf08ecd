"""Operations that cannot be planned end as others that fail do: through REST,
on ``orch-all``, and looked up in the world that the plug-in acts on.
"""

import typing

import sqlalchemy as sa

from orch.db import engine
from orch.db.models import stacks
from tests.functional import acting
from tests.functional import test_operations as base_case
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

UNPLANNABLE = "cannot be planned"
"""A label to which the plug-in lets no update be planned."""


class UpdateTests(acting.ActionsTestCase):
    def test_it_is_rolled_back(self) -> None:
        stack = self.create("old", disable_rollback=False)

        self.update(stack, world_templates.chain(UNPLANNABLE))
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "old"), self.labels())
        self.assertEqual(
            world_templates.chain("old"),
            self.client.ask("GET", f"{stack.path}/template"),
        )
        self.assertEqual(
            [
                (self.name, "UPDATE_IN_PROGRESS"),
                (self.name, "UPDATE_FAILED"),
                (self.name, "ROLLBACK_IN_PROGRESS"),
                (self.name, "ROLLBACK_COMPLETE"),
            ],
            self.events_after(stack, "CREATE_COMPLETE"),
        )

    def test_it_stays_where_nothing_is_rolled_back(self) -> None:
        stack = self.create("old")

        self.update(stack, world_templates.chain(UNPLANNABLE))
        shown = self.client.wait(stack, "UPDATE_FAILED")

        self.assertIn("what this label needs", shown["stack_status_reason"])
        self.assertEqual(dict.fromkeys("abc", "old"), self.labels())

    def test_its_failures_tell_why(self) -> None:
        stack = self.create("old")

        self.update(stack, world_templates.chain(UNPLANNABLE))
        self.client.wait(stack, "UPDATE_FAILED")

        (failure,) = typing.cast(list[Json], self.operation(stack)["failures"])
        self.assertEqual(
            (self.name, "", "UPDATE"),
            (failure["name"], failure["path"], failure["action"]),
        )
        self.assertIn("what this label needs", failure["reason"])

    def test_a_better_one_is_taken_after_it(self) -> None:
        stack = self.create("old")
        self.update(stack, world_templates.chain(UNPLANNABLE))
        self.client.wait(stack, "UPDATE_FAILED")

        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "new"), self.labels())


class SnapshotTests(base_case.OperationTestCase):
    def test_what_was_stored_before_can_be_removed(self) -> None:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        self.world.order(self.name, "snapshot", "b")
        path = f"{stack.path}/snapshots"
        taken = typing.cast(Json, self.client.ask("POST", path, {}))
        self.wait_for_act("held-snapshot-watch", "b")
        self.system.server.kill()
        lost = self.take_contents()
        self.system.start()
        waiting.wait_for(
            lambda: self.operations(stack)[0]["state"] == "FAILED",
            "the end of the snapshot",
        )
        self.put_contents(lost)
        self.assertIn(taken["id"], self.world.snapshots())

        self.client.ask("DELETE", f"{path}/{taken['id']}")

        self.assertNotIn(taken["id"], self.world.snapshots())
        found = self.client.get(path, "snapshots")
        self.assertEqual([], found)

    def database(self) -> engine.Database:
        path = self.system.directory / "state" / "orch.db"
        database = engine.Database(f"sqlite:///{path}")
        self.addCleanup(database.dispose)
        return database

    def take_contents(self) -> list[Json]:
        """Let no template be there any more."""
        with self.database().write() as connection:
            found = connection.execute(sa.select(stacks.CONTENTS)).all()
            connection.execute(sa.delete(stacks.CONTENTS))
        return [dict(each._mapping) for each in found]

    def put_contents(self, lost: list[Json]) -> None:
        with self.database().write() as connection:
            connection.execute(sa.insert(stacks.CONTENTS), lost)
