"""Random templates: what functions make of a secret is never shown."""

import dataclasses
import json
import typing

import hypothesis
from hypothesis import strategies
from oslo_config import cfg

from orch.engine.secrets import tree_secrets
from orch.model import marked
from orch.plugin import registry
from orch.resources.heat import value
from orch.template import inputs
from orch.template import template
from orch.template.language import functions_of_version
from orch.template.language import versions
from tests import base
from tests.support import canaries
from tests.support import soak

Json = dict[str, typing.Any]

_PLAIN: typing.Final = "seen by all readers"
_LETTERS: typing.Final = "bcdfghjklmnpqrstvwxz"
_TEXTS: typing.Final = (
    *("as_it_is", "digest", "digest_of_part", "if", "list_join", "make_url"),
    *("str_replace", "yaql_part", "yaql_upper"),
)
"""Rows whose values other functions can take."""

_TYPES: typing.Final = registry.ResourceTypes.of(
    [value.Value], cfg.ConfigOpts()
)
_WORDS: typing.Final = strategies.text(_LETTERS, min_size=8, max_size=12)
_SECRETS: typing.Final = strategies.builds(
    canaries.make_secret, _WORDS, _WORDS
)


@dataclasses.dataclass(frozen=True)
class Expression:
    """What a template writes, and its value."""

    written: object
    value: object


class _World:
    """The resources of a stack, which show their values.

    :ivar sensitive: names of those whose value is sensitive
    """

    def __init__(self, values: Json) -> None:
        self._values = values
        self.sensitive: set[str] = set()

    def reference_id(self, name: str) -> object:
        return f"id-{name}"

    def attribute(self, name: str, attribute: str) -> object:
        return self._values[name]

    def is_sensitive(
        self, name: str, attribute: str | None, value: object
    ) -> bool:
        return name in self.sensitive


@strategies.composite
def _stacks(draw: strategies.DrawFn, secret: str) -> dict[str, Expression]:
    """Return the values of resources; each may read those before it."""
    found: dict[str, Expression] = {}
    for number in range(draw(strategies.integers(1, 5))):
        sources = [
            Expression({"get_param": "word"}, secret),
            *(
                Expression({"get_attr": [name, "value"]}, each.value)
                for name, each in found.items()
                if isinstance(each.value, str)
            ),
        ]
        source = draw(strategies.sampled_from(sources))
        for name in draw(
            strategies.lists(strategies.sampled_from(_TEXTS), max_size=2)
        ):
            source = _call(source, name)
        rows = [
            name
            for name in canaries.HOT_ROWS
            if "-" in str(source.value) or name != "str_split_part"
        ]
        source = _call(source, draw(strategies.sampled_from(rows)))
        if draw(strategies.booleans()):
            source = Expression(
                {"k": [source.written, "x"]}, {"k": [source.value, "x"]}
            )
        found[f"r{number}"] = source
    return found


def _call(source: Expression, name: str) -> Expression:
    row = canaries.HOT_ROWS[name]
    return Expression(row.write(source.written), row.expect(str(source.value)))


def _load(secret: str, written: Json) -> template.Template:
    return template.Template.load(
        inputs.Inputs(
            template={
                "heat_template_version": canaries.HOT,
                "conditions": canaries.CONDITIONS,
                "parameters": {"word": {"type": "string", "hidden": True}},
                "resources": {
                    name: {
                        "type": "OS::Heat::Value",
                        "properties": {"value": each},
                    }
                    for name, each in written.items()
                },
                "outputs": {
                    name: {"value": each} for name, each in written.items()
                },
            },
            environment={},
            parameters={"word": secret},
            files={},
        ),
        _TYPES,
        inputs.Identity("s", "web", "p"),
        inputs.Limits(),
    )


class CanaryTest(base.TestCase):
    def test_the_tables_know_each_function_of_the_language(self) -> None:
        functions = {
            name
            for version in versions.VERSIONS
            for name in functions_of_version.functions_of_version(version)
        }

        self.assertEqual(functions, canaries.list_functions())

    @hypothesis.settings(
        max_examples=soak.rounds(100, 4000),
        derandomize=True,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategies.data(), _SECRETS)
    def test_no_value_of_a_random_template_shows_the_secret(
        self, data: strategies.DataObject, secret: str
    ) -> None:
        made = data.draw(_stacks(secret))
        written = {name: each.written for name, each in made.items()}
        parsed_template = _load(secret, {**written, "plain": _PLAIN})
        world = _World({name: each.value for name, each in made.items()})
        redacts = tree_secrets.redaction_of_new(parsed_template)
        pieces = canaries.find_pieces(
            [secret, *(each.value for each in made.values())]
        )

        for name, each in made.items():
            properties = parsed_template.resolve_properties(name, world)
            self.assertEqual(each.value, properties["value"])
            shown = redacts.values(properties)
            for piece in pieces:
                self.assertNotIn(piece, json.dumps(shown))
            if marked.paths_of(properties):
                world.sensitive.add(name)
        for output in parsed_template.resolve_outputs(world):
            shown_output = redacts.value(output.value, output.sensitive)
            for piece in pieces:
                self.assertNotIn(piece, json.dumps(shown_output))
        plain = parsed_template.resolve_properties("plain", world)
        self.assertEqual(plain, redacts.values(plain))
