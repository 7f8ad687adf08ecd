"""What nobody may see in a plan."""

import json
import urllib.parse

from oslo_config import cfg

from orch.engine.secrets import masks
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import schema
from orch.template import identity
from orch.template import inputs
from orch.template import limits
from orch.template import template
from orch.template import world
from tests import base

NAMES = ("label", "value")


class SampleResource(resource.Resource):
    """A thing with two properties."""

    type_name = "A::Thing"
    properties = tuple(
        schema.Property(name, schema.Type.ANY) for name in NAMES
    )


class MasksTests(base.TestCase):
    def load(self, word: object, **properties: object) -> template.Template:
        return template.Template.load(
            inputs.Inputs(
                template={
                    "heat_template_version": "2021-04-16",
                    "parameters": {
                        "word": {"type": "json", "hidden": True},
                        "open": {"type": "string", "default": "seen by all"},
                    },
                    "resources": {
                        "a": {"type": "A::Thing", "properties": properties}
                    },
                },
                parameters={"word": word},
            ),
            registry.ResourceTypes.of([SampleResource], cfg.ConfigOpts()),
            identity.Identity("s", "web", "p"),
            limits.Limits(),
        )

    def test_a_property_that_a_hidden_parameter_goes_into(self) -> None:
        found = masks.Masks(
            [
                self.load(
                    ["x"],
                    label={"digest": ["md5", {"get_param": ["word", 0]}]},
                    value={"get_param": "open"},
                )
            ]
        )

        self.assertTrue(found.hides("a", "label", NAMES))
        self.assertFalse(found.hides("a", "value", NAMES))
        self.assertEqual("******", found.shown("0cc1", is_hidden=True))
        self.assertEqual(
            "seen by all", found.shown("seen by all", is_hidden=False)
        )

    def test_all_properties_that_one_function_gives(self) -> None:
        found = masks.Masks([self.load({}, get_param="word")])

        self.assertTrue(found.hides("a", "label", NAMES))

    def test_the_text_of_one_wherever_it_comes_from(self) -> None:
        found = masks.Masks([self.load({"k": ["a-secret", 4711, "ab"]})])

        self.assertEqual(
            {"x": ["******", "******", "cab", "******", True, None]},
            found.shown(
                {"x": ["my-a-secret!", 4711, "cab", "ab", True, None]},
                is_hidden=False,
            ),
        )

    def test_the_names_in_a_map_are_redacted_too(self) -> None:
        found = masks.Masks([self.load({"k": "a-secret"})])

        self.assertEqual(
            {"******": "v", "open": "v"},
            found.shown({"my-a-secret!": "v", "open": "v"}, is_hidden=False),
        )

    def test_however_it_is_spelt_inside_of_another_text(self) -> None:
        word = 'say "hi" & go'
        found = masks.Masks([self.load({"k": word})])

        for text in (
            json.dumps({"key": word}),
            f"http://service/{urllib.parse.quote(word)}",
        ):
            self.assertEqual("******", found.shown(text, is_hidden=False))

    def test_one_of_several_lines_in_a_sentence(self) -> None:
        found = masks.Masks([self.load({"k": "-- KEY --\nabc  def\n"})])

        self.assertEqual(
            "bad: ******.", found.covered("bad: -- KEY -- abc def.")
        )

    def test_an_older_template_hides_too(self) -> None:
        old = self.load(["x"], label={"get_param": "word"})
        new = self.load(["x"], label="plain")

        self.assertTrue(masks.Masks([old, new]).hides("a", "label", NAMES))
        self.assertFalse(masks.Masks([new]).hides("a", "label", NAMES))

    def test_one_that_cannot_be_read_may_hide_everything(self) -> None:
        found = masks.Masks([], is_blind=True)

        self.assertTrue(found.hides("a", "label", NAMES))

    def test_what_is_known_later_is_marked_even_where_it_is_hidden(
        self,
    ) -> None:
        found = masks.Masks([])

        for is_hidden in (True, False):
            self.assertEqual(
                {"known_later": True},
                found.shown(world.UNKNOWN, is_hidden=is_hidden),
            )
        self.assertEqual(
            ["x", {"known_later": True}],
            found.shown(["x", world.UNKNOWN], is_hidden=False),
        )
