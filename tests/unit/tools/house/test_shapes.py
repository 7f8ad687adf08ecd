"""Sizes and ties of rooms are checked as they are agreed upon."""

from tests import base
from tools.house import shapes
from tools.house import walk


def make(path: str, lines: int = 1, text: str = "") -> walk.Source:
    """Return a file with so many lines."""
    return walk.parse(path, text + "\n" * (lines - text.count("\n")))


class SizeTests(base.TestCase):
    def test_a_file_has_at_most_five_hundred_lines(self) -> None:
        sources = [make("orch/a.py", 500), make("orch/b.py", 501)]

        problems = list(shapes.check_lengths(sources))

        self.assertEqual(["orch/b.py"], [each.path for each in problems])

    def test_a_package_has_at_most_a_tenth_of_the_engine(self) -> None:
        sources = [
            make("orch/engine/service.py", 879),
            make("orch/engine/a/x.py", 60),
            make("orch/engine/a/b/y.py", 61),
            make("orch/engine/c/z.py", 100),
            make("orch/flow/big.py", 5000),
        ]

        problems = list(shapes.check_shares(sources))

        self.assertEqual(
            ["orch/engine/a/__init__.py"], [each.path for each in problems]
        )


class SmallTests(base.TestCase):
    def check(self, *by_design: str, lines: int = 39) -> list[str]:
        sources = [
            make("orch/a.py", lines),
            make("orch/b.py", 50, "def f():\n    from orch import a\n"),
            make("orch/c/__init__.py", 1),
            make("orch/d.py", 50, "import orch.c\n"),
        ]
        imports = shapes.find_imports(sources)
        found = shapes.check_small(sources, imports, by_design)
        return [each.path for each in found]

    def test_a_small_file_with_one_reader_is_found(self) -> None:
        self.assertEqual(["orch/a.py"], self.check())
        self.assertEqual([], self.check(lines=40))

    def test_a_list_by_design_is_left_out(self) -> None:
        self.assertEqual([], self.check("orch/a.py"))


class ListedPathTests(base.TestCase):
    def test_a_room_without_files_is_to_leave_the_list(self) -> None:
        problems = list(
            shapes.check_listed_paths(["orch/a/b.py"], ["orch/a/", "orch/c/"])
        )

        self.assertEqual(
            ["tools/house/rooms.toml:1: orch/c/ names no file: remove it"],
            [str(each) for each in problems],
        )


class CircleTests(base.TestCase):
    def find(self, inside: str) -> list[str] | None:
        sources = [
            make("orch/a.py", text="from orch import b\n"),
            make("orch/b.py", text="from orch.c.d import name\n"),
            make("orch/c/__init__.py"),
            make("orch/c/d.py", text=f"def f():\n    {inside}\n"),
        ]
        return shapes.find_circle(shapes.find_imports(sources))

    def test_an_import_inside_a_function_closes_a_circle(self) -> None:
        circle = self.find("from orch import a")

        self.assertEqual({"orch.a", "orch.b", "orch.c.d"}, set(circle or ()))

    def test_imports_in_one_direction_are_no_circle(self) -> None:
        self.assertIsNone(self.find("import json"))


class ModuleTests(base.TestCase):
    def test_the_folder_of_a_distribution_is_no_package(self) -> None:
        for path, module in (
            ("orch/flow/__init__.py", "orch.flow"),
            ("orch/flow/task.py", "orch.flow.task"),
            ("orchclient/client.py", "orchclient.client"),
            ("orchclient/orchclient/client.py", "orchclient.client"),
            ("contrib/orch-x/orch_x/policy.py", "orch_x.policy"),
        ):
            self.assertEqual(module, shapes.find_module(path))
