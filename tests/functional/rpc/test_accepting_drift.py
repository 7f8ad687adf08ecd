"""The ``drift`` namespace: single places of drift are accepted."""

from orch import errors
from orch.db.repositories import observations
from orch.model import observation
from orch.model import states
from tests.functional.rpc import worker
from tests.unit.engine import fakes

_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {"web": {"type": "Test::Server"}},
}


class AcceptingTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack_id = self.create(_TEMPLATE)
        with self.database.write() as connection:
            connection.exec_driver_sql(
                "UPDATE operations SET state = ? WHERE stack_id = ?",
                (states.OperationState.COMPLETE.value, self.stack_id),
            )
        self.set_stack(self.stack_id, status=states.Status.COMPLETE)
        row = self.put_resource(
            self.stack_id,
            "web",
            properties={"peer": {"a": 1, "b": [1, 2]}},
            baseline={"peer": {"a": 1, "b": [1, 2]}},
        )
        seen = observation.Observation(
            root_id=self.stack_id,
            stack_id=self.stack_id,
            resource_id=row.id,
            state=observation.State.DRIFTED,
            differences=(
                observation.Difference(
                    property="peer",
                    expected={"a": 1, "b": [1, 2]},
                    live={"a": 2, "b": [1, 3]},
                ),
            ),
            observed_at=fakes.NOW + 1,
            drifted_at=fakes.NOW + 1,
        )
        with self.database.write() as connection:
            observations.save_many(connection, [seen])

    def expected(self) -> list[object]:
        (stack,) = self.drift.show(self.ann, self.stack_id)["stacks"]
        (one,) = stack["resources"]
        return [each["expected"] for each in one["differences"]]

    def test_a_place_is_accepted_and_undone(self) -> None:
        accepted = self.drift.accept(
            self.ann, self.stack_id, None, {"web": ["peer.b.1"]}
        )
        left = self.expected()
        undone = self.drift.undo_accept(self.ann, self.stack_id)

        self.assertEqual({"accepted": ["web"]}, accepted)
        self.assertEqual([{"a": 1, "b": [1, 3]}], left)
        self.assertEqual({"undone": ["web"]}, undone)
        self.assertEqual([{"a": 1, "b": [1, 2]}], self.expected())

    def test_an_unknown_place_is_refused(self) -> None:
        error = self.assertRaises(
            errors.Invalid,
            self.drift.accept,
            self.ann,
            self.stack_id,
            None,
            {"web": ["peer.c"]},
        )

        self.assertIn("no drift of web: peer.c.", error.message)
        self.assertIn("peer.a, peer.b.1.", error.message)
