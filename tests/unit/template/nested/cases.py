"""Templates in templates, for tests of what is wrong with them."""

from orch.plugin import members
from orch.plugin import schema
from orch.template import errors
from orch.template import inputs
from orch.template import template
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes

WHO = inputs.Identity("id-1", "web", "demo")
HEAD = "heat_template_version: 2018-08-31\n"
KID = "resources: {k: {type: kid.yaml}}"
ECHO = "outputs: {out: {value: x}}"

THING = fakes.kind(
    "T::Thing",
    (schema.Property("text", schema.Type.STRING),),
    (schema.Attribute("out"),),
)

PICKY = fakes.kind(
    "T::Picky",
    (
        schema.Property("must", schema.Type.STRING, required=True),
        schema.Property("many", schema.Type.INTEGER),
    ),
    (schema.Attribute("out"), schema.Attribute("old", is_hidden=True)),
)

GROUP = fakes.kind(
    "T::Group",
    (
        schema.Property("of", schema.Type.MAP),
        schema.Property("count", schema.Type.INTEGER, default=1),
        schema.Property("mark", schema.Type.STRING, default="%n%"),
    ),
    members=members.Members(definition="of", count="count", index="mark"),
    shows_any_attribute=True,
)

CHAIN = fakes.kind(
    "T::Chain",
    (
        schema.Property("types", schema.Type.LIST),
        schema.Property("with", schema.Type.MAP),
    ),
    members=members.Members(types="types", properties="with"),
)

SCALED = fakes.kind(
    "T::Scaled",
    tuple(
        schema.Property(name, schema.Type.INTEGER)
        for name in ("least", "most", "wanted")
    ),
    members=members.Members(
        definition="of", count="wanted", minimum="least", maximum="most"
    ),
)

TYPES = fakes.Types(THING, PICKY, GROUP, CHAIN, SCALED)


def load(text, files=None, *, cap=None, head=HEAD, **given):
    texts = {
        name: one if one.startswith(("{", "A", "H")) else HEAD + one
        for name, one in (files or {}).items()
    }
    return template.Template.load(
        inputs.Inputs(head + text, files=texts, **given),
        TYPES,
        WHO,
        cap or inputs.Limits(),
    )


class NestedCase(base.TestCase):
    def refuse(self, text, files=None, **given):
        """Return the error of a template that is wrong."""
        return self.assertRaises(
            errors.TemplateInvalid,
            load(text, files, **given).validate,
            declaration.check_with_rows,
        )

    def take(self, text, files=None, **given):
        """See that nothing is in the way."""
        load(text, files, **given).validate(declaration.check_with_rows)
