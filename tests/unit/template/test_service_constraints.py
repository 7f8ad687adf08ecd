"""Values that services of the cloud must know are found, and refused."""

import typing

from orch import errors
from orch.plugin import schema
from orch.template import inputs
from orch.template import template
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes


def _flavor(name: str) -> schema.Property:
    return schema.Property(
        name,
        schema.Type.STRING,
        constraints=(schema.CustomConstraint(name="nova.flavor"),),
    )


SERVER = fakes.kind(
    "T::Server",
    (
        _flavor("flavor"),
        schema.Property(
            "networks",
            schema.Type.LIST,
            items=schema.Property(
                "*",
                schema.Type.MAP,
                fields=(
                    schema.Property(
                        "network",
                        schema.Type.STRING,
                        constraints=(
                            schema.CustomConstraint(name="neutron.network"),
                        ),
                    ),
                ),
            ),
        ),
    ),
    (schema.Attribute("out"),),
)


class FakeCloud:
    """A cloud that knows all but a few values.

    :ivar requests: what it was asked
    """

    def __init__(self, **wrong: str) -> None:
        self.requests: set[tuple[str, str]] = set()
        self._wrong = wrong

    def __call__(
        self, questions: typing.Collection[tuple[str, str]]
    ) -> dict[tuple[str, str], str]:
        self.requests.update(questions)
        return {
            one: self._wrong[one[1]]
            for one in questions
            if one[1] in self._wrong
        }


class ServiceConstraintsTest(base.TestCase):
    def load(
        self, root: dict[str, object], **given: object
    ) -> template.Template:
        found = template.Template.load(
            inputs.Inputs(
                {"heat_template_version": "2021-04-16", **root}, **given
            ),
            fakes.Types(SERVER),
            inputs.Identity("id", "name", "project"),
            inputs.Limits(),
        )
        found.validate(declaration.check_with_rows)
        return found

    def server(self, **properties: object) -> dict[str, object]:
        return {
            "resources": {
                "it": {"type": "T::Server", "properties": properties}
            }
        }

    def parameter(self, **definition: object) -> dict[str, object]:
        constraint = {"custom_constraint": "nova.flavor"}
        return {
            "parameters": {
                "p": {
                    "type": "string",
                    "constraints": [constraint],
                    **definition,
                }
            }
        }

    def refusal(
        self, loaded: template.Template, judge: FakeCloud
    ) -> errors.OrchError:
        return self.assertRaises(
            errors.OrchError, loaded.check_services, judge
        )

    def test_each_value_is_asked_once_wherever_it_stands(self) -> None:
        loaded = self.load(
            self.server(
                flavor="small",
                networks=[{"network": "a"}, {"network": "b"}, {}],
            )
        )
        judge = FakeCloud()

        loaded.check_services(judge)

        self.assertEqual(
            {
                ("nova.flavor", "small"),
                ("neutron.network", "a"),
                ("neutron.network", "b"),
            },
            judge.requests,
        )

    def test_nothing_is_asked_of_what_is_not_known_or_not_given(self) -> None:
        resources = {
            "other": {"type": "T::Server"},
            "it": {
                "type": "T::Server",
                "properties": {
                    "flavor": {"get_attr": ["other", "out"]},
                    "networks": [{"network": {"get_resource": "other"}}],
                },
            },
            "there": {"type": "T::Server", "external_id": "x"},
        }
        judge = FakeCloud()

        self.load({"resources": resources}).check_services(judge)

        self.assertEqual(set(), judge.requests)

    def test_all_that_is_wrong_is_told_with_its_place(self) -> None:
        loaded = self.load(
            self.server(flavor="huge", networks=[{"network": "nowhere"}])
        )

        error = self.refusal(loaded, FakeCloud(huge="No huge.", nowhere="No."))

        self.assertEqual(
            [
                (
                    "resources.it.properties.flavor",
                    "Error validating value 'huge': No huge.",
                ),
                (
                    "resources.it.properties.networks[0].network",
                    "Error validating value 'nowhere': No.",
                ),
            ],
            [(each.path, each.message) for each in error.problems],
        )

    def test_a_parameter_is_refused_in_heats_words(self) -> None:
        loaded = self.load(self.parameter(), parameters={"p": "huge"})

        error = self.refusal(loaded, FakeCloud(huge="No huge."))

        self.assertIn(
            "Parameter 'p' is invalid: Error validating value 'huge': No"
            " huge.",
            error.message,
        )

    def test_nothing_of_a_hidden_value_is_told(self) -> None:
        loaded = self.load(
            self.parameter(hidden=True), parameters={"p": "secret"}
        )

        error = self.refusal(loaded, FakeCloud(secret="No secret."))

        self.assertNotIn("secret", error.message)
        self.assertIn("does not validate nova.flavor", error.message)

    def test_the_text_of_the_template_takes_the_place_of_ours(self) -> None:
        constraint = {
            "custom_constraint": "nova.flavor",
            "description": "Take a small one.",
        }
        loaded = self.load(
            self.parameter(constraints=[constraint]),
            parameters={"p": "huge"},
        )

        error = self.refusal(loaded, FakeCloud(huge="No huge."))

        self.assertIn("is invalid: Take a small one.", error.message)

    def test_stacks_in_the_stack_are_asked_about_too(self) -> None:
        inner = (
            "heat_template_version: 2021-04-16\n"
            "resources:\n"
            "  deep: {type: T::Server, properties: {flavor: huge}}\n"
        )
        loaded = self.load(
            {"resources": {"it": {"type": "inner.yaml"}}},
            files={"inner.yaml": inner},
        )

        error = self.refusal(loaded, FakeCloud(huge="No huge."))

        self.assertIn("No huge.", error.message)
