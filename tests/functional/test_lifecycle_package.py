"""The example of a package with a lifecycle plug-in, installed by pip."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import typing

import fixtures
import yaml

from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

_EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "lifecycle-plugin"

_HEAT = """
import json
import os

from heat.engine import lifecycle_plugin


class Guard(lifecycle_plugin.LifecyclePlugin):
    '''Written for Heat: counts resources by type, and vetoes.'''

    def do_pre_op(self, cnxt, stack, current_stack=None, action=None):
        self._note("pre", cnxt, stack, current_stack, action)
        wanted = current_stack or stack
        for name, resource in wanted.resources.items():
            if resource.type() == "OS::Heat::None":
                raise Exception("%s of %s may not be" % (name, stack.name))

    def do_post_op(self, cnxt, stack, current_stack=None, action=None,
                   is_stack_failure=False):
        self._note("post", cnxt, stack, current_stack, action,
                   is_stack_failure)

    def get_ordinal(self):
        return 50

    def _note(self, phase, cnxt, stack, current_stack, action, *flag):
        line = [phase, cnxt.tenant_id == stack.tenant_id, stack.name,
                sorted(stack.resources),
                current_stack and sorted(current_stack.resources),
                action, stack.status, *flag]
        with open(os.environ["GUARD_NOTES"], "a") as notes:
            notes.write(json.dumps(line) + "\\n")
"""


class PackageTest(serving.ServerTestCase):
    """The example, and beside it a package that was written for Heat."""

    limit_s = 180
    place: typing.ClassVar[pathlib.Path]

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = pathlib.Path(cls.use(fixtures.TempDir()).path)
        cls.install()
        settings = cls.place / "lifecycle.yaml"
        settings.write_text(
            yaml.safe_dump(
                {
                    "acme-budget": {
                        "budget": 10,
                        "prices": {"OS::Heat::RandomString": 4},
                        "ledger": str(cls.place / "ledger"),
                    }
                }
            )
        )
        cls.options = {
            **serving.options(),
            "lifecycle": {"settings_file": str(settings)},
        }
        super().setUpClass()

    @classmethod
    def install(cls) -> None:
        """Have both packages in the site directory of the server."""
        source = cls.place / "source"
        shutil.copytree(_EXAMPLE, source)
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet"),
                *("--no-deps", "--no-build-isolation", "--no-index"),
                *("--disable-pip-version-check", "--no-cache-dir"),
                *("--target", str(cls.place / "site"), str(source)),
            ],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise AssertionError(done.stderr)
        site = cls.place / "site"
        (site / "guard_for_heat.py").write_text(_HEAT)
        facts = site / "guard_for_heat-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: guard-for-heat\nVersion: 1.0\n"
        )
        (facts / "entry_points.txt").write_text(
            "[heat.stack_lifecycle_plugins]\nguard = guard_for_heat:Guard\n"
        )

    @classmethod
    def environment(cls) -> dict[str, str]:
        before = os.environ.get("PYTHONPATH", "")
        return {
            "GUARD_NOTES": str(cls.place / "notes"),
            "PYTHONPATH": f"{cls.place / 'site'}{os.pathsep}{before}".rstrip(
                os.pathsep
            ),
        }

    def setUp(self) -> None:
        super().setUp()
        for name in ("ledger", "notes"):
            (self.place / name).write_text("")

    def read(self, name: str) -> list[typing.Any]:
        text = (self.place / name).read_text()
        return [json.loads(line) for line in text.splitlines()]

    def make(self, name: str, strings: int, **more: object) -> rest.Stack:
        return self.client.create(name, self.template(strings), **more)

    def template(self, strings: int) -> world_templates.Json:
        return world_templates.template(
            **{
                f"r{number}": {"type": "OS::Heat::RandomString"}
                for number in range(strings)
            }
        )

    def reason(self, stack: rest.Stack, status: str) -> str:
        return str(self.client.wait(stack, status)["stack_status_reason"])

    def test_it_keeps_stacks_within_the_budget(self) -> None:
        good = self.make("cheap", 2)
        self.client.wait(good, "CREATE_COMPLETE")
        bad = self.make("dear", 3)

        told = self.reason(bad, "CREATE_FAILED")

        self.assertIn(
            "Lifecycle plug-in acme-budget denied the CREATE: it would cost"
            " 12, and the budget is 10",
            told,
        )
        [line] = self.read("ledger")
        self.assertEqual(
            ["cheap", "create", "complete", 8.0],
            [line[key] for key in ("stack", "verb", "outcome", "cost")],
        )

    def test_l4_it_is_told_of_deletions(self) -> None:
        stack = self.make("short", 1)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            [["create", "complete", 4.0], ["delete", "complete", 0.0]],
            [
                [each["verb"], each["outcome"], each["cost"]]
                for each in self.read("ledger")
            ],
        )

    def test_one_written_for_heat_is_called_as_heat_does(self) -> None:
        stack = self.make("old", 1)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.ask("PUT", stack.path, {"template": self.template(2)})
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        one, two = ["r0"], ["r0", "r1"]
        self.assertEqual(
            [
                ["pre", "CREATE", one, None, "IN_PROGRESS"],
                ["post", "CREATE", one, None, "COMPLETE", False],
                ["pre", "UPDATE", one, two, "IN_PROGRESS"],
                ["post", "UPDATE", two, two, "COMPLETE", False],
                ["pre", "DELETE", two, None, "IN_PROGRESS"],
                ["post", "DELETE", two, None, "COMPLETE", False],
            ],
            [
                [phase, action, before, after, *rest_]
                for phase, is_own, name, before, after, action, *rest_ in (
                    self.read("notes")
                )
                if is_own and name == "old"
            ],
        )

    def test_one_written_for_heat_is_called_for_inner_stacks(self) -> None:
        stack = self.client.create(
            "outer",
            world_templates.template(
                group={
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 1,
                        "resource_def": {"type": "OS::Heat::RandomString"},
                    },
                }
            ),
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        notes = self.read("notes")
        self.assertEqual(
            [
                ["pre", ["group"]],
                ["pre", ["0"]],
                ["post", ["0"]],
                ["post", ["group"]],
            ],
            [[each[0], each[3]] for each in notes],
        )
        self.assertEqual({"CREATE"}, {each[5] for each in notes})
        self.assertIn("outer-group-", notes[1][2])

    def test_an_abandoned_stack_goes_as_a_deleted_one_does(self) -> None:
        stack = self.make("leaving", 1)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.ask("DELETE", f"{stack.path}/abandon")
        waiting.wait_for(
            lambda: len(self.read("notes")) == 4, "all calls for it"
        )

        self.assertEqual(
            [["pre", "DELETE", "IN_PROGRESS"], ["post", "DELETE", "COMPLETE"]],
            [[each[0], *each[5:7]] for each in self.read("notes")[2:]],
        )

    def test_l3_what_one_written_for_heat_raises_denies(self) -> None:
        stack = self.client.create(
            "vetoed", world_templates.template(n={"type": "OS::Heat::None"})
        )

        told = self.reason(stack, "CREATE_FAILED")

        self.assertIn("Lifecycle plug-in guard denied the CREATE", told)
        self.assertIn("n of vetoed may not be", told)
        self.assertEqual(["pre"], [each[0] for each in self.read("notes")])

    def test_l_g2_one_written_for_heat_learns_of_failures(self) -> None:
        stack = self.make("failing", 3)
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            [["pre", "IN_PROGRESS"], ["post", "FAILED", True]],
            [[each[0], *each[6:]] for each in self.read("notes")],
        )

    def test_previews_ask_ours_and_not_those_for_heat(self) -> None:
        found = self.client.ask(
            "POST",
            "/stacks/preview",
            {"stack_name": "never", "template": self.template(3)},
        )

        self.assertEqual(
            [
                {
                    "plugin": "acme-budget",
                    "ruling": "deny",
                    "text": "it would cost 12, and the budget is 10",
                    "enforcement": "mandatory",
                    "overridden_by": None,
                    "override_reason": "",
                }
            ],
            typing.cast(typing.Any, found)["stack"]["plan"]["verdicts"],
        )
        self.assertEqual([], self.read("notes"))
