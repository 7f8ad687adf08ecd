"""What is wrong is told as Amazon's clients know it."""

import json

import requests

from tests.functional.cfn import querying
from tests.functional.cfn import test_actions
from tests.support import world_templates


class TestErrors(test_actions.CfnTestCase):
    def ask(self, **parameters: str) -> requests.Response:
        return querying.send(
            querying.signed(self.port, querying.Key(), **parameters)
        )

    def test_actions_are_named(self) -> None:
        self.assertEqual(
            (400, "MissingAction"), querying.read_error(self.ask())
        )
        self.assertEqual(
            (400, "InvalidAction"),
            querying.read_error(self.ask(Action="Explode")),
        )

    def test_parameters_are_checked(self) -> None:
        for expected, given in (
            ("MissingParameter", {"Action": "DeleteStack"}),
            ("MissingParameter", {"Action": "DescribeStackResource"}),
            ("MissingParameter", {"Action": "ValidateTemplate"}),
            (
                "InvalidParameterCombination",
                {
                    "Action": "CreateStack",
                    "StackName": "s",
                    "TemplateBody": test_actions.BODY,
                    "DisableRollback": "true",
                    "OnFailure": "DELETE",
                },
            ),
            (
                "InvalidParameterCombination",
                {
                    "Action": "ValidateTemplate",
                    "TemplateBody": test_actions.BODY,
                    "TemplateURL": "http://127.0.0.1/",
                },
            ),
            (
                "InvalidParameterCombination",
                {
                    "Action": "DescribeStackResources",
                    "StackName": "s",
                    "PhysicalResourceId": "p",
                },
            ),
            (
                "InvalidParameterValue",
                {
                    "Action": "CreateStack",
                    "StackName": "s",
                    "TemplateBody": test_actions.BODY,
                    "OnFailure": "PANIC",
                },
            ),
            (
                "InvalidParameterValue",
                {"Action": "ListStacks", "NextToken": "x"},
            ),
            (
                "ValidationError",
                {
                    "Action": "CreateStack",
                    "StackName": "1",
                    "TemplateBody": test_actions.BODY,
                },
            ),
        ):
            answer = self.ask(**given)
            self.assertEqual(
                (400, expected), querying.read_error(answer), given
            )

    def test_a_second_stack_of_a_name_is_refused(self) -> None:
        self.create()

        self.assertEqual(
            (400, "AlreadyExistsException"),
            self.code(
                "create_stack",
                StackName=self.name,
                TemplateBody=json.dumps(world_templates.chain()),
            ),
        )

    def test_what_is_twice_or_no_form_is_malformed(self) -> None:
        asked = querying.signed(self.port, querying.Key(), Action="ListStacks")

        twice = querying.send(asked, data="Action=ListStacks&Action=Explode")
        other = querying.send(
            asked,
            headers={**asked.headers, "Content-Type": "application/json"},
        )

        for answer in (twice, other):
            self.assertEqual(
                (404, "MalformedQueryString"), querying.read_error(answer)
            )

    def test_roles_are_asked_for(self) -> None:
        asked = querying.signed(
            self.port, querying.Key(), Action="DeleteStack", StackName="s"
        )

        answer = querying.send(
            asked, headers={**asked.headers, "X-Roles": "reader"}
        )

        self.assertEqual((403, "AccessDenied"), querying.read_error(answer))

    def test_web_pages_are_kept_out(self) -> None:
        asked = querying.signed(self.port, querying.Key(), Action="ListStacks")

        answer = querying.send(
            asked, headers={**asked.headers, "Origin": "http://evil.example"}
        )

        self.assertEqual((403, "AccessDenied"), querying.read_error(answer))

    def test_json_is_answered_where_it_is_asked_for(self) -> None:
        answer = self.ask(Action="ListStacks", ContentType="JSON")
        body = answer.json()["ListStacksResponse"]
        self.assertIsInstance(body["ListStacksResult"]["StackSummaries"], list)
        self.assertEqual(
            answer.headers["X-Openstack-Request-Id"],
            body["ResponseMetadata"]["RequestId"],
        )

        wrong = self.ask(Action="Explode", ContentType="JSON")
        self.assertEqual(400, wrong.status_code)
        error = wrong.json()["ErrorResponse"]["Error"]
        self.assertEqual("InvalidAction", error["Code"])
        self.assertEqual("Sender", error["Type"])

    def test_other_methods_and_addresses_are_refused(self) -> None:
        place = querying.endpoint(self.port)
        self.assertEqual(405, requests.put(place, timeout=30).status_code)
        self.assertEqual(
            404, requests.get(f"{place}demo/stacks", timeout=30).status_code
        )
