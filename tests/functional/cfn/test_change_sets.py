"""Change sets, by Amazon's own client."""

import json
import typing

import botocore.exceptions

from tests.functional.cfn import test_actions
from tests.support import world_templates

Json = dict[str, typing.Any]

_WORDS: typing.Final = [{"ParameterKey": "Word", "ParameterValue": "one"}]


class ChangeSetTestCase(test_actions.CfnTestCase):
    def save(self, kind: str, name: str = "first", **given: object) -> Json:
        """Return the answer to CreateChangeSet."""
        wanted: Json = {
            "StackName": self.name,
            "ChangeSetName": name,
            "ChangeSetType": kind,
            "TemplateBody": test_actions.BODY,
            "Parameters": _WORDS,
            **given,
        }
        return typing.cast(Json, self.aws.create_change_set(**wanted))

    def described(self, name: str = "first") -> Json:
        found = self.aws.describe_change_set(
            StackName=self.name, ChangeSetName=name
        )
        return typing.cast(Json, found)

    def execute(self, name: str = "first", **given: object) -> None:
        self.aws.execute_change_set(
            StackName=self.name, ChangeSetName=name, **given
        )

    def code_of(self, action: str, name: str = "first") -> tuple[int, str]:
        """Return status and code of an action on a change set that fails."""
        return self.code(action, StackName=self.name, ChangeSetName=name)

    def statuses(self) -> dict[str, tuple[str, str]]:
        """Return status and execution status by name of change set."""
        found = self.aws.list_change_sets(StackName=self.name)["Summaries"]
        return {
            each["ChangeSetName"]: (each["Status"], each["ExecutionStatus"])
            for each in found
        }


class TestCreation(ChangeSetTestCase):
    def test_a_stack_is_created_by_executing_one(self) -> None:
        made = self.save("CREATE", Description="a first one")

        self.assertEqual("REVIEW_IN_PROGRESS", self.shown()["StackStatus"])
        self.assertEqual([], self.names())
        self.aws.get_waiter("change_set_create_complete").wait(
            ChangeSetName=made["Id"], WaiterConfig={"Delay": 1}
        )
        shown = self.described()
        self.assertEqual(made["Id"], shown["ChangeSetId"])
        self.assertEqual(made["StackId"], shown["StackId"])
        self.assertEqual("a first one", shown["Description"])
        self.assertEqual("AVAILABLE", shown["ExecutionStatus"])
        (change,) = shown["Changes"]
        self.assertEqual("Resource", change["Type"])
        self.assertEqual("Add", change["ResourceChange"]["Action"])
        self.assertEqual(
            "thing", change["ResourceChange"]["LogicalResourceId"]
        )

        self.execute()
        self.aws.get_waiter("stack_create_complete").wait(
            StackName=self.name, WaiterConfig={"Delay": 1}
        )

        stack = self.wait("CREATE_COMPLETE")
        self.assertEqual(made["StackId"], stack["StackId"])
        self.assertNotIn("LastUpdatedTime", stack)
        self.assertEqual("one", stack["Outputs"][0]["OutputValue"])
        self.assertEqual(
            {"first": ("CREATE_COMPLETE", "EXECUTE_COMPLETE")}, self.statuses()
        )
        self.assertEqual(
            (400, "InvalidChangeSetStatus"),
            self.code_of("execute_change_set"),
        )

    def test_heat_shows_it_as_a_stack_without_resources(self) -> None:
        made = self.save("CREATE")

        stack_id = made["StackId"].rpartition("/")[2]
        found = self.client.get(f"/stacks/{self.name}/{stack_id}", "stack")
        self.assertEqual("INIT_COMPLETE", found["stack_status"])
        listed = self.aws.list_stacks(
            StackStatusFilter=["REVIEW_IN_PROGRESS"]
        )["StackSummaries"]
        self.assertIn(made["StackId"], [each["StackId"] for each in listed])
        rows = self.aws.list_stack_resources(StackName=self.name)
        self.assertEqual([], rows["StackResourceSummaries"])
        events = self.aws.describe_stack_events(StackName=self.name)
        self.assertEqual([], events["StackEvents"])

    def test_a_stack_in_review_can_be_deleted(self) -> None:
        self.save("CREATE")

        self.aws.delete_stack(StackName=self.name)
        self.aws.get_waiter("stack_delete_complete").wait(
            StackName=self.name, WaiterConfig={"Delay": 1}
        )

        self.assertEqual(
            (400, "ValidationError"),
            self.code("describe_stacks", StackName=self.name),
        )

    def test_of_two_one_is_executed_and_the_other_is_obsolete(self) -> None:
        self.save("CREATE")
        self.save("CREATE", "second")
        self.assertEqual(
            (400, "AlreadyExistsException"),
            self.code(
                "create_change_set",
                StackName=self.name,
                ChangeSetName="second",
                ChangeSetType="CREATE",
                TemplateBody=test_actions.BODY,
                Parameters=_WORDS,
            ),
        )

        self.execute("second")
        self.wait("CREATE_COMPLETE")

        self.assertEqual("OBSOLETE", self.statuses()["first"][1])
        self.assertEqual(
            (400, "InvalidChangeSetStatus"),
            self.code_of("execute_change_set"),
        )
        self.assertEqual(
            (400, "AlreadyExistsException"),
            self.code(
                "create_change_set",
                StackName=self.name,
                ChangeSetName="third",
                ChangeSetType="CREATE",
                TemplateBody=test_actions.BODY,
                Parameters=_WORDS,
            ),
        )

    def test_a_wrong_template_leaves_no_stack(self) -> None:
        self.assertEqual(
            (400, "ValidationError"),
            self.code(
                "create_change_set",
                StackName=self.name,
                ChangeSetName="first",
                ChangeSetType="CREATE",
                TemplateBody=test_actions.BODY,
            ),
        )

        self.assertEqual(
            (400, "ValidationError"),
            self.code("describe_stacks", StackName=self.name),
        )

    def test_a_repeated_request_saves_one(self) -> None:
        made = [self.save("CREATE", ClientToken="t-1")["Id"] for _ in "ab"]

        self.assertEqual(made[0], made[1])
        self.assertEqual(["first"], list(self.statuses()))

    def test_a_creation_that_fails_is_rolled_back(self) -> None:
        self.world.order(self.name, "create", "thing", how="permanent")
        self.save("CREATE")

        self.execute()

        error = self.assertRaises(
            botocore.exceptions.WaiterError,
            self.aws.get_waiter("stack_create_complete").wait,
            StackName=self.name,
            WaiterConfig={"Delay": 1},
        )
        self.assertIn("ROLLBACK_COMPLETE", str(error.last_response))
        self.assertEqual([], self.names())

    def test_a_failed_creation_stays_if_the_execution_says_so(self) -> None:
        self.world.order(self.name, "create", "thing", how="permanent")
        self.save("CREATE")

        self.execute(DisableRollback=True)

        self.wait("CREATE_FAILED")


class TestUpdate(ChangeSetTestCase):
    def test_an_update_shows_what_it_changes(self) -> None:
        self.create()
        template = world_templates.template(
            thing=world_templates.declare_resource(label="new"),
            more=world_templates.declare_resource(label="m"),
        )

        self.save("UPDATE", TemplateBody=json.dumps(template), Parameters=[])

        changes = {
            each["ResourceChange"]["LogicalResourceId"]: each["ResourceChange"]
            for each in self.described()["Changes"]
        }
        self.assertEqual("Add", changes["more"]["Action"])
        self.assertEqual("Modify", changes["thing"]["Action"])
        self.assertEqual("False", changes["thing"]["Replacement"])
        (detail,) = changes["thing"]["Details"]
        self.assertEqual("label", detail["Target"]["Name"])
        self.assertEqual("Never", detail["Target"]["RequiresRecreation"])
        self.assertEqual({"thing": "a&b"}, self.labels())
        self.execute()
        self.aws.get_waiter("stack_update_complete").wait(
            StackName=self.name, WaiterConfig={"Delay": 1}
        )
        self.assertEqual({"thing": "new", "more": "m"}, self.labels())

    def test_one_without_changes_has_failed(self) -> None:
        self.create(Parameters=_WORDS)

        made = self.save("UPDATE")

        error = self.assertRaises(
            botocore.exceptions.WaiterError,
            self.aws.get_waiter("change_set_create_complete").wait,
            ChangeSetName=made["Id"],
            WaiterConfig={"Delay": 1},
        )
        shown = typing.cast(Json, error.last_response)
        self.assertEqual("FAILED", shown["Status"])
        self.assertEqual("UNAVAILABLE", shown["ExecutionStatus"])
        self.assertIn("No updates are to be performed", shown["StatusReason"])
        self.assertEqual(
            (400, "InvalidChangeSetStatus"),
            self.code_of("execute_change_set"),
        )

    def test_previous_values_are_no_change(self) -> None:
        self.create(Parameters=_WORDS)

        self.save(
            "UPDATE",
            Parameters=[
                {"ParameterKey": name, "UsePreviousValue": True}
                for name in ("Word", "Other")
            ],
        )

        self.assertEqual("FAILED", self.described()["Status"])

    def test_another_value_alone_is_a_change(self) -> None:
        self.create(Parameters=_WORDS)

        self.save("UPDATE", Tags=[{"Key": "a", "Value": "b"}])

        self.assertEqual("CREATE_COMPLETE", self.described()["Status"])

    def test_one_is_deleted(self) -> None:
        self.create()
        self.save("UPDATE")

        for _ in "ab":
            self.aws.delete_change_set(
                StackName=self.name, ChangeSetName="first"
            )

        self.assertEqual({}, self.statuses())
        self.assertEqual(
            (404, "ChangeSetNotFound"),
            self.code_of("describe_change_set"),
        )

    def test_an_update_that_fails_ends_as_its_waiter_expects(self) -> None:
        self.create(Parameters=_WORDS)
        self.world.order(
            self.name, "update", "thing", how="permanent", times=1
        )
        self.save(
            "UPDATE",
            Parameters=[{"ParameterKey": "Word", "ParameterValue": "two"}],
        )

        self.execute()

        self.assertRaises(
            botocore.exceptions.WaiterError,
            self.aws.get_waiter("stack_update_complete").wait,
            StackName=self.name,
            WaiterConfig={"Delay": 1},
        )
        self.wait("UPDATE_ROLLBACK_COMPLETE")
        self.assertEqual({"thing": "one"}, self.labels())

    def test_a_template_is_summarized(self) -> None:
        self.create()

        found = (
            self.aws.get_template_summary(StackName=self.name),
            self.aws.get_template_summary(TemplateBody=test_actions.BODY),
        )

        for each in found:
            self.assertEqual("says a word", each["Description"])
            self.assertEqual(
                {"Word": False, "Other": True},
                {
                    one["ParameterKey"]: one["NoEcho"]
                    for one in each["Parameters"]
                },
            )
