from orch.model import adoption
from tests import base

_HANDLE = "OS::Heat::WaitConditionHandle"
_CONDITION = "OS::Heat::WaitCondition"


def entry(type_name: str, **more: object) -> adoption.Entry:
    found = {
        "type": type_name,
        "resource_id": "x",
        "action": "CREATE",
        "status": "COMPLETE",
        **more,
    }
    return adoption.entries({"a": found}, "resources")["a"]


class HeatEntriesTest(base.TestCase):
    def test_signals_leave_the_metadata_of_a_handle(self) -> None:
        told = {"status": "SUCCESS", "reason": "r", "data": "d"}

        found = entry(_HANDLE, metadata={"1": told, "mine": {"x": 1}})

        self.assertEqual({"1": told}, found.signals)
        self.assertEqual({"mine": {"x": 1}}, found.metadata)

    def test_those_of_cloudformation_have_other_words(self) -> None:
        found = entry(
            "AWS::CloudFormation::WaitConditionHandle",
            metadata={"1": {"Status": "SUCCESS", "Data": "d"}},
        )

        self.assertEqual(
            {"1": {"status": "SUCCESS", "reason": None, "data": "d"}},
            found.signals,
        )

    def test_our_own_documents_tell_signals_by_themselves(self) -> None:
        kept = {"1": {"status": "of mine"}}

        found = entry(_HANDLE, metadata=kept, signals={})

        self.assertEqual(({}, kept), (found.signals, found.metadata))

    def test_a_condition_that_was_met_has_no_id(self) -> None:
        found = entry(_CONDITION, resource_id=None)

        self.assertTrue(found.has_no_id)
        self.assertTrue(found.has_something)

    def test_one_that_was_not_met_is_not_there(self) -> None:
        for action, status in (
            ("CREATE", "FAILED"),
            ("CREATE", "IN_PROGRESS"),
            ("INIT", "COMPLETE"),
            ("DELETE", "COMPLETE"),
        ):
            found = entry(
                _CONDITION, resource_id=None, action=action, status=status
            )
            self.assertFalse(found.has_something, (action, status))

    def test_another_type_without_an_id_is_not_there(self) -> None:
        self.assertFalse(
            entry("OS::Heat::RandomString", resource_id=None).has_something
        )

    def test_what_a_server_polls_for_is_none_of_its_metadata(self) -> None:
        found = entry(
            "OS::Heat::DeployedServer",
            metadata={"deployments": [], "os-collect-config": {}, "m": 1},
        )

        self.assertEqual({"m": 1}, found.metadata)
