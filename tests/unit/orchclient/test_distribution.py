"""The client is installed without the server, the server without it."""

import ast
import collections.abc
import importlib.metadata
import pathlib
import re
import sys

import orchclient
from tests import base

_CLIENT = "python-orchclient"
_SERVER = "orch"


def _requirements(distribution: str) -> set[str]:
    """Return the names of what it needs when it runs, without extras."""
    return {
        re.split(r"[^\w.-]", line, maxsplit=1)[0].lower()
        for line in importlib.metadata.requires(distribution) or ()
        if "extra ==" not in line
    }


def _packages(distribution: str) -> set[str]:
    """Return the packages that its entry points name."""
    points = importlib.metadata.distribution(distribution).entry_points
    return {point.module.partition(".")[0] for point in points}


def _imports(module: ast.AST) -> collections.abc.Iterator[str]:
    """Give the first words of what a module imports, anywhere in it."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


class DistributionTests(base.TestCase):
    def test_neither_needs_the_other(self) -> None:
        self.assertNotIn(_SERVER, _requirements(_CLIENT))
        self.assertNotIn(_CLIENT, _requirements(_SERVER))

    def test_each_has_the_entry_points_of_its_own_package(self) -> None:
        self.assertEqual({"orchclient"}, _packages(_CLIENT))
        self.assertEqual({"orch"}, _packages(_SERVER))

    def test_the_command_orch_is_the_clients(self) -> None:
        (script,) = importlib.metadata.entry_points(
            group="console_scripts", name="orch"
        )

        assert script.dist is not None
        self.assertEqual(_CLIENT, script.dist.name)

    def test_the_client_needs_what_it_imports_and_nothing_else(self) -> None:
        place = pathlib.Path(orchclient.__file__).parent
        imported = {
            name
            for path in place.rglob("*.py")
            for name in _imports(ast.parse(path.read_bytes()))
        } - {"orchclient", *sys.stdlib_module_names}
        owners = importlib.metadata.packages_distributions()

        self.assertEqual(
            {owners[name][0].lower() for name in imported},
            _requirements(_CLIENT),
        )

    def test_the_client_needs_few_packages(self) -> None:
        # Others are for other systems, or other versions of Python.
        installed = {
            each.name.lower() for each in importlib.metadata.distributions()
        }
        needed, new = set[str](), _requirements(_CLIENT)
        while new:
            needed |= new
            new = {
                more
                for name in new & installed
                for more in _requirements(name)
            } - needed

        self.assertNotIn("openstacksdk", needed)
        self.assertLess(len(needed), 40)
