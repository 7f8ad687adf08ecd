"""Rows of new resources come from one place, which asks who may have them."""

import ast
import pathlib
import typing

import orch
from orch import errors
from orch import ids
from orch.flow.state import new_rows
from orch.model import states
from tests import base
from tests.support import flows

_PLACE: typing.Final = "flow/state/new_rows.py"
_UNSTORED: typing.Final = {
    "engine/acceptance/precheck.py",
    "engine/nested/tree_size.py",
    "engine/plan_tree/nested.py",
    "flow/state/transitions.py",
    "model/snapshot.py",
}
"""Make values of resources that are shown or compared, and never stored."""


def _refuse(type_name: str) -> None:
    raise errors.Forbidden(f"not {type_name}")


class NewRowTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.flows = self.useFixture(flows.Flows())

    def test_a_type_that_is_refused_gets_no_row(self) -> None:
        operation = self.flows.make_operation()

        error = self.assertRaises(
            errors.Forbidden,
            new_rows.new_row,
            ids.ResourceId(ids.new()),
            flows.declare("net"),
            operation,
            operation.created_at,
            _refuse,
        )

        self.assertEqual("resources.net: not Test::Thing", error.message)

    def test_both_types_of_a_mapped_one_are_asked_about(self) -> None:
        operation = self.flows.make_operation()
        asked: list[str] = []
        declared = flows.declare("net", declared_type="My::Net")

        row = new_rows.new_row(
            ids.ResourceId(ids.new()),
            declared,
            operation,
            operation.created_at,
            asked.append,
        )

        self.assertEqual({row.type_name, row.mapped_type}, set(asked))
        self.assertEqual("My::Net", row.type_name)

    def test_no_other_module_makes_rows(self) -> None:
        root = pathlib.Path(orch.__file__).parent
        found = {
            str(path.relative_to(root))
            for path in root.rglob("*.py")
            if _makes_resources(path)
        }

        self.assertEqual({_PLACE} | _UNSTORED, found)

    def test_a_renamed_type_is_asked_about(self) -> None:
        wanted = flows.Template(a="")
        self.flows.run(wanted)
        wanted.resources["a"] = flows.declare("a", declared_type="My::Thing")
        asked: list[str] = []
        self.flows.check_type = asked.append
        claimed = self.flows.claim(self.flows.accept(states.Action.UPDATE))

        self.flows.load(claimed, wanted)

        self.assertIn("My::Thing", asked)

    def test_what_stays_is_not_asked_about(self) -> None:
        wanted = flows.Template(a="")
        self.flows.run(wanted)
        self.flows.check_type = _refuse
        claimed = self.flows.claim(self.flows.accept(states.Action.UPDATE))

        store, _ = self.flows.load(claimed, wanted)

        self.assertEqual(["a"], [row.name for row in store.rows.values()])


def _makes_resources(path: pathlib.Path) -> bool:
    """Whether a module calls the class of the rows of resources."""
    text = path.read_text()
    if "Resource(" not in text:
        return False
    tree = ast.parse(text)
    names = {
        each.asname or each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "orch.model"
        for each in node.names
        if each.name == "resource"
    }
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "Resource"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in names
        for node in ast.walk(tree)
    )
