"""What counts as a statement, and as a pass-through function."""

import ast

from tests import base
from tools import sizes

_SOURCE = '''"""A module."""

import json


class Client:
    """A class."""

    def show(self, name, *, depth=0):
        """Return a stack."""
        return self._call.show(name, depth=depth)

    def listed(self, *names, **filters):
        self._call.listed(*names, **filters)

    def nothing(self):
        return self._call.nothing()

    def fixed(self, name):
        return self._call.show(name, depth=1)

    def changed(self, name):
        return self._call.show(name.lower())

    def two(self, name):
        found = self._call.show(name)
        return found
'''


class SizesTest(base.TestCase):
    def test_statements_without_docstrings(self) -> None:
        # Import, class, six functions and what is in them.
        self.assertEqual(15, sizes.count_statements(ast.parse(_SOURCE)))

    def test_what_hands_its_parameters_on(self) -> None:
        found = sizes.find_pass_throughs(ast.parse(_SOURCE))

        self.assertEqual(["show", "listed"], [each.name for each in found])
