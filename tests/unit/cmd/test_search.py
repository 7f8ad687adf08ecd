"""Where ``orch-search`` takes its source from."""

import sys
import typing

import fixtures

from orch import errors
from orch.cmd import search
from orch.conf import load
from orch.search.sources import engine
from orch.search.sources import port
from tests import base
from tests.support import entry_points

_MODULE: typing.Final = """
class Source:
    def __init__(self, conf):
        self.conf = conf
"""


class SourceTest(base.TestCase):
    def build_source(self, name: str) -> port.Source:
        file = self.make_directory() / "orch.conf"
        file.write_text(
            "[DEFAULT]\ntransport_url = orch-inproc://\n"
            f"[search]\nsource = {name}\n"
        )
        return search.build_source(load.load([], files=[str(file)]))

    def test_the_workers_of_the_installation_are_the_default(self) -> None:
        conf = load.load([], files=[])

        self.assertEqual("engine", conf.search.source)
        self.assertIsInstance(self.build_source("engine"), engine.EngineSource)

    def test_another_package_adds_one(self) -> None:
        place = self.make_directory()
        (place / "acme_source.py").write_text(_MODULE)
        facts = place / "acme_source-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: acme-source\nVersion: 1.0\n"
        )
        (facts / "entry_points.txt").write_text(
            f"[{port.NAMESPACE}]\nacme = acme_source:Source\n"
        )
        self.useFixture(entry_points.Beside(place))
        self.useFixture(
            fixtures.MonkeyPatch(
                "stevedore.extension.ExtensionManager.ENTRY_POINT_CACHE", {}
            )
        )
        self.addCleanup(sys.modules.pop, "acme_source", None)

        source = self.build_source("acme")

        self.assertEqual("acme_source", type(source).__module__)

    def test_one_that_no_package_has_is_refused(self) -> None:
        error = self.assertRaises(
            search.UnknownSource, self.build_source, "nonsense"
        )

        self.assertIsInstance(error, errors.Invalid)
        self.assertIn("[search] source names nonsense", str(error))
