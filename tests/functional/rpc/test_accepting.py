"""Accepting requests when the database's answers get lost."""

from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import operations
from tests.functional.rpc import worker

TEMPLATE = {"heat_template_version": "2021-04-16"}


class Forgetful(db_engine.Database):
    """Commits, loses the answer, and so runs the work once more."""

    def run(self, work):
        super().run(work)
        return super().run(work)


class LostAnswerTest(worker.TestCase):
    def test_a_stack_whose_commit_gave_no_answer_is_accepted_once(
        self,
    ) -> None:
        self.start(database=Forgetful(str(self.database.engine.url)))

        stack_id = self.create(TEMPLATE)

        with self.database.read() as connection:
            asked = operations.list_(connection, stack_id)
            newest = events.find_newest(connection, stack_id)
        self.assertEqual(1, len(asked))
        self.assertEqual(asked[0].id, newest.operation_id)
        self.assertEqual(1, newest.sequence)
