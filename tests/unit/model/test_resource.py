from orch import clock
from orch import ids
from orch.model import marked
from orch.model import resource
from orch.model import secret_types
from orch.model import states
from tests import base

_DOCUMENTS = ("properties", "desired_properties", "attributes", "metadata")
"""What may be marked."""


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

    def test_it_has_secrets_where_something_in_it_is_marked(self) -> None:
        plain = {"a": 1}
        for name in _DOCUMENTS:
            self.assertIs(False, _make(**{name: plain}).has_secrets, name)
            value = marked.Marked({"a": 1}, [("a",)])

            self.assertIs(True, _make(**{name: value}).has_secrets, name)

    def test_it_has_secrets_where_its_type_generates_them(self) -> None:
        for each in secret_types.TYPES:
            self.assertIs(True, _make(type_name=each).has_secrets)
            self.assertIs(True, _make(mapped_type=each).has_secrets)
            self.assertIs(
                False,
                _make(type_name=each, mapped_type="T::Other").has_secrets,
            )

    def test_it_has_secrets_where_something_has_the_name_of_one(self) -> None:
        for name in _DOCUMENTS:
            value = {"a": [{"admin_pass": "x"}]}

            self.assertIs(True, _make(**{name: value}).has_secrets, name)

    def test_what_another_stack_still_owns_is_not_taken_over(self) -> None:
        unfinished = {
            "adopted_by": ids.OperationId("o"),
            "action": states.Action.CREATE,
            "status": states.Status.FAILED,
            "started_at": clock.Timestamp(5),
        }

        self.assertFalse(_make(**unfinished).is_unadopted)
        self.assertTrue(
            _make(**unfinished, taken_from=ids.StackId("a")).is_unadopted
        )

    def test_an_id_is_shown_without_what_is_sensitive_in_it(self) -> None:
        sealed = "http://h/v1/signal/arn?Signature=x"
        for physical_id, given, shown in (
            (None, {}, None),
            ("d/s3cret", {}, "d/s3cret"),
            ("d/s3cret", {"properties": {"path": "d/s3cret"}}, "d/s3cret"),
            ("d/s3cret", {"attributes": _marked("s3cret")}, "******"),
            ("d/s3cret", {"properties": _marked("s3cret")}, "******"),
            ("d/s3cret", {"properties": {"admin_pass": "s3cret"}}, "******"),
            ("d/abc", {"properties": _marked("abc")}, "d/abc"),
            (sealed, {}, "******"),
        ):
            row = _make(physical_id=physical_id, **given)

            self.assertEqual(shown, row.shown_id)


def _marked(value: str) -> marked.Marked:
    return marked.Marked({"path": value}, [("path",)])
