"""Templates of two types, for tests of what is asked of a template."""

from orch import errors as base_errors
from orch.plugin import schema
from orch.template import inputs
from orch.template import template
from tests.unit.template import fakes

WHO = inputs.Identity("id-1", "web", "demo")
HEAD = "heat_template_version: 2021-04-16\n"


def _picky(self, properties):
    if properties.get("text") == "bad":
        raise base_errors.Invalid("text must not be bad")


THING = fakes.kind(
    "T::Thing",
    (
        schema.Property("text", schema.Type.STRING, default="none"),
        schema.Property("many", schema.Type.LIST),
        schema.Property(
            "count",
            schema.Type.INTEGER,
            constraints=(schema.Range(minimum=1, maximum=9),),
        ),
    ),
    (schema.Attribute("out"), schema.Attribute("other")),
    validate=_picky,
)

NEEDY = fakes.kind(
    "T::Needy", (schema.Property("must", schema.Type.STRING, required=True),)
)

TYPES = fakes.Types(THING, NEEDY)


def load(text, *, cap=None, **given):
    return template.Template.load(
        inputs.Inputs(HEAD + text if isinstance(text, str) else text, **given),
        TYPES,
        WHO,
        cap or inputs.Limits(),
    )
