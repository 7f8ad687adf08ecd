"""What runs is what a change touches, and no more than is quick."""

import os
import pathlib
import subprocess

import fixtures
import grimp

from tests import base
from tools import quick

_IMPORTS = {
    "orch.flow.run": (),
    "orch.flow.user": ("orch.flow.run",),
    "tests.support.helper": ("orch.flow.run",),
    "tests.unit.flow.test_run": (),
    "tests.unit.flow.test_run_more": (),
    "tests.unit.flow.test_runner": (),
    "tests.unit.test_direct": ("orch.flow.run",),
    "tests.unit.test_helped": ("tests.support.helper",),
    "tests.unit.test_far": ("orch.flow.user",),
    "tests.unit.test_other": (),
    "tests.contract.test_port": ("orch.flow.run",),
    "tests.functional.test_flows": (),
    "tests.chaos.test_kill": (),
}


def imports(extra: dict[str, tuple[str, ...]] | None = None) -> quick.Imports:
    """Return the imports above, and more."""
    graph = grimp.ImportGraph()
    for module, imported in {**_IMPORTS, **(extra or {})}.items():
        graph.add_module(module)
        for each in imported:
            graph.add_import(importer=module, imported=each)
    return quick.Imports(graph)


class ChoiceTests(base.TestCase):
    def test_importers_mirrors_and_users_of_helpers_are_chosen(self) -> None:
        found = quick.choose({"orch.flow.run"}, imports())

        self.assertEqual(
            {
                "unit": [
                    "tests.unit.flow.test_run",
                    "tests.unit.flow.test_run_more",
                    "tests.unit.test_direct",
                    "tests.unit.test_far",
                    "tests.unit.test_helped",
                ],
                "contract": ["tests.contract.test_port"],
            },
            found.chosen,
        )
        self.assertEqual(0, found.omitted)

    def test_one_that_imports_through_another_waits_where_there_are_many(
        self,
    ) -> None:
        many: dict[str, tuple[str, ...]] = {
            f"tests.unit.test_far{number}": ("orch.flow.user",)
            for number in range(60)
        }

        found = quick.choose({"orch.flow.run"}, imports(many))

        self.assertEqual(4, len(found.chosen["unit"]))
        self.assertEqual(61, found.omitted)

    def test_the_nearest_tests_are_found_where_they_are_far(self) -> None:
        chain: dict[str, tuple[str, ...]] = {
            "orch.api.body": (),
            "orch.api.a": ("orch.api.body",),
            "orch.api.b": ("orch.api.a",),
            "tests.unit.test_b": ("orch.api.b",),
            "orch.api.c": ("orch.api.b",),
            "tests.unit.test_c": ("orch.api.c",),
        }

        found = quick.choose({"orch.api.body"}, imports(chain))

        self.assertEqual(["tests.unit.test_b"], found.chosen["unit"])

    def test_a_test_module_that_changed_is_chosen_itself(self) -> None:
        found = quick.choose({"tests.unit.test_other"}, imports())

        self.assertEqual(["tests.unit.test_other"], found.chosen["unit"])

    def test_one_that_is_gone_still_has_its_mirror(self) -> None:
        found = quick.choose({"orch.other"}, imports())

        self.assertEqual(["tests.unit.test_other"], found.chosen["unit"])

    def test_the_packages_of_contrib_have_their_tests_below(self) -> None:
        unit = "orch_search_heat.tests.unit"
        found = quick.choose(
            {"orch_search_heat.reader"},
            imports(
                {
                    "orch_search_heat.reader": (),
                    f"{unit}.test_reader": (),
                    f"{unit}.test_trees": ("orch_search_heat.reader",),
                    f"{unit}.test_thin": (),
                }
            ),
        )

        self.assertEqual(
            [f"{unit}.test_reader", f"{unit}.test_trees"], found.chosen["unit"]
        )

    def test_slow_ones_are_named_by_a_word_of_theirs(self) -> None:
        found = quick.choose({"orch.flow.run"}, imports())
        changed = quick.choose({"tests.chaos.test_kill"}, imports())

        self.assertEqual(["tests.functional.test_flows"], found.slow)
        self.assertEqual(["tests.chaos.test_kill"], changed.slow)

    def test_modules_are_named_by_their_files(self) -> None:
        self.assertEqual(
            [
                *("orch.flow.run", "orch.flow", "orchclient.retry"),
                "orch_search_heat.tests.unit.heats",
                *[None] * 4,
            ],
            [
                quick.module_name(path)
                for path in (
                    "orch/flow/run.py",
                    "orch/flow/__init__.py",
                    "orchclient/orchclient/retry.py",
                    "contrib/orch-search-heat/orch_search_heat/tests/unit/"
                    "heats.py",
                    "orchclient/setup.py",
                    "contrib/orch-search-heat/setup.py",
                    "doc/source/conf.py",
                    "tests/scenarios/cases/a.yaml",
                )
            ],
        )


class ChangedTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.make_directory()
        cwd = pathlib.Path.cwd()
        self.addCleanup(lambda: os.chdir(cwd))
        os.chdir(self.place)
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
            self.useFixture(fixtures.EnvironmentVariable(name))
        self.git("init", "--quiet")
        for name in ("same", "changed", "gone"):
            (self.place / name).write_text("old")
        self.commit()

    def git(self, *arguments: str) -> None:
        subprocess.run(
            ("git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments),
            check=True,
            capture_output=True,
        )

    def commit(self) -> None:
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "it")

    def test_what_differs_and_what_is_new_is_found(self) -> None:
        (self.place / "changed").write_text("new")
        (self.place / "gone").unlink()
        (self.place / "untracked").write_text("new")

        self.assertEqual(
            ["changed", "gone", "untracked"], quick.changed_files("HEAD")
        )

    def test_another_revision_can_be_the_base(self) -> None:
        (self.place / "changed").write_text("new")
        self.commit()

        self.assertEqual([], quick.changed_files("HEAD"))
        self.assertEqual(["changed"], quick.changed_files("HEAD~1"))

    def test_a_revision_that_is_not_there_is_named(self) -> None:
        error = self.assertRaises(
            SystemExit, quick.changed_files, "no-such-revision"
        )

        self.assertIn("no-such-revision", str(error))
