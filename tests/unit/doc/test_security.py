"""The table of who can do what names tests that exist."""

import ast
import pathlib
import re

from tests import base

_DOCUMENT = pathlib.Path("doc/source/security.rst")
_TESTED = re.compile(r"``((?:unit|functional)\.[\w.]+)``")


class SecurityTests(base.TestCase):
    def test_each_row_names_tests_that_exist(self) -> None:
        text = _DOCUMENT.read_text(encoding="utf-8")
        table = text.partition("     - Tested by\n")[2]
        rows = table.partition("\n\n")[0].split("   * - ")[1:]

        self.assertGreater(len(rows), 10)
        for row in rows:
            named = _TESTED.findall(row.rpartition("     - ")[2])
            self.assertNotEqual([], named, row)
            for name in named:
                self.assertTrue(_exists(name), name)


def _exists(name: str) -> bool:
    """Whether there is a test module, or a class in one, of this name."""
    module, _, last = name.rpartition(".")
    if last.startswith("test_"):
        return _path_of(name).exists()
    tree = ast.parse(_path_of(module).read_text(encoding="utf-8"))
    return any(
        isinstance(each, ast.ClassDef) and each.name == last
        for each in tree.body
    )


def _path_of(module: str) -> pathlib.Path:
    return pathlib.Path("tests", *module.split(".")).with_suffix(".py")
