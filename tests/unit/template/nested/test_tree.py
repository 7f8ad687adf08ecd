"""How much is read of templates that name one another."""

import collections.abc

from orch.template import errors
from orch.template import inputs
from orch.template import load_request
from orch.template import source
from orch.template import world
from orch.template.environment import registry
from orch.template.language import versions
from orch.template.nested import tree
from orch.template.resources import declaration
from orch.template.resources import nested_type
from orch.template.resources import type_info
from orch.template.text import document
from tests import base
from tests.unit.template import fakes

ROOT = {"heat_template_version": "2018-08-31"}
NO_FACADE: dict[str, object] = {}


def _context() -> load_request.LoadContext:
    cap = inputs.Limits()
    types = fakes.Types()
    library = nested_type.Library({}, {}, cap)
    type_map = registry.TypeMap({})
    return load_request.LoadContext(
        types,
        type_map,
        {},
        library,
        type_info.TypeCatalogue(types, library, type_map),
        inputs.Identity("id-1", "web", "demo"),
        cap,
    )


def _source(
    text: str = "", outputs: dict[str, object] | None = None
) -> source.Source:
    root = {**ROOT, "outputs": outputs or {}}
    return source.Source(
        document.Document(root, text), versions.get_version(root), {}
    )


class TreeTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.context = _context()

    def enter(
        self,
        below: tree.Tree,
        written: source.Source,
        values: collections.abc.Mapping[str, object],
        facade: collections.abc.Mapping[str, object] = NO_FACADE,
    ) -> tuple[tree.Nested, bool] | None:
        return below.enter(
            declaration.Declaration(
                name="k", type_name="kid.yaml", declared_type="kid.yaml"
            ),
            written,
            values,
            inputs.ParentContext(1, facade),
            self.context,
            {},
        )

    def test_stacks_that_are_alike_are_read_once(self) -> None:
        below, written = tree.Tree({}, 1000, 9), _source()

        first = self.enter(below, written, {"p": 1})
        again = self.enter(below, written, {"p": 1})
        other = self.enter(below, written, {"p": True})

        self.assertEqual([True, False, True], [first[1], again[1], other[1]])
        self.assertIs(first[0], again[0])

    def test_a_stack_sees_the_resource_that_holds_it(self) -> None:
        parts = {
            "metadata": {"a": 1},
            "deletion_policy": "Retain",
            "update_policy": world.UNKNOWN,
        }
        written = _source(
            outputs={
                part: {"value": {"resource_facade": part}} for part in parts
            }
        )

        nested, _ = self.enter(tree.Tree({}, 99, 9), written, {}, parts)

        self.assertEqual(
            [{"a": 1}, "Retain", None],
            [
                output.value
                for output in nested.body.outputs.resolve(
                    nested.body.scope(world.EmptyWorld()), None
                )
            ],
        )

    def test_one_template_is_read_with_some_values_only(self) -> None:
        below, written = tree.Tree({}, 1000, 3), _source()

        found = [self.enter(below, written, {"p": n}) for n in range(9)]

        self.assertEqual(6, found.count(None))

    def test_text_is_read_up_to_a_limit(self) -> None:
        below = tree.Tree({}, 1000, 9)

        found = [
            self.enter(below, _source("x" * 300), {"p": n}) for n in range(9)
        ]

        self.assertEqual(6, found.count(None))

    def test_the_limit_grows_with_the_text_of_the_templates(self) -> None:
        written = _source("x" * 400_000)
        few = tree.Tree.to_check({}, {"kid.yaml": "x", "b.txt": "x" * 400_000})
        many = tree.Tree.to_check({}, {"kid.yaml": "x" * 400_000})

        self.assertIsNone(self.enter(few, written, {}))
        entered = self.enter(many, written, {})
        assert entered is not None
        self.assertIs(written, entered[0].source)

    def test_stacks_that_are_shown_are_counted(self) -> None:
        below = tree.Tree.to_show({}, inputs.Limits(resources=2))

        below.count.add(2)

        self.assertRaises(errors.TooLarge, below.count.add, 1)
