"""Every action, asked for by Amazon's own client."""

import datetime
import json
import typing

import botocore.exceptions

from tests.functional.cfn import querying
from tests.support import ports
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

TEMPLATE: typing.Final = {
    "HeatTemplateFormatVersion": "2012-12-12",
    "Description": "says a word",
    "Parameters": {
        "Word": {"Type": "String", "Description": "any"},
        "Other": {"Type": "String", "Default": "o", "NoEcho": "true"},
    },
    "Resources": {
        "thing": {
            "Type": "Test::World::Thing",
            "Metadata": {"note": "<&>"},
            "Properties": {"label": {"Ref": "Word"}},
        },
    },
    "Outputs": {"Word": {"Value": {"Ref": "Word"}, "Description": "the word"}},
}
BODY = json.dumps(TEMPLATE)

Json = dict[str, typing.Any]


class CfnTestCase(serving.WorldTestCase):
    """A server on a world that serves both APIs."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.port = ports.find_free()
        cls.arguments = ("--cfn-port", str(cls.port))
        super().setUpClass()
        cls.aws = querying.client(cls.port)

    def shown(self) -> Json:
        """Return the stack of the test."""
        found = self.aws.describe_stacks(StackName=self.name)
        return typing.cast(Json, found["Stacks"][0])

    def wait(self, status: str) -> Json:
        """Return the stack of the test once it has a status."""
        waiting.wait_for(
            lambda: self.shown()["StackStatus"] == status,
            f"{status} of {self.name}",
        )
        return self.shown()

    def create(self, **given: object) -> str:
        """Return the ARN of a stack that is complete."""
        wanted: Json = {
            "StackName": self.name,
            "TemplateBody": BODY,
            "Parameters": [{"ParameterKey": "Word", "ParameterValue": "a&b"}],
            **given,
        }
        made = self.aws.create_stack(**wanted)
        self.wait("CREATE_COMPLETE")
        return str(made["StackId"])

    def code(self, action: str, **given: object) -> tuple[int, str]:
        """Return status and code of an action that must fail."""
        error = self.assertRaises(
            botocore.exceptions.ClientError,
            getattr(self.aws, action),
            **given,
        )
        told = error.response
        status = told["ResponseMetadata"]["HTTPStatusCode"]
        self.assertTrue(told["Error"]["Message"])
        return status, told["Error"]["Code"]


class TestActions(CfnTestCase):
    def test_a_stack_is_created_and_shown(self) -> None:
        made = self.create(
            TimeoutInMinutes=7, Tags=[{"Key": "team", "Value": "blue"}]
        )

        shown = self.shown()
        self.assertEqual(made, shown["StackId"])
        prefix = f"arn:openstack:heat::demo:stacks/{self.name}/"
        self.assertEqual(prefix, made[: len(prefix)])
        self.assertEqual(self.name, shown["StackName"])
        self.assertEqual("says a word", shown["Description"])
        self.assertEqual(7, shown["TimeoutInMinutes"])
        self.assertIs(False, shown["DisableRollback"])
        self.assertIsInstance(shown["CreationTime"], datetime.datetime)
        self.assertEqual([{"Key": "team", "Value": "blue"}], shown["Tags"])
        self.assertEqual(
            [
                {
                    "OutputKey": "Word",
                    "OutputValue": "a&b",
                    "Description": "the word",
                }
            ],
            shown["Outputs"],
        )
        values = {
            each["ParameterKey"]: each["ParameterValue"]
            for each in shown["Parameters"]
        }
        self.assertEqual({"Word": "a&b", "Other": "******"}, values)

    def test_a_stack_is_found_by_name_id_and_arn(self) -> None:
        made = self.create()

        for named in (self.name, made, made.rpartition("/")[2]):
            found = self.aws.describe_stacks(StackName=named)["Stacks"]
            self.assertEqual([made], [each["StackId"] for each in found])
        other = made.replace(":demo:", ":other:")
        self.assertEqual(
            (400, "ValidationError"),
            self.code("describe_stacks", StackName=other),
        )

    def test_all_stacks_are_described_without_a_name(self) -> None:
        made = self.create()

        found = self.aws.get_paginator("describe_stacks").paginate()
        ids = [each["StackId"] for page in found for each in page["Stacks"]]

        self.assertIn(made, ids)

    def test_lists_are_of_the_statuses_that_are_asked_for(self) -> None:
        made = self.create()

        def listed(*statuses: str) -> list[str]:
            pages = self.aws.get_paginator("list_stacks").paginate(
                StackStatusFilter=list(statuses)
            )
            return [
                each["StackId"]
                for page in pages
                for each in page["StackSummaries"]
            ]

        self.assertIn(made, listed("CREATE_COMPLETE", "UPDATE_FAILED"))
        self.assertNotIn(made, listed("CREATE_FAILED", "UPDATE_COMPLETE"))
        amazons = (
            "REVIEW_IN_PROGRESS",
            "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
            "UPDATE_ROLLBACK_COMPLETE",
        )
        self.assertIn(made, listed("CREATE_COMPLETE", *amazons))
        self.assertNotIn(made, listed(*amazons))
        self.aws.delete_stack(StackName=self.name)
        self.aws.get_waiter("stack_delete_complete").wait(
            StackName=self.name, WaiterConfig={"Delay": 1}
        )
        self.assertIn(made, listed("DELETE_COMPLETE"))
        self.assertEqual(
            (400, "InvalidParameterValue"),
            self.code("list_stacks", StackStatusFilter=["NONE"]),
        )

    def test_a_stack_is_updated_and_keeps_what_it_is_told_to(self) -> None:
        made = self.create(
            Parameters=[
                {"ParameterKey": "Word", "ParameterValue": "one"},
                {"ParameterKey": "Other", "ParameterValue": "two"},
            ]
        )

        done = self.aws.update_stack(
            StackName=self.name,
            UsePreviousTemplate=True,
            Parameters=[
                {"ParameterKey": "Word", "ParameterValue": "new"},
                {"ParameterKey": "Other", "UsePreviousValue": True},
            ],
        )
        self.assertEqual(made, done["StackId"])
        shown = self.wait("UPDATE_COMPLETE")

        self.assertEqual("new", shown["Outputs"][0]["OutputValue"])
        self.assertEqual({"thing": "new"}, self.labels())

    def test_a_value_that_is_not_named_is_not_kept(self) -> None:
        self.create()

        self.assertEqual(
            (400, "ValidationError"),
            self.code(
                "update_stack",
                StackName=self.name,
                UsePreviousTemplate=True,
                Parameters=[
                    {"ParameterKey": "Other", "ParameterValue": "x"},
                ],
            ),
        )

    def test_a_stack_gets_another_template(self) -> None:
        self.create()
        other = world_templates.template(
            more=world_templates.declare_resource(label="m")
        )

        self.aws.update_stack(
            StackName=self.name, TemplateBody=json.dumps(other)
        )
        self.wait("UPDATE_COMPLETE")

        self.assertEqual({"more": "m"}, self.labels())
        got = self.aws.get_template(StackName=self.name)["TemplateBody"]
        self.assertEqual(other, got)

    def test_an_update_is_cancelled_and_undone(self) -> None:
        self.create()
        self.assertEqual(
            (400, "ValidationError"),
            self.code("cancel_update_stack", StackName=self.name),
        )
        self.world.order(self.name, "update", "thing")
        self.aws.update_stack(
            StackName=self.name,
            UsePreviousTemplate=True,
            Parameters=[{"ParameterKey": "Word", "ParameterValue": "new"}],
        )
        self.wait_for_act("updated", "thing")

        self.aws.cancel_update_stack(StackName=self.name)
        self.world.release(self.name)

        self.wait("UPDATE_ROLLBACK_COMPLETE")
        self.assertEqual({"thing": "a&b"}, self.labels())

    def test_resources_are_listed_and_shown(self) -> None:
        made = self.create()

        listed = self.aws.list_stack_resources(StackName=self.name)
        (row,) = listed["StackResourceSummaries"]
        self.assertEqual("thing", row["LogicalResourceId"])
        self.assertEqual("Test::World::Thing", row["ResourceType"])
        self.assertEqual("CREATE_COMPLETE", row["ResourceStatus"])
        physical = row["PhysicalResourceId"]

        asked: tuple[Json, ...] = (
            {"StackName": self.name},
            {"StackName": self.name, "LogicalResourceId": "thing"},
            {"PhysicalResourceId": physical},
        )
        for given in asked:
            found = self.aws.describe_stack_resources(**given)
            (shown,) = found["StackResources"]
            self.assertEqual(made, shown["StackId"])
            self.assertEqual(physical, shown["PhysicalResourceId"])
        other = querying.client(self.port, querying.Key("other"))
        self.assertRaises(
            botocore.exceptions.ClientError,
            other.describe_stack_resources,
            PhysicalResourceId=physical,
        )
        detail = self.aws.describe_stack_resource(
            StackName=self.name, LogicalResourceId="thing"
        )["StackResourceDetail"]
        self.assertEqual({"note": "<&>"}, json.loads(detail["Metadata"]))

    def test_events_are_told_the_newest_first(self) -> None:
        made = self.create()

        found = self.aws.describe_stack_events(StackName=self.name)
        events = found["StackEvents"]

        self.assertEqual(
            [
                (self.name, "CREATE_COMPLETE"),
                ("thing", "CREATE_COMPLETE"),
                ("thing", "CREATE_IN_PROGRESS"),
                (self.name, "CREATE_IN_PROGRESS"),
            ],
            [
                (each["LogicalResourceId"], each["ResourceStatus"])
                for each in events
            ],
        )
        self.assertEqual({made}, {each["StackId"] for each in events})

    def test_a_resource_that_is_not_there_is_told_of(self) -> None:
        self.create()
        for action, given in (
            ("describe_stack_resource", {"LogicalResourceId": "no"}),
            ("describe_stack_resources", {"LogicalResourceId": "no"}),
        ):
            self.assertEqual(
                (400, "ValidationError"),
                self.code(action, StackName=self.name, **given),
            )
        self.assertEqual(
            (400, "ValidationError"),
            self.code("describe_stack_resources", PhysicalResourceId="no"),
        )

    def test_a_template_is_validated_and_costs_nothing(self) -> None:
        found = self.aws.validate_template(TemplateBody=BODY)

        self.assertEqual("says a word", found["Description"])
        declared = {each["ParameterKey"]: each for each in found["Parameters"]}
        self.assertNotIn("DefaultValue", declared["Word"])
        self.assertEqual("any", declared["Word"]["Description"])
        self.assertIs(True, declared["Other"]["NoEcho"])
        self.assertEqual("o", declared["Other"]["DefaultValue"])
        cost = self.aws.estimate_template_cost(TemplateBody=BODY)
        self.assertEqual("https", cost["Url"].partition(":")[0])
        for action in ("validate_template", "estimate_template_cost"):
            self.assertEqual(
                (400, "ValidationError"),
                self.code(action, TemplateBody='{"Resources": 7}'),
            )

    def test_what_fails_is_rolled_back_unless_it_is_to_stay(self) -> None:
        for given, status in (
            ({}, "ROLLBACK_COMPLETE"),
            ({"OnFailure": "ROLLBACK"}, "ROLLBACK_COMPLETE"),
            ({"OnFailure": "DO_NOTHING"}, "CREATE_FAILED"),
            ({"DisableRollback": True}, "CREATE_FAILED"),
        ):
            self.take_name()
            self.world.order(self.name, "create", "thing", how="permanent")
            self.aws.create_stack(
                StackName=self.name,
                TemplateBody=json.dumps(
                    world_templates.template(
                        thing=world_templates.declare_resource(label="l")
                    )
                ),
                **given,
            )
            self.wait(status)

    def test_a_request_that_comes_again_is_answered_as_before(self) -> None:
        wanted = {
            "StackName": self.name,
            "TemplateBody": json.dumps(world_templates.chain()),
            "ClientRequestToken": f"token-{self.name}",
        }
        first = self.aws.create_stack(**wanted)["StackId"]

        self.assertEqual(first, self.aws.create_stack(**wanted)["StackId"])
        self.assertEqual(
            (400, "TokenAlreadyExistsException"),
            self.code("create_stack", **{**wanted, "OnFailure": "DELETE"}),
        )
        self.assertEqual(
            (400, "InvalidParameterValue"),
            self.code(
                "create_stack", **{**wanted, "ClientRequestToken": "a b"}
            ),
        )

    def test_what_is_gone_is_deleted(self) -> None:
        self.aws.delete_stack(StackName=self.name)

        self.assertEqual(
            (400, "ValidationError"),
            self.code("describe_stacks", StackName=self.name),
        )
