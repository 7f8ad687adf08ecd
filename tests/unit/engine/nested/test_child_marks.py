"""What is sensitive in the inputs of a child stack."""

import dataclasses
import json
import typing

from orch.engine.nested import child_marks
from orch.model import marked
from orch.template import inputs
from tests import base

_INPUTS: typing.Final = inputs.Inputs(
    template={},
    around=inputs.ParentContext(1, {}),
)


class ChildMarksTest(base.TestCase):
    def mark(
        self, properties: dict[str, object], **given: typing.Any
    ) -> inputs.ParentContext:
        found = child_marks.mark_inputs(
            dataclasses.replace(_INPUTS, **given), properties, {}, {}
        )
        assert found.around is not None
        return found.around

    def test_nothing_without_marks(self) -> None:
        self.assertIs(
            _INPUTS,
            child_marks.mark_inputs(_INPUTS, {"a": "b"}, {"c": "d"}, {}),
        )

    def test_metadata(self) -> None:
        metadata = marked.Marked({"told": "canary"}, [("told",)])

        found = child_marks.mark_inputs(_INPUTS, {}, metadata, {})

        assert found.around is not None
        self.assertTrue(found.around.has_sensitive_facade)

    def test_parameters_of_the_names_of_properties(self) -> None:
        found = self.mark(
            marked.Marked({"a": 5, "b": 6}, [("a",)]),
            parameters={"a": 5, "b": 6},
        )

        self.assertEqual(("a",), found.sensitive_parameters)
        self.assertEqual((), found.sensitive_parts)

    def test_parameters_of_other_names(self) -> None:
        found = self.mark(
            marked.Marked(
                {"parameters": {"word": "canary", "other": "plain"}},
                [("parameters", "word")],
            ),
            parameters={"word": "canary", "list": ["is canary"], "other": "x"},
        )

        self.assertEqual(("word", "list"), found.sensitive_parameters)

    def test_parts_of_a_template_that_was_made(self) -> None:
        template = {
            "resources": {
                "0": {"properties": {"a": "pw-0-canary", "b": [True, "x"]}}
            }
        }
        found = self.mark(
            marked.Marked(
                {"resource_def": {"properties": {"a": "pw-%index%-canary"}}},
                [("resource_def", "properties", "a")],
            ),
            template=template,
        )

        self.assertEqual(
            (("resources", "0", "properties", "a"),), found.sensitive_parts
        )

    def test_a_template_of_a_user_stays_as_it_is(self) -> None:
        found = self.mark(
            marked.Marked({"a": "canary"}, [("a",)]), template="canary"
        )

        self.assertEqual((), found.sensitive_parts)

    def test_a_parameter_that_is_no_text_is_an_entry_of_a_property(
        self,
    ) -> None:
        found = self.mark(
            marked.Marked(
                {"Parameters": {"Flag": True, "Other": True}},
                [("Parameters", "Flag")],
            ),
            parameters={"Flag": True, "Other": True},
        )

        self.assertEqual(("Flag",), found.sensitive_parameters)

    def test_properties_of_a_resource_that_it_refers_to(self) -> None:
        template = {"resources": {"0": {"properties": {"a": "is canary"}}}}
        referred = marked.Marked({"user_data": "canary"}, [("user_data",)])

        found = child_marks.mark_inputs(
            dataclasses.replace(_INPUTS, template=template), {}, {}, referred
        )

        assert found.around is not None
        self.assertEqual(
            (("resources", "0", "properties", "a"),),
            found.around.sensitive_parts,
        )

    def test_a_file_has_nothing_of_the_properties_in_it(self) -> None:
        properties = marked.Marked({"a": "label"}, [("a",)])
        template = {"outputs": {"o": {"value": "label"}}}
        given = dataclasses.replace(
            _INPUTS, template=template, parameters={"a": "label"}
        )
        for is_file, expected in (
            (True, ()),
            (False, (("outputs", "o", "value"),)),
        ):
            found = child_marks.mark_inputs(
                given, properties, {}, {}, is_file=is_file
            )

            assert found.around is not None
            self.assertEqual(expected, found.around.sensitive_parts)
            self.assertEqual(("a",), found.around.sensitive_parameters)

    def test_a_template_that_is_a_text(self) -> None:
        written = json.dumps(
            {
                "heat_template_version": "2021-04-16",
                "outputs": {"o": {"value": "is canary", "description": None}},
                "resources": {"r": {"type": "T", "depends_on": ["q"]}},
            }
        )
        whole = (
            ("outputs", "o", "value"),
            ("resources", "r", "type"),
            ("resources", "r", "depends_on", 0),
        )
        parts = (("outputs", "o", "value"),)
        values = {"template": written, "word": "canary"}
        made = f" {written}"
        for template, marks, expected in (
            (written, [("word",)], ()),
            (written, [("template",)], whole),
            # One that a plug-in has made of other properties.
            (made, [("word",)], parts),
            ("{", [("word",)], ()),
        ):
            found = self.mark(marked.Marked(values, marks), template=template)

            self.assertEqual(expected, found.sensitive_parts)
