"""Sections that are empty, null or of a wrong kind."""

from orch.template import errors
from orch.template import inputs
from orch.template import template
from orch.template import world
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes

HOT = {"heat_template_version": "2021-04-16"}
AWS = {"AWSTemplateFormatVersion": "2010-09-09"}
THING = fakes.kind("T::Thing")
ANY = fakes.kind("T::Any", accepts_any_property=True)


def act(written):
    loaded = template.Template.load(
        inputs.Inputs(written),
        fakes.Types(THING, ANY),
        inputs.Identity("id", "name", "project"),
        inputs.Limits(),
    )
    loaded.validate(declaration.check_with_rows)
    return loaded


class SectionsTest(base.TestCase):
    def test_what_is_empty_is_as_if_it_were_not_there(self) -> None:
        for empty in (None, "", [], {}, 0):
            for section in ("resources", "outputs", "parameter_groups"):
                act(HOT | {section: empty})
            loaded = act(HOT | {"description": empty})
            self.assertEqual("No description", loaded.description)

    def test_conditions_are_a_map_or_absent(self) -> None:
        for wrong in (None, "", []):
            self.assertRaises(
                errors.TemplateInvalid, act, HOT | {"conditions": wrong}
            )

    def test_an_empty_description_of_an_output_stays(self) -> None:
        loaded = act(
            HOT
            | {
                "outputs": {
                    "a": {"value": 1, "description": ""},
                    "b": {"value": 1, "description": None},
                }
            }
        )

        self.assertEqual(
            [("a", ""), ("b", "No description given")],
            [
                (one.key, one.description)
                for one in loaded.resolve_outputs(world.EmptyWorld())
            ],
        )

    def test_the_unused_section_belongs_to_hot(self) -> None:
        act(HOT | {"__undefined__": {"a": 1}})
        self.assertRaises(
            errors.TemplateInvalid, act, AWS | {"__undefined__": {"a": 1}}
        )

    def test_a_type_that_takes_any_property_takes_any_update_policy(
        self,
    ) -> None:
        policy = {"rolling_update": {"min_in_service": 1}}

        def write(type_name):
            resource = {"type": type_name, "update_policy": policy}
            return HOT | {"resources": {"r": resource}}

        loaded = act(write("T::Any"))

        self.assertEqual(policy, loaded.resources["r"].update_policy)
        self.assertRaises(errors.TemplateInvalid, act, write("T::Thing"))

    def test_an_object_without_a_version_has_a_wrong_version(self) -> None:
        for written in ({}, {"resources": {}}):
            self.assertRaises(errors.VersionInvalid, act, written)


class ReferencesTest(base.TestCase):
    def make(self, value, **conditions):
        resource = {"Type": "T::Thing", "Metadata": {"m": 1}}
        if conditions:
            resource["Condition"] = "Wanted"
        return AWS | {
            "Conditions": conditions,
            "Resources": {
                "off": resource,
                "r": {"Type": "T::Thing", "Metadata": {"m": value}},
            },
        }

    def test_what_ref_names_wrongly_shows_when_it_is_needed(self) -> None:
        loaded = act(self.make({"Ref": "ghost"}))

        self.assertEqual((), tuple(loaded.resources["r"].requires))

    def test_what_get_att_names_wrongly_shows_at_once(self) -> None:
        for name in ("ghost", None, 5):
            self.assertRaises(
                errors.ReferenceInvalid,
                act,
                self.make({"Fn::GetAtt": [name, "x"]}),
            )

    def test_ref_to_a_resource_that_is_off_shows_at_once(self) -> None:
        self.assertRaises(
            errors.ReferenceInvalid,
            act,
            self.make({"Ref": "off"}, Wanted={"Fn::Equals": ["a", "b"]}),
        )

    def test_a_condition_that_refers_to_no_parameter_is_one(self) -> None:
        written = self.make(1, Wanted={"Fn::Equals": ["a", {"Ref": "r"}]})

        self.assertRaises(errors.ReferenceInvalid, act, written)
