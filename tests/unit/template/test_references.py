"""References to resources where the property is no text."""

from orch.conf import load
from orch.plugin import registry
from orch.template import errors
from orch.template import inputs
from orch.template import template
from orch.template.resources import declaration
from tests import base

_TEMPLATE = """
heat_template_version: 2018-08-31
resources:
  a: {type: OS::Heat::RandomString}
  "5": {type: OS::Heat::RandomString}
  b:
    type: OS::Heat::TestResource
    properties: {%s}
"""


def _load(properties: str) -> template.Template:
    return template.Template.load(
        inputs.Inputs(_TEMPLATE % properties),
        registry.ResourceTypes(load.load([], files=[])),
        inputs.Identity("id", "name", "project"),
        inputs.Limits(),
    )


class WrongTypeTest(base.TestCase):
    def test_a_name_that_is_not_of_the_type_is_refused(self) -> None:
        for properties in (
            "fail: {get_resource: a}",
            "wait_secs: {get_resource: a}",
            "wait_secs: {if: [true, {get_resource: a}, 1]}",
        ):
            loaded = _load(properties)

            error = self.assertRaises(
                errors.TemplateInvalid,
                loaded.validate,
                declaration.check_with_rows,
            )
            (problem,) = error.problems
            self.assertEqual(8, problem.line)

    def test_each_place_is_told_once(self) -> None:
        loaded = _load("fail: {get_resource: a}, wait_secs: many")

        error = self.assertRaises(
            errors.TemplateInvalid,
            loaded.validate,
            declaration.check_with_rows,
        )

        self.assertEqual(2, len(error.problems))

    def test_what_may_be_right_is_accepted(self) -> None:
        for properties in (
            "value: {get_resource: a}",
            'wait_secs: {get_resource: "5"}',
            "wait_secs: {get_attr: [a, value]}",
        ):
            _load(properties).validate(declaration.check_with_rows)

    def test_who_only_asks_is_told_nothing(self) -> None:
        answer = _load("fail: {get_resource: a}").validation_answer()

        self.assertEqual({}, answer["Parameters"])
