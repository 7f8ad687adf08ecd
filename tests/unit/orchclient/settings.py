"""What tests of settings start from: none of whoever runs the tests."""

import json
import os

import fixtures

from tests import base

Json = dict[str, object]


class SettingsTestCase(base.TestCase):
    """No file and no variable counts but those of the test."""

    def setUp(self) -> None:
        super().setUp()
        for name in list(os.environ):
            if name.startswith("OS_"):
                self.useFixture(fixtures.EnvironmentVariable(name))
        self.home = self.make_directory()
        for name in ("HOME", "XDG_CONFIG_HOME"):
            self.set(name, str(self.home))
        self.clouds = self.home / "clouds.yaml"
        self.set("OS_CLIENT_CONFIG_FILE", str(self.clouds))

    def set(self, name: str, value: str) -> None:
        self.useFixture(fixtures.EnvironmentVariable(name, value))

    def write(self, name: str, document: Json) -> None:
        """Write a file below the home directory."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document), encoding="utf-8")
