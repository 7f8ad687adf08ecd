"""Signals, asked for as over the bus."""

import dataclasses

from orch import errors
from orch import ids
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import signals as stored_signals
from orch.engine import dependencies
from orch.model import event
from orch.model import event_position
from orch.model import states
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import signals
from tests.functional.rpc import worker
from tests.unit.engine import fakes

TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {"bell": {"type": "Test::Bell"}},
}


class Bell(resource.Resource):
    """Does with a signal what the signal says."""

    type_name = "Test::Bell"
    takes_signals = True

    def handle_signal(
        self, context: call_context.Context, details: object
    ) -> signals.SignalResult:
        match details:
            case "crash":
                raise RuntimeError("a secret")
            case "refuse":
                raise errors.Invalid("not this one")
            case "odd":
                return signals.SignalResult(signal_data={"a": object()})
            case "quiet":
                return signals.SignalResult(answer=dict(context.signals))
        return signals.SignalResult(
            signal_data={**context.signals, str(details): 1},
            reason=f"rang {details}",
        )


class SignalTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.types = registry.ResourceTypes.of([*fakes.KINDS, Bell], self.conf)
        self.start(settings=dependencies.Settings(max_stored_size=100))
        self.stack_id = self.create(TEMPLATE)
        self.bell = self.put_resource(
            self.stack_id, "bell", type_name=Bell.type_name
        )

    def send(self, details: object, **given: str) -> object:
        return self.resources.signal(
            self.ann, self.stack_id, "bell", details, **given
        )

    def signal_events(self) -> list[tuple[str, str]]:
        return [
            (each.status.value, each.reason)
            for each in self.all_events()
            if each.action is states.Action.SIGNAL
        ]

    def all_events(self) -> list[event.Event]:
        with self.database.read() as connection:
            return events.list_after(
                connection, [self.stack_id], event_position.START, 1000
            )

    def signal_data(self) -> object:
        with self.database.read() as connection:
            found = stored_signals.list_(
                connection, self.stack_id, [self.bell.id]
            )
        return found[self.bell.id]

    def end(self, state: states.OperationState) -> ids.OperationId:
        """Let the stack's operation be in a state; return its id."""
        stored = self.get_stack(self.stack_id)
        assert stored.operation_id is not None
        with self.database.write() as connection:
            connection.exec_driver_sql(
                "UPDATE operations SET state = ? WHERE id = ?",
                (state.value, stored.operation_id),
            )
        return stored.operation_id

    def test_what_it_leaves_is_kept_and_told_of(self) -> None:
        self.end(states.OperationState.COMPLETE)
        first = self.send("a")
        self.send("b")
        third = self.send("quiet")

        self.assertEqual({"accepted": None, "answer": None}, first)
        self.assertEqual({"accepted": None, "answer": {"a": 1, "b": 1}}, third)
        self.assertEqual(
            [("COMPLETE", "rang a"), ("COMPLETE", "rang b")],
            self.signal_events(),
        )

    def test_refusals_change_nothing_and_are_told_of(self) -> None:
        self.end(states.OperationState.COMPLETE)
        long = "x" * 200
        codes = []
        for details in ("refuse", "crash", "odd", long):
            error = self.assertRaises(errors.Invalid, self.send, details)
            codes.append(error.code)
            self.assertNotIn("secret", error.message)

        refused = "orch.resource.signal_refused"
        self.assertEqual(
            [
                *[refused] * 3,
                "orch.resource.signal_too_large",
            ],
            codes,
        )
        self.send(2**80)
        self.assertEqual({str(2**80): 1}, self.signal_data())
        statuses = [status for status, _ in self.signal_events()[:-1]]
        # "crash" and "odd" are told of with the same words, so once.
        self.assertEqual(["FAILED"] * 3, statuses)
        self.assertEqual(
            "Signal refused: not this one", self.signal_events()[0][1]
        )

    def test_the_same_refusal_is_told_of_once_while_one_runs_too(self) -> None:
        for state in (
            states.OperationState.COMPLETE,
            states.OperationState.RUNNING,
        ):
            self.end(state)
            for _ in range(3):
                self.assertRaises(errors.Invalid, self.send, "refuse")
            self.assertRaises(errors.Invalid, self.send, "crash")

        with self.database.write() as connection:
            left = stored_signals.take_unreported(connection, self.stack_id)
        self.assertEqual(2, len(self.signal_events()))
        self.assertEqual(2, len(left))

    def test_while_one_runs_its_worker_tells(self) -> None:
        operation_id = self.end(states.OperationState.RUNNING)
        before = len(self.all_events())
        answer = self.send("a")

        with self.database.write() as connection:
            (left,) = stored_signals.take_unreported(connection, self.stack_id)
        self.assertEqual(before, len(self.all_events()))
        self.assertEqual(
            ("bell", "rang a", states.Status.COMPLETE),
            (left.resource_name, left.reason, left.status),
        )
        # Nothing of the stack waits for signals.
        self.assertIsNone(answer["accepted"])
        self.put_busy()
        answer = self.send("b")
        self.assertEqual(operation_id, answer["accepted"]["operation_id"])

    def put_busy(self) -> None:
        self.put_resource(
            self.stack_id,
            "other",
            type_name=Bell.type_name,
            status=states.Status.IN_PROGRESS,
        )

    def test_one_that_is_blocked_goes_on_if_it_may_wait_for_that(self) -> None:
        operation_id = self.end(states.OperationState.BLOCKED)
        self.send("a")
        before = self.state_of(operation_id)
        self.put_busy()
        self.send("a")
        same = self.state_of(operation_id)
        self.send("b")

        self.assertEqual(
            ["BLOCKED", "BLOCKED", "WAITING"],
            [before, same, self.state_of(operation_id)],
        )

    def state_of(self, operation_id: ids.OperationId) -> str:
        with self.database.read() as connection:
            return operations.get(connection, operation_id).state.value

    def test_it_goes_on_the_story_that_was_told_last(self) -> None:
        """One that waits is not told of yet; who runs it looks whether."""
        earlier = self.end(states.OperationState.COMPLETE)
        with self.database.write() as connection:
            waiting = dataclasses.replace(
                operations.get(connection, earlier),
                id=ids.OperationId(ids.new()),
                state=states.OperationState.WAITING,
            )
            operations.insert(connection, waiting)
        self.set_stack(self.stack_id, operation_id=waiting.id)

        self.send("a")

        newest = max(self.all_events(), key=lambda each: each.sequence)
        self.assertEqual(
            (states.Action.SIGNAL, earlier),
            (newest.action, newest.operation_id),
        )

    def test_only_the_incarnation_that_is_meant_takes_it(self) -> None:
        self.send("a", resource_id=self.bell.id)
        other = self.put_resource(
            self.stack_id,
            "bell",
            type_name=Bell.type_name,
            replaced_by=self.bell.id,
        )
        for wrong in (other.id, ids.new(), ""):
            self.assertRaises(
                errors.NotFound, self.send, "b", resource_id=wrong
            )
        self.resources.revoke_addresses(self.ann, self.stack_id, "bell")
        self.assertRaises(
            errors.Forbidden, self.send, "b", resource_id=self.bell.id
        )

        self.assertEqual({"a": 1}, self.signal_data())

    def test_of_another_project_nothing_is_there(self) -> None:
        for act in (
            lambda: self.resources.signal(
                self.eve, self.stack_id, "bell", "a"
            ),
            lambda: self.resources.revoke_addresses(
                self.eve, self.stack_id, "bell"
            ),
        ):
            self.assertRaises(errors.NotFound, act)
        self.assertEqual({}, self.signal_data())
