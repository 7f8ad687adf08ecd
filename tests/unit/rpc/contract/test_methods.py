"""What a Protocol declares of its methods."""

import typing

from orch.rpc import contract
from orch.rpc.contract import methods
from tests import base
from tests.unit.rpc import declared


class MethodsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        found = methods.read_namespace(declared.Shelf)
        self.name = found.name
        self.methods = {each.name: each for each in found.methods}

    def test_public_methods_belong_to_the_namespace(self) -> None:
        self.assertEqual("shelf", self.name)
        self.assertEqual({"find", "place", "dust", "burn"}, set(self.methods))

    def test_marks_are_stored(self) -> None:
        added = frozenset({"page"})

        self.assertEqual(
            methods.Policy(is_read=True, added=added),
            self.methods["find"].policy,
        )
        self.assertEqual(
            methods.Policy(once=True), self.methods["place"].policy
        )
        self.assertEqual(
            methods.Policy(sent="cast"), self.methods["dust"].policy
        )

    def test_a_method_without_a_mark_counts_as_a_change(self) -> None:
        self.assertEqual(methods.Policy(), self.methods["burn"].policy)
        self.assertFalse(methods.Policy().is_read)

    def test_arguments_are_bound_by_name(self) -> None:
        place, burn = self.methods["place"], self.methods["burn"]

        self.assertEqual({"title": "a", "row": 1}, place.bind("a"))
        self.assertEqual({"title": "a", "row": 2}, place.bind("a", row=2))
        self.assertEqual({"one": "x"}, burn.bind(one="x"))
        self.assertRaises(TypeError, place.bind)
        self.assertRaises(TypeError, place.bind, "a", colour="red")

    def test_another_class_is_no_namespace(self) -> None:
        self.assertRaises(TypeError, methods.read_namespace, dict)


class ContractTest(base.TestCase):
    def test_each_namespace_has_a_name_of_its_own(self) -> None:
        kinds = (*contract.NAMESPACES, contract.Search)
        names = {methods.read_namespace(each).name for each in kinds}

        self.assertEqual(len(kinds), len(names))

    def test_each_method_says_what_it_does_and_has_a_mark(self) -> None:
        for kind in (*contract.NAMESPACES, contract.Search):
            for each in methods.read_namespace(kind).methods:
                function: typing.Any = getattr(kind, each.name)
                where = f"{kind.__name__}.{each.name}"
                self.assertTrue(function.__doc__, where)
                self.assertIn("rpc_policy", vars(function), where)

    def test_only_changes_are_run_once(self) -> None:
        for kind in (*contract.NAMESPACES, contract.Search):
            for each in methods.read_namespace(kind).methods:
                policy = each.policy
                self.assertFalse(policy.is_read and policy.once, each.name)
                self.assertLessEqual(
                    policy.added, set(each.signature.parameters)
                )
