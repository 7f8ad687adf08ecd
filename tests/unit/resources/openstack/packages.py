"""Packages with data files of types, each for one test."""

import json
import pathlib
import sys
import typing

import fixtures

from orch.resources.openstack import type_data
from tests.support import entry_points

_CACHE: typing.Final = "stevedore.extension.ExtensionManager.ENTRY_POINT_CACHE"


class Package(fixtures.Fixture):
    """A package with one data file, and the entry point that names it."""

    def __init__(
        self, directory: pathlib.Path, name: str, text: str | object
    ) -> None:
        super().__init__()
        self._directory = directory
        self._name = name
        self._text = text if isinstance(text, str) else json.dumps(text)

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        package = self._directory / self._name
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "types.json").write_text(self._text)
        info = self._directory / f"{self._name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {self._name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            f"[orch.openstack_types]\nacme = {self._name}\n"
        )
        self.useFixture(entry_points.Beside(self._directory))
        self.useFixture(fixtures.MonkeyPatch(_CACHE, {}))
        self.addCleanup(type_data.load_type.cache_clear)
        self.addCleanup(sys.modules.pop, self._name, None)
