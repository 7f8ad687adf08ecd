"""What functions make of parameters alone."""

import hashlib

from oslo_config import cfg

from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import schema
from orch.template import identity
from orch.template import inputs
from orch.template import limits
from orch.template import template
from tests import base

_WORD = {"get_param": "word"}
_PART = {"str_split": ["-", _WORD, 1]}


class SampleResource(resource.Resource):
    """A thing with one property."""

    type_name = "A::Thing"
    properties = (schema.Property("text", schema.Type.ANY),)
    attributes = (schema.Attribute("out"),)


class PiecesTest(base.TestCase):
    def derived_texts(
        self, names: tuple[str, ...] = ("word",), **written: object
    ) -> set[str]:
        """Return what is made in properties, each a resource of its own."""
        loaded = template.Template.load(
            inputs.Inputs(
                template={
                    "heat_template_version": "2021-04-16",
                    "parameters": {
                        "word": {"type": "string", "hidden": True},
                        "open": {"type": "string"},
                    },
                    "conditions": {"is_open": {"equals": ["x", "x"]}},
                    "resources": {
                        name: {
                            "type": "A::Thing",
                            "properties": {"text": value},
                        }
                        for name, value in written.items()
                    },
                    "outputs": {"told": {"value": written["a"]}},
                },
                parameters={"word": "top-secret", "open": "seen"},
            ),
            registry.ResourceTypes.of([SampleResource], cfg.ConfigOpts()),
            identity.Identity("s", "web", "p"),
            limits.Limits(),
        )
        return set(loaded.derived_texts(names))

    def test_parts_and_what_is_made_of_them(self) -> None:
        found = self.derived_texts(
            a=_PART,
            b={"list_join": ["/", ["x", [{"digest": ["md5", _WORD]}]]]},
            c={"list_join": ["/", ["x", _PART]]},
        )

        digest = hashlib.md5(b"top-secret").hexdigest()
        self.assertLessEqual({"secret", digest}, found)

    def test_each_item_of_a_list(self) -> None:
        found = self.derived_texts(a={"str_split": ["-", _WORD]})

        self.assertLessEqual({"top", "secret"}, found)

    def test_what_others_may_know_is_none(self) -> None:
        found = self.derived_texts(
            a={
                "list_concat": [
                    ["http", {"get_param": "open"}],
                    [_PART, {"get_param": "OS::stack_name"}],
                ]
            },
            b={"if": ["is_open", "yes", _PART]},
            c={"str_split": ["e", {"get_param": "open"}]},
        )

        self.assertEqual({"secret", "top-secret"}, found | {"top-secret"})

    def test_a_part_that_a_function_with_a_condition_takes(self) -> None:
        found = self.derived_texts(
            a={"str_split": ["-", {"if": ["is_open", _WORD, "a-b"]}, 1]}
        )

        self.assertIn("secret", found)

    def test_what_reads_a_resource_or_fails_is_not_known(self) -> None:
        found = self.derived_texts(
            a={"str_split": ["-", _WORD, 7]},
            b={"list_join": ["/", [{"get_attr": ["a", "out"]}, _PART]]},
        )

        self.assertEqual({"secret"}, found - {"top-secret", "", "None"})

    def test_only_of_the_parameters_that_are_asked_for(self) -> None:
        self.assertEqual(
            {"een"},
            self.derived_texts(
                ("open",),
                a=_PART,
                b={"str_split": ["s", {"get_param": "open"}, 1]},
            )
            - {"seen"},
        )
