"""What a look at a tree costs: its rows in two queries, a type by one list."""

import dataclasses

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine.observer import survey
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.plugin import registry
from orch.plugin import resource as plugin_resource
from orch.plugin import schema
from tests.functional.rpc import worker

_EMPTY = {"heat_template_version": "2018-08-31", "resources": {}}


class Server(plugin_resource.Resource):
    """A type that counts how it is read."""

    type_name = "Test::Server"
    has_reality = True
    properties = (schema.Property("size", schema.Type.STRING, "A size."),)
    lists = 0

    def observe(self, contexts):
        type(self).lists += 1
        sizes = {"a": "large", "b": "small"}
        return [{"size": sizes[each.name]} for each in contexts]


class SurveyingCostTest(worker.TestCase):
    def tree(self, members: int) -> stack.Stack:
        """Return a stack with so many in it, of two things each."""
        root_id = ids.StackId(self.create(_EMPTY, name=f"of-{members}"))

        def work(connection: db_engine.Connection) -> stack.Stack:
            root = stacks.get(connection, root_id)
            inner = [
                dataclasses.replace(
                    root,
                    id=ids.StackId(ids.new()),
                    name=f"{root.name}-{number}",
                    parent_id=root.id,
                    depth=1,
                )
                for number in range(members)
            ]
            stacks.insert_unnamed(connection, inner)
            rows = [_row(each, name) for each in inner for name in "ab"]
            resources.save_many(connection, rows)
            return root

        return self.database.run(work)

    def cost_of(self, members: int) -> tuple[int, int]:
        """Return how many statements and lists a look costs."""
        stack = self.tree(members)
        Server.lists = 0
        types = registry.ResourceTypes.of([Server], self.conf)
        surveyor = survey.Surveyor(self.database, types, clock.SystemClock())
        statements: list[str] = []

        def note(conn, cursor, statement, *rest) -> None:
            statements.append(statement)

        engine = self.database.engine
        sa.event.listen(engine, "before_cursor_execute", note)
        found = surveyor.survey(stack, self.ann)
        sa.event.remove(engine, "before_cursor_execute", note)
        self.assertEqual(2 * members, len(found.answers))
        # Each second thing is not as its row says.
        self.assertEqual(members, len(found.drifted_stacks))
        return len(statements), Server.lists

    def test_a_look_at_a_tree_costs_no_more_than_one_at_a_stack(
        self,
    ) -> None:
        small, lists = self.cost_of(1)
        large, lists_of_many = self.cost_of(50)

        self.assertEqual(small, large)
        self.assertLessEqual(large, 4)
        self.assertEqual((1, 1), (lists, lists_of_many))


def _row(stack: stack.Stack, name: str) -> resource.Resource:
    return resource.Resource(
        id=ids.ResourceId(ids.new()),
        stack_id=stack.id,
        name=name,
        type_name="Test::Server",
        action=states.Action.CREATE,
        status=states.Status.COMPLETE,
        physical_id="physical",
        properties={"size": "large"},
        created_at=0.0,
        updated_at=0.0,
    )
