from orch import clock
from orch import ids
from orch.model import resource
from orch.model import states
from tests import base


def _make(**given: object) -> resource.Resource:
    return resource.Resource(
        **{
            "id": ids.ResourceId("r"),
            "stack_id": ids.StackId("s"),
            "name": "web",
            "type_name": "T::Thing",
            "created_at": clock.Timestamp(0),
            "updated_at": clock.Timestamp(0),
            **given,
        }
    )


class ResourceTest(base.TestCase):
    def test_only_a_complete_removal_means_that_it_is_gone(self) -> None:
        removed = {"action": states.Action.DELETE}

        self.assertFalse(_make().is_gone)
        for status in states.Status:
            self.assertEqual(
                status is states.Status.COMPLETE,
                _make(**removed, status=status).is_gone,
            )

    def test_what_was_replaced_or_is_gone_stands_for_no_name(self) -> None:
        self.assertTrue(_make().is_current)
        self.assertFalse(_make(replaced_by=ids.ResourceId("n")).is_current)
        self.assertFalse(_make(action=states.Action.DELETE).is_current)

    def test_the_type_that_acts_is_the_one_it_is_mapped_to(self) -> None:
        self.assertEqual("T::Thing", _make().plugin_type)
        self.assertEqual("T::Other", _make(mapped_type="T::Other").plugin_type)

    def test_only_a_check_that_found_fault_says_that_nothing_stands(
        self,
    ) -> None:
        check, failed = states.Action.CHECK, states.Status.FAILED

        self.assertTrue(_make(action=check).is_in_place)
        self.assertFalse(_make(action=check, status=failed).is_in_place)
        self.assertTrue(
            _make(
                action=check, status=failed, is_outcome_unknown=True
            ).is_in_place
        )

    def test_a_lost_answer_may_have_made_something(self) -> None:
        self.assertFalse(_make().is_there)
        self.assertTrue(_make(physical_id="p").is_there)
        self.assertTrue(_make(is_outcome_unknown=True).is_there)
