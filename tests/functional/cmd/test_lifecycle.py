"""Workers whose lifecycle plug-ins are not as they should be."""

import os
import pathlib

import yaml

from tests import base
from tests.support import forks
from tests.support import lifecycle
from tests.support import processes
from tests.support import running
from tests.support import serving
from tests.support import world
from tests.support import world_templates

_MODULE = """
from orch.plugin import lifecycle

class Breaks(lifecycle.LifecyclePlugin):
    def __init__(self, name, settings):
        raise RuntimeError("no licence server")

class First(lifecycle.LifecyclePlugin):
    after = ("acme-second",)

class Second(lifecycle.LifecyclePlugin):
    after = ("acme-first",)
"""


class StartTest(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.place = self.make_directory()
        (self.place / "acme_lifecycle.py").write_text(_MODULE)

    def install(self, *names: str) -> None:
        facts = self.place / "acme_lifecycle-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: acme-lifecycle\nVersion: 1.0\n"
        )
        entries = "\n".join(
            f"acme-{name.lower()} = acme_lifecycle:{name}" for name in names
        )
        (facts / "entry_points.txt").write_text(
            f"[orch.lifecycle]\n{entries}\n"
        )

    def start(self, **options: object) -> list[str]:
        """Return what a worker says that does not start."""
        file = self.place / "orch.conf"
        lines = [f"{name} = {value}" for name, value in options.items()]
        file.write_text("\n".join(["[lifecycle]", *lines]) + "\n")
        done = processes.complete(
            (
                processes.find("orch-all"),
                *("--port", "0", "--config-file", str(file)),
                *("--state-dir", str(self.place / "state")),
            ),
            {**os.environ, "PYTHONPATH": str(self.place)},
            launch=forks.launch,
        )
        self.assertEqual(1, done.code, done.errors)
        return [
            line
            for line in done.errors.splitlines()
            if line.startswith("orch-all: ")
        ]

    def test_l_g4_a_plugin_that_cannot_be_loaded_is_told(self) -> None:
        self.install("Breaks")

        [said] = self.start()

        self.assertIn("the lifecycle plug-in acme-breaks", said)
        self.assertIn("RuntimeError: no licence server", said)
        self.assertIn("[lifecycle] disabled", said)

    def test_l2_an_order_that_circles_is_told(self) -> None:
        self.install("First", "Second")

        [said] = self.start()

        self.assertIn("acme-first after acme-second after acme-first", said)

    def test_wrong_settings_are_told(self) -> None:
        settings = self.place / "lifecycle.yaml"
        settings.write_text("webhook: {url: http://x, attempts: 0}")

        [said] = self.start(settings_file=settings)

        self.assertIn("the lifecycle plug-in webhook", said)
        self.assertIn("attempts: 0 is less than", said)

    def test_a_section_for_nobody_is_told(self) -> None:
        settings = self.place / "lifecycle.yaml"
        settings.write_text("webhok: {}")

        [said] = self.start(settings_file=settings)

        self.assertIn("did you mean 'webhook'?", said)


class EmbeddedTest(base.TestCase):
    """One process: nobody has to activate what it is started with."""

    limit_s = 120

    def test_changed_settings_are_in_force_after_a_start(self) -> None:
        plugins = self.useFixture(lifecycle.Plugins(2))
        worlds = self.useFixture(world.World())
        system = self.useFixture(
            running.Embedded(
                {**serving.options(), **plugins.options},
                {**worlds.environment, **plugins.environment},
            )
        ).system
        plugins.order(1, "pre", "deny", text="frozen")
        path = pathlib.Path(str(plugins.options["lifecycle"]["settings_file"]))
        known = yaml.safe_load(path.read_text())
        denied = system.client.create("denied", world_templates.chain())
        system.client.wait(denied, "CREATE_FAILED")

        system.kill()
        path.write_text(yaml.safe_dump({"orch-test-2": known["orch-test-2"]}))
        system.start()

        stack = system.client.create("s", world_templates.chain())
        system.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual([("pre", "2"), ("post", "2")], plugins.calls(stack))
        self.assertIn(
            2, [each["settings_number"] for each in system.client.services()]
        )
