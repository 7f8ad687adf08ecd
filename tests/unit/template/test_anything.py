"""No template, whatever it says, gets anything but an answer of ours."""

import contextlib
import json
import time

import hypothesis
from hypothesis import strategies

from orch import errors
from orch.plugin import schema
from orch.template import inputs
from orch.template import template
from orch.template import world
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes

TYPES = fakes.Types(
    fakes.kind(
        "T::A",
        (
            schema.Property("s", schema.Type.STRING),
            schema.Property("l", schema.Type.LIST),
            schema.Property("m", schema.Type.MAP),
            schema.Property("n", schema.Type.NUMBER),
        ),
        (schema.Attribute("out"),),
    )
)
WORDS = """
a b p c x T::A heat_template_version resources outputs parameters
conditions type properties value template params for_each default
constraints range min max allowed_pattern depends_on condition
get_param get_attr get_resource get_file str_replace list_join
str_split repeat digest map_merge map_replace yaql if filter
contains make_url list_concat equals not and or resource_facade
expression data host port query parameter_groups hidden metadata
update_policy external_id deletion_policy Ref Fn::Select
OS::stack_name %a% $.data
""".split()  # noqa: SIM905 a list of words is easier to read so
SCALARS = (
    strategies.none()
    | strategies.booleans()
    | strategies.integers()
    | strategies.floats()
    | strategies.text(max_size=8)
    | strategies.sampled_from(WORDS)
)
VALUES = strategies.recursive(
    SCALARS,
    lambda inner: (
        strategies.lists(inner, max_size=4)
        | strategies.dictionaries(
            strategies.sampled_from(WORDS), inner, max_size=4
        )
    ),
    max_leaves=25,
)
SECTIONS = strategies.fixed_dictionaries(
    {"heat_template_version": strategies.just("2021-04-16")},
    optional={
        "resources": strategies.dictionaries(
            strategies.sampled_from("ab"),
            strategies.fixed_dictionaries(
                {"type": strategies.just("T::A")},
                optional={
                    "properties": strategies.dictionaries(
                        strategies.sampled_from("slmn"), VALUES
                    ),
                    "metadata": VALUES,
                    "condition": VALUES,
                    "depends_on": VALUES,
                },
            ),
        ),
        "outputs": strategies.dictionaries(
            strategies.sampled_from("xy"),
            strategies.fixed_dictionaries({"value": VALUES}),
        ),
        "conditions": strategies.dictionaries(
            strategies.sampled_from("cd"), VALUES
        ),
        "parameters": VALUES,
    },
)
QUICK = hypothesis.settings(
    max_examples=100,
    deadline=None,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)


class _World(world.EmptyWorld):
    def reference_id(self, name):
        return f"id-{name}"

    def attribute(self, name, attribute):
        return {"k": ["v", 1, None]}


def use(written, environment=None) -> None:
    """Do with a template all that can be done."""
    loaded = template.Template.load(
        inputs.Inputs(written, environment, {"p": "v"}, {"f": "text"}),
        TYPES,
        inputs.Identity("id", "name", "project"),
        inputs.Limits(work=1_000_000),
    )
    with contextlib.suppress(errors.OrchError):
        loaded.validation_answer()
    loaded.validate(declaration.check_with_rows)
    for name in loaded.resources:
        loaded.resolve_properties(name, world.EmptyWorld(), marks_unknown=True)
        loaded.attributes_read(name)
    json.dumps([one.value for one in loaded.resolve_outputs(_World())])
    json.dumps(loaded.shown_parameters())


class AnythingTest(base.TestCase):
    def check(self, written, environment=None) -> None:
        try:
            use(written, environment)
        except errors.OrchError as error:
            self.assertNotIn(
                error.code, ("orch.internal", "orch.template.not_yet_known")
            )

    @QUICK
    @hypothesis.given(SECTIONS)
    def test_any_map_of_sections(self, written) -> None:
        self.check(written)

    @QUICK
    @hypothesis.given(VALUES, VALUES)
    def test_any_value_at_all(self, written, environment) -> None:
        self.check(written, environment)

    @QUICK
    @hypothesis.given(strategies.text(), strategies.text())
    def test_any_text(self, tail, environment) -> None:
        self.check(f"heat_template_version: 2021-04-16\n{tail}", environment)

    def test_time_grows_with_the_size_whatever_the_shape(self) -> None:
        for shape in (_flat, _chain, _layered):
            small, large = (
                min(_time_of(shape(size)) for _ in range(3))
                for size in (500, 2000)
            )
            # Four times the size; were it quadratic, 16 times the time.
            self.assertLess(large, 10 * small)


def _flat(size):
    return {
        f"r{n}": {"type": "T::A", "properties": {"s": "x", "n": n}}
        for n in range(size)
    }


def _chain(size):
    return {
        f"r{n}": {
            "type": "T::A",
            "properties": {"s": {"get_resource": f"r{n - 1}"} if n else "x"},
        }
        for n in range(size)
    }


def _layered(size):
    return {
        f"r{n}": {
            "type": "T::A",
            "depends_on": [
                f"r{m}" for m in range((n // 10 - 1) * 10, n // 10 * 10)
            ]
            if n >= 10
            else [],
        }
        for n in range(size)
    }


def _time_of(resources) -> float:
    begun = time.process_time()
    loaded = template.Template.load(
        inputs.Inputs(
            {"heat_template_version": "2018-08-31", "resources": resources}
        ),
        TYPES,
        inputs.Identity("id", "name", "project"),
        inputs.Limits(resources=-1),
    )
    loaded.validate(declaration.check_with_rows)
    for name in loaded.resources:
        loaded.resolve_properties(name, _World())
    return time.process_time() - begun
