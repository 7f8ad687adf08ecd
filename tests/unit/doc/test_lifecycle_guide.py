"""What the guide to lifecycle plug-ins shows is true."""

import collections.abc
import importlib.util
import pathlib
import re
import textwrap
import typing

import yaml

from orch import errors
from orch.plugin import lifecycle
from orch.plugin import registry
from tests import base
from tests.support import patterns

_TOP = pathlib.Path(__file__).parents[3]
_GUIDE = _TOP / "doc" / "source" / "lifecycle.rst"
_AUTHORS = _TOP / "doc" / "source" / "lifecycle_plugins.rst"
_EXAMPLE = _TOP / "examples" / "lifecycle-plugin"
_README = _TOP / "examples" / "licence-server" / "README.md"
_BLOCK = re.compile(
    r"^\.\. code-block:: (\w+)\n\n((?:   .*\n|\n)+)", re.MULTILINE
)


def blocks(path: pathlib.Path, language: str) -> list[str]:
    return [
        textwrap.dedent(found[2])
        for found in _BLOCK.finditer(path.read_text())
        if found[1] == language
    ]


def budget() -> typing.Any:
    spec = importlib.util.spec_from_file_location(
        "acme_budget", _EXAMPLE / "acme_budget.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Budget


class SettingsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.secret = self.make_directory() / "secret"
        self.secret.write_text("a secret of both of them")

    def make(
        self, text: str
    ) -> collections.abc.Iterator[lifecycle.LifecyclePlugin]:
        kinds = {
            each.name: each.load()
            for each in registry.entry_points(lifecycle.NAMESPACE)
            if each.value.startswith(("orch.", "orch_lifecycle_policies."))
        }
        for name, settings in yaml.safe_load(text).items():
            # Orch reads the level itself.
            settings.pop("enforcement", None)
            if "secret_file" in settings:
                settings["secret_file"] = str(self.secret)
            yield kinds[name.partition(":")[0]](name, settings)

    def test_all_settings_that_are_shown_are_good(self) -> None:
        made = [
            each.name
            for text in blocks(_GUIDE, "yaml")
            for each in self.make(text)
        ]

        self.assertEqual(
            [
                "webhook:licences",
                "webhook:licences",
                "command:tickets",
                "resource-counts",
                "resource-rules",
                "naming-tagging",
                "maintenance-windows",
                "rack-placement",
            ],
            made,
        )

    def test_those_of_the_licence_server_are_good(self) -> None:
        found = re.search(r"```yaml\n(.*?)```", _README.read_text(), re.DOTALL)
        assert found is not None

        self.assertEqual(
            ["webhook:licences"], [each.name for each in self.make(found[1])]
        )


class AuthorsTest(base.TestCase):
    def test_the_trial_without_a_server_runs(self) -> None:
        *_, trial = blocks(_AUTHORS, "python")

        exec(trial, {"Budget": budget()})

        self.assertIn("assert verdict", trial)


class BudgetTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = budget()(
            "acme-budget",
            {"budget": 100, "prices": {"OS::Nova::Server": 30}},
        )

    def judge(self, count: int) -> lifecycle.Verdict:
        found = self.plugin.pre_operation(
            patterns.make_operation(
                patterns.stack(
                    *(patterns.resource(f"s{each}") for each in range(count))
                )
            )
        )
        assert isinstance(found, lifecycle.Verdict)
        return found

    def test_it_allows_warns_and_denies(self) -> None:
        self.assertEqual(lifecycle.allow({"": {"cost": 30}}), self.judge(1))
        self.assertEqual(
            lifecycle.warn("it costs 90 of 100", {"": {"cost": 90}}),
            self.judge(3),
        )
        self.assertEqual(
            lifecycle.deny("it would cost 120, and the budget is 100"),
            self.judge(4),
        )

    def test_it_needs_a_budget(self) -> None:
        self.assertRaises(errors.Invalid, budget(), "acme-budget", {})
