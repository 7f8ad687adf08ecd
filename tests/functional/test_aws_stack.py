"""``AWS::CloudFormation::Stack``: stacks of templates at addresses."""

import typing

from tests.functional import adopting
from tests.functional import nesting
from tests.support import rest
from tests.support import texts
from tests.support import world_templates

Json = dict[str, typing.Any]

_LIMIT: typing.Final = 4000

TEMPLATE: typing.Final = """
heat_template_version: 2021-04-16
parameters:
  Label: {type: string, default: none}
resources:
  inner:
    type: Test::World::Thing
    properties: {label: {get_param: Label}}
outputs:
  Said: {value: {get_attr: [inner, label]}}
  Deep: {value: {a: [x, y]}}
"""


def nested(url: str, **properties: object) -> Json:
    return {
        "type": "AWS::CloudFormation::Stack",
        "properties": {"TemplateURL": url, **properties},
    }


class StackTests(nesting.NestedTestCase):
    options: typing.ClassVar = {"DEFAULT": {"max_template_size": _LIMIT}}

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.web = cls.use(texts.Texts())

    def setUp(self) -> None:
        super().setUp()
        self.path = f"/{self.name}.template"
        self.url = self.web.url + self.path
        self.web.found[self.path] = TEMPLATE

    def nested(self, **properties: object) -> Json:
        return {"kid": nested(self.url, **properties)}

    def failure(self, stack: rest.Stack) -> str:
        return str(self.client.show(stack)["stack_status_reason"])

    def test_its_outputs_are_attributes(self) -> None:
        stack = self.make(
            {
                **self.nested(Parameters={"Label": "first"}),
                "after": world_templates.declare_resource(
                    label={"get_attr": ["kid", "Outputs.Said"]}
                ),
            },
            outputs={
                "deep": {"value": {"get_attr": ["kid", "Outputs.Deep", "a"]}},
                "name": {"value": {"get_resource": "kid"}},
                "wrong": {"value": {"get_attr": ["kid", "Outputs.None"]}},
            },
        )

        self.assertEqual({"inner": "first", "after": "first"}, self.labels())
        inner = self.child_of(stack, "kid")
        self.assertEqual(
            {
                "deep": ["x", "y"],
                "name": (
                    f"arn:openstack:heat::demo:stacks/{inner.name}/{inner.id}"
                ),
                "wrong": None,
            },
            self.outputs(stack),
        )

    def test_cloudformation_templates_read_it_too(self) -> None:
        self.web.found[self.path] = """
AWSTemplateFormatVersion: "2010-09-09"
Parameters: {Text: {Type: String}}
Resources:
  Value:
    Type: OS::Heat::Value
    Properties: {value: {Ref: Text}}
Outputs:
  Said: {Value: {"Fn::GetAtt": [Value, value]}}
"""
        wanted = {
            "AWSTemplateFormatVersion": "2010-09-09",
            "Resources": {
                "Kid": {
                    "Type": "AWS::CloudFormation::Stack",
                    "Properties": {
                        "TemplateURL": self.url,
                        "Parameters": {"Text": "t"},
                    },
                }
            },
            "Outputs": {
                "Said": {"Value": {"Fn::GetAtt": ["Kid", "Outputs.Said"]}}
            },
        }

        stack = self.client.create(self.name, wanted)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual({"Said": "t"}, self.outputs(stack))

    def test_other_parameters_change_it_in_place(self) -> None:
        stack = self.make(self.nested(Parameters={"Label": "first"}))
        before = {each.id for each in self.physical_resources()}

        self.change(stack, self.nested(Parameters={"Label": "second"}))

        self.assertEqual({"inner": "second"}, self.labels())
        self.assertEqual(
            before, {each.id for each in self.physical_resources()}
        )

    def test_every_update_fetches_the_template_anew(self) -> None:
        stack = self.make(self.nested())
        self.web.found[self.path] = TEMPLATE.replace(
            "{get_param: Label}", "other"
        )

        self.change(stack, self.nested())

        self.assertEqual({"inner": "other"}, self.labels())

    def test_a_template_that_is_not_there_is_fetched_by_a_retry(self) -> None:
        del self.web.found[self.path]
        stack = self.make(self.nested(), "CREATE_FAILED")
        self.assertIn("Could not retrieve template", self.failure(stack))
        self.web.found[self.path] = TEMPLATE

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual({"inner": "none"}, self.labels())

    def test_one_that_is_too_long_is_not_taken(self) -> None:
        self.web.found[self.path] = TEMPLATE + "#" * _LIMIT

        stack = self.make(self.nested(), "CREATE_FAILED")

        self.assertIn(f"({_LIMIT} bytes)", self.failure(stack))

    def test_one_that_is_wrong_fails_the_resource(self) -> None:
        self.web.found[self.path] = "heat_template_version: 2021-04-16\nx: 1"

        stack = self.make(self.nested(), "CREATE_FAILED")

        self.assertIn("resources.kid", self.failure(stack))

    def test_other_addresses_than_of_the_web_are_refused(self) -> None:
        for url in ("file:///etc/hostname", "/etc/hostname", "http//x"):
            error = self.assertRaises(
                rest.RefusedError, self.make, {"kid": nested(url)}
            )

            self.assertEqual(400, error.status, error.body)
            self.assertIn("TemplateURL is not http or https", error.message)

    def test_it_has_a_time_of_its_own(self) -> None:
        stack = self.make(self.nested(TimeoutInMinutes=7))

        inner = self.client.show(self.child_of(stack, "kid"))

        self.assertEqual(7, inner["timeout_mins"])

    def test_it_rests_and_goes_with_the_stack_around(self) -> None:
        stack = self.make(self.nested())
        # Nothing of it has to be fetched again for that.
        del self.web.found[self.path]

        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        self.assertEqual(
            [True], [bool(each.rests) for each in self.physical_resources()]
        )
        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_COMPLETE")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.physical_resources())


class MovedTests(adopting.AdoptingTestCase):
    def test_it_is_adopted_as_it_stands(self) -> None:
        web = self.useFixture(texts.Texts())
        web.found["/t"] = TEMPLATE
        wanted = world_templates.template(
            kid=nested(f"{web.url}/t", Parameters={"Label": "first"})
        )
        wanted["outputs"] = {
            "said": {"value": {"get_attr": ["kid", "Outputs.Said"]}}
        }
        stack = self.created(wanted)
        before = [each.id for each in self.world.resources_of_tree(self.name)]
        document = self.abandon(stack)
        self.wait_gone(stack)

        adopted = self.adopt(document)

        self.assertEqual({"said": "first"}, self.there.outputs(adopted))
        found = self.world.resources_of_tree(self.name)
        self.assertEqual(before, [each.id for each in found])
        self.there.delete(adopted)
        self.there.wait(adopted, "DELETE_COMPLETE")
        self.assertEqual([], self.world.resources_of_tree(self.name))
