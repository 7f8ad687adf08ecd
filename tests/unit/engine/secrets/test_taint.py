"""Where hidden values may go in a template."""

import gc
import json
import typing
import weakref

from oslo_config import cfg

from orch.engine.secrets import generated
from orch.engine.secrets import masks
from orch.engine.secrets import taint
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import schema
from orch.template import identity
from orch.template import inputs
from orch.template import limits
from orch.template import template
from tests import base

Json = dict[str, typing.Any]

_WORD: typing.Final[Json] = {"get_param": "word"}
_NAMES: typing.Final = ("text", "more")


class SampleResource(resource.Resource):
    """A thing with two properties."""

    type_name = "A::Thing"
    properties = tuple(
        schema.Property(name, schema.Type.ANY) for name in _NAMES
    )
    attributes = (schema.Attribute("out"),)


def declare_sample(**properties: object) -> Json:
    return {"type": "A::Thing", "properties": properties}


def out(name: str) -> Json:
    return {"get_attr": [name, "out"]}


class TaintCase(base.TestCase):
    def load(
        self,
        parameters: Json | None = None,
        files: dict[str, str] | None = None,
        environment: Json | None = None,
        word: object = "top-secret",
        **resources: Json,
    ) -> template.Template:
        declared = parameters or {"word": {"type": "string", "hidden": True}}
        return template.Template.load(
            inputs.Inputs(
                template={
                    "heat_template_version": "2021-04-16",
                    "parameters": declared,
                    "resources": resources,
                },
                environment=environment or {},
                parameters={"word": word} if "word" in declared else {},
                files=files or {},
            ),
            registry.ResourceTypes.of([SampleResource], cfg.ConfigOpts()),
            identity.Identity("s", "web", "p"),
            limits.Limits(),
        )


class TaintTest(TaintCase):
    def test_what_is_made_of_an_attribute_is_suspect_and_no_id_is(
        self,
    ) -> None:
        found = taint.within(
            self.load(
                a=declare_sample(text=_WORD),
                reader=declare_sample(
                    text={"str_split": ["-", out("a")]}, more="x"
                ),
                further=declare_sample(text=out("reader")),
                in_text=declare_sample(text="${a.out}"),
                id=declare_sample(text={"get_resource": "a"}),
                late={**declare_sample(text="x"), "depends_on": "a"},
            ),
            frozenset(),
        )

        self.assertEqual(
            {"a", "reader", "further", "in_text"}, set(found.resources)
        )
        self.assertTrue(found.hides("reader", "text", _NAMES))
        self.assertFalse(found.hides("reader", "more", _NAMES))
        self.assertEqual(frozenset(), found.altered)

    def test_an_id_may_be_made_of_it_too(self) -> None:
        parsed_template = self.load(
            a=declare_sample(text=_WORD),
            id=declare_sample(text={"get_resource": "a"}, more="x"),
            late={**declare_sample(text="x"), "depends_on": "a"},
        )

        found = taint.within(parsed_template, frozenset(), by_ids=True)

        self.assertEqual({"a", "id"}, set(found.resources))
        self.assertTrue(found.hides("id", "text", _NAMES))
        self.assertFalse(found.hides("id", "more", _NAMES))
        self.assertEqual(
            {"a"}, set(taint.within(parsed_template, frozenset()).resources)
        )

    def test_ids_that_nobody_has_chosen(self) -> None:
        for made in (
            "0b5f6c1e-94c4-4f0e-9a53-6f1f0f5a7c11",
            "stack-my-web-abcdefghij27",
        ):
            self.assertTrue(generated.is_made_up("my-web", made), made)
        for chosen in (
            "0b5f6c1e94c44f0e9a536f1f0f5a7c11",
            "stack-web-abcdefghij27",
            "-my-web-abcdefghij27",
            "stack-my-web-abcdefghij28",
            "/srv/my-web",
        ):
            self.assertFalse(generated.is_made_up("my-web", chosen), chosen)

    def test_what_is_made_of_a_digest_is_altered(self) -> None:
        found = taint.within(
            self.load(
                a=declare_sample(text=_WORD),
                digest=declare_sample(text={"digest": ["md5", out("a")]}),
                again=declare_sample(text=out("digest"), more=out("a")),
                query=declare_sample(
                    text={"yaql": {"expression": "$", "data": out("a")}}
                ),
                other=declare_sample(text={"digest": ["md5", "open"]}),
            ),
            frozenset(),
        )

        self.assertEqual({"digest", "again", "query"}, set(found.altered))
        self.assertTrue(found.alters("again", "text", _NAMES))
        self.assertFalse(found.alters("again", "more", _NAMES))
        self.assertFalse(found.alters("a", "text", _NAMES))

    def test_stacks_inside_that_hide_something(self) -> None:
        owner = json.dumps(
            {"parameters": {"own": {"type": "string", "hidden": True}}}
        )
        files = {
            "owner.yaml": owner,
            "old.yaml": "Parameters: {Own: {NoEcho: 'true', Type: String}}",
            "middle.yaml": json.dumps(
                {"resources": {"o": {"type": "owner.yaml"}}}
            ),
            "plain.yaml": "parameters: {own: {hidden: false}}",
            "setup.sh": "# where hidden files are",
        }
        found = taint.within(
            self.load(
                {"open": {"type": "string", "default": "x"}},
                files,
                {"resource_registry": {"My::Own": "owner.yaml"}},
                direct={"type": "owner.yaml"},
                old={"type": "old.yaml"},
                deep={"type": "middle.yaml"},
                mapped={"type": "My::Own"},
                plain={"type": "plain.yaml"},
                inline=declare_sample(text=owner),
                script=declare_sample(text={"get_file": "setup.sh"}),
                reader=declare_sample(text=out("deep")),
            ),
            frozenset(),
        )

        hiding_ones = {"direct", "old", "deep", "mapped", "inline", "reader"}
        self.assertEqual(hiding_ones, set(found.resources))
        self.assertEqual(hiding_ones, set(found.altered))

    def test_stacks_inside_that_may_make_something_else(self) -> None:
        found = taint.within(
            self.load(
                files={
                    "made.yaml": "outputs: {out: {value: {digest: [md5, x]}}}",
                    "kept.yaml": "outputs: {out: {value: x}}",
                },
                maker={"type": "made.yaml", "properties": {"given": _WORD}},
                idle={"type": "made.yaml"},
                snapshot_data={
                    "type": "kept.yaml",
                    "properties": {"given": _WORD},
                },
            ),
            frozenset(),
        )

        self.assertEqual({"maker"}, set(found.altered))

    def test_nothing_hidden_is_idle(self) -> None:
        plain = self.load(
            {"open": {"type": "string", "default": "x"}},
            a=declare_sample(text={"digest": ["md5", {"get_param": "open"}]}),
        )

        self.assertTrue(taint.within(plain, frozenset()).is_idle)
        self.assertFalse(taint.within(plain, frozenset({"open"})).is_idle)
        self.assertTrue(taint.within(plain, None).hides("a", "text", _NAMES))

    def test_what_is_kept_of_a_template_goes_with_it(self) -> None:
        parsed_template = self.load(a=declare_sample(text=_WORD))
        self.assertIs(
            taint.within(parsed_template, frozenset()),
            taint.within(parsed_template, frozenset()),
        )
        gone = weakref.ref(parsed_template)

        del parsed_template
        gc.collect()

        self.assertIsNone(gone())


class MasksTest(TaintCase):
    """The same by values: what is suspect, and what was given to whom."""

    def strict(
        self,
        parsed_template: template.Template,
        around: masks.Masks | None = None,
        resource_name: str = "",
    ) -> masks.Masks:
        return masks.Masks(
            [parsed_template],
            around=around,
            resource=resource_name,
            is_strict=True,
        )

    def test_only_parts_of_what_is_suspect_are_covered(self) -> None:
        found = self.strict(self.load(a=declare_sample(text=_WORD)))

        self.assertEqual(
            ["******", "******", "******", "******", 80, "to", "10.0.0.7"],
            found.shown(
                [
                    "cret",
                    "http://SECRET@host",
                    "top",
                    "-sec",
                    80,
                    "to",
                    "10.0.0.7",
                ],
                is_hidden=False,
                is_suspect=True,
            ),
        )
        self.assertEqual(
            ["cret", "top"],
            found.shown(["cret", "top"], is_hidden=False),
        )

    def test_an_id_that_is_made_of_it_is_covered(self) -> None:
        made = "0b5f6c1e-94c4-4f0e-9a53-6f1f0f5a7c11"
        found = self.strict(
            self.load(
                a=declare_sample(text=_WORD),
                digest=declare_sample(text={"digest": ["md5", _WORD]}),
                free=declare_sample(text="x"),
                reader=declare_sample(text={"get_resource": "a"}),
                outer=declare_sample(text={"get_attr": ["reader", "out"]}),
            )
        )

        self.assertEqual(
            ["******", "******", "/srv", "******", made, "/cret", "******"],
            [
                found.shown_id(name, each)
                for name, each in (
                    ("a", "/cret"),
                    ("a", "/top-secret"),
                    ("a", "/srv"),
                    ("digest", "/4a11"),
                    ("digest", made),
                    ("free", "/cret"),
                    ("free", "/top-secret"),
                )
            ],
        )
        for name in ("reader", "outer"):
            self.assertTrue(found.suspects(name, "text", _NAMES))
        self.assertFalse(found.suspects("free", "text", _NAMES))
        self.assertTrue(found.suspects_in({"get_resource": "a"}))

    def test_an_id_where_nobody_knows_what_is_hidden(self) -> None:
        made = "0b5f6c1e-94c4-4f0e-9a53-6f1f0f5a7c11"
        blind = masks.Masks([], is_blind=True)

        self.assertEqual("******", blind.shown_id("a", "/srv"))
        self.assertEqual(made, blind.shown_id("a", made))
        self.assertEqual("/srv", masks.Masks([]).shown_id("a", "/srv"))

    def test_a_parameter_that_was_given_a_part_by_an_id(self) -> None:
        outer = self.strict(
            self.load(
                a=declare_sample(text=_WORD),
                kid=declare_sample(text={"get_resource": "a"}),
            )
        )
        declared = {"text": {"type": "string", "default": "/cret"}}

        found = self.strict(self.load(declared), outer, "kid")

        self.assertTrue(found.hides_parameter("text"))

    def test_pieces_are_covered_where_nothing_is_suspect(self) -> None:
        found = masks.Masks(
            [
                self.load(
                    a=declare_sample(
                        text={"str_split": ["-", _WORD]},
                        more={"digest": ["md5", _WORD]},
                    ),
                    word="ab-https-staple",
                )
            ]
        )

        self.assertEqual(
            ["******", "https://x", "******", "ab", "stable"],
            found.shown(
                ["https", "https://x", "my staples", "ab", "stable"],
                is_hidden=False,
            ),
        )
        self.assertEqual("no ******!", found.covered("no staple!"))

    def test_a_parameter_that_was_given_a_piece_is_hidden(self) -> None:
        outer = masks.Masks(
            [
                self.load(
                    a=declare_sample(text={"str_split": ["-", _WORD, 1]}),
                    kid={
                        "type": "A::Thing",
                        "properties": {"text": "x", "more": _WORD},
                    },
                )
            ]
        )
        inner = self.load(
            {
                "text": {"type": "string", "default": "secret"},
                "more": {"type": "string", "default": "?"},
                "open": {"type": "string", "default": "seen"},
            },
            b=declare_sample(text={"str_split": ["c", {"get_param": "text"}]}),
        )

        found = masks.Masks([inner], around=outer, resource="kid")

        self.assertTrue(found.hides_parameter("text"))
        self.assertTrue(found.hides_parameter("more"))
        self.assertFalse(found.hides_parameter("open"))
        self.assertTrue(found.hides("b", "text", _NAMES))

    def test_a_suspect_parameter_is_hidden_by_its_value(self) -> None:
        outer = self.strict(
            self.load(
                a=declare_sample(text=_WORD),
                kid=declare_sample(text=out("a"), more=out("a")),
                free=declare_sample(text="x"),
            )
        )
        declared = {
            "text": {"type": "string", "default": "cret"},
            "more": {"type": "string", "default": "10.0.0.7"},
        }

        found = self.strict(self.load(declared), outer, "kid")

        self.assertTrue(found.hides_parameter("text"))
        self.assertFalse(found.hides_parameter("more"))
        self.assertFalse(
            self.strict(self.load(declared), outer, "free").hides_parameter(
                "text"
            )
        )

    def test_a_digest_that_was_given_to_a_stack_is_looked_for(self) -> None:
        outer = self.strict(
            self.load(
                a=declare_sample(text=_WORD),
                kid=declare_sample(
                    text={"digest": ["md5", out("a")]}, more="plain"
                ),
            )
        )
        inner = self.load(
            {
                "text": {"type": "string", "default": "0cc175b9"},
                "more": {"type": "string", "default": "plain"},
            }
        )

        found = self.strict(inner, outer, "kid")

        self.assertEqual(
            ["******", "plain"],
            found.shown(["0cc175b9", "plain"], is_hidden=False),
        )

    def test_what_an_inner_template_of_no_user_has_is_suspect(self) -> None:
        outer = self.strict(
            self.load(group=declare_sample(text={"properties": {"x": _WORD}}))
        )

        found = self.strict(
            self.load(
                {"open": {"type": "string", "default": "x"}},
                member=declare_sample(text="cret", more="seen"),
            ),
            outer,
            "group",
        )

        self.assertTrue(found.is_anywhere)
        self.assertTrue(found.suspects("member", "text", _NAMES))
