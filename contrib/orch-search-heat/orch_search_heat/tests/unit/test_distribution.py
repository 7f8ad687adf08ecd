"""The source is loaded by its name, and brings its own options."""

import importlib.metadata

from orch.cmd import search
from orch.conf import load
from orch_search_heat import heat
from orch_search_heat import options
from tests import base


class EntryPointTest(base.TestCase):
    def test_the_source_is_loaded_by_its_name(self) -> None:
        conf = load.load([], files=[])
        options.register(conf)
        conf.set_override("source", "heat", group="search")
        conf.set_override("auth_type", "none", group=options.GROUP)
        conf.set_override(
            "endpoint_override",
            "http://127.0.0.1:1/v1/demo",
            group=options.GROUP,
        )

        source = search.build_source(conf)

        self.assertIsInstance(source, heat.HeatSource)

    def test_a_source_without_a_login_is_refused(self) -> None:
        conf = load.load([], files=[])
        conf.set_override("source", "heat", group="search")

        error = self.assertRaises(
            heat.Misconfigured, search.build_source, conf
        )

        self.assertIn("auth_type in [search_heat] is missing", str(error))

    def test_the_sample_generator_finds_the_options(self) -> None:
        (point,) = importlib.metadata.entry_points(
            group="oslo.config.opts", name="orch.search_heat"
        )

        ((group, found),) = point.load()()

        self.assertEqual("search_heat", group)
        names = {each.dest for each in found}
        self.assertLessEqual({"endpoint_override", "auth_url"}, names)
