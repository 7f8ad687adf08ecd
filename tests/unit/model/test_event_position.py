from orch import ids
from orch.model import event
from orch.model import event_position
from orch.model import states
from tests import base


def _stack(number: int) -> ids.StackId:
    return ids.StackId(f"{number:08x}-0000-0000-0000-000000000000")


def _event(stack: int, sequence: int, at: float) -> event.Event:
    return event.Event(
        stack_id=_stack(stack),
        sequence=sequence,
        operation_id=None,
        resource_name="r",
        resource_type="t",
        resource_id=None,
        physical_id=None,
        action=states.Action.CREATE,
        status=states.Status.COMPLETE,
        reason="",
        created_at=at,
    )


def _after(*seen: event.Event) -> event_position.Position:
    found = event_position.START
    for each in seen:
        found = found.beyond(each)
    return found


class PositionTest(base.TestCase):
    def test_of_one_stack_it_is_the_id_of_the_last_event(self) -> None:
        last = _event(1, 2, 20.0)

        found = _after(_event(1, 1, 10.0), last)

        self.assertEqual(last.id, found.text())

    def test_the_event_seen_last_comes_first(self) -> None:
        one, two = _event(1, 7, 10.0), _event(2, 3, 10.0)

        self.assertEqual(f"{two.id},{one.id}", _after(one, two).text())
        self.assertEqual(f"{one.id},{two.id}", _after(two, one).text())
        self.assertEqual(
            [two.id, one.id], event_position.event_ids(_after(one, two).text())
        )

    def test_stacks_in_which_nothing_happened_lately_are_left_out(
        self,
    ) -> None:
        old, new = _event(1, 7, 10.0), _event(2, 3, 70.5)

        found = _after(old, new)

        self.assertEqual({new.stack_id: (3, 70.5)}, found.newest)
        self.assertEqual(10.5, found.since)

    def test_an_event_that_was_written_late_is_remembered(self) -> None:
        late = _event(1, 7, 10.0)

        found = _after(_event(2, 3, 70.5), late)

        self.assertIn(late.stack_id, found.newest)
        self.assertEqual(late.id, event_position.event_ids(found.text())[0])

    def test_it_never_has_more_stacks_than_fit(self) -> None:
        most = event_position.MAX_STACKS

        found = _after(*(_event(n, 1, 100 + n / 10) for n in range(most + 5)))

        self.assertEqual(most, len(found.newest))
        self.assertNotIn(_stack(4), found.newest)
        self.assertEqual(100.5, found.since)

    def test_at_the_beginning_nothing_was_seen(self) -> None:
        self.assertIsNone(event_position.START.since)
        self.assertEqual("", event_position.START.text())
        self.assertEqual([], event_position.event_ids(" , "))
