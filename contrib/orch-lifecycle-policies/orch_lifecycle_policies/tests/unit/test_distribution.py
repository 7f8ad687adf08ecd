"""Configurations name the plug-ins by their entry points."""

import importlib.metadata

from orch.plugin import lifecycle
from tests import base


class EntryPointTest(base.TestCase):
    def test_the_names_are_those_of_settings(self) -> None:
        found = importlib.metadata.distribution("orch-lifecycle-policies")

        points = found.entry_points.select(group=lifecycle.NAMESPACE)

        self.assertEqual(
            {
                "maintenance-windows",
                "naming-tagging",
                "rack-placement",
                "resource-counts",
                "resource-rules",
            },
            {each.name for each in points},
        )
        for each in points:
            plugin = each.load()
            self.assertTrue(issubclass(plugin, lifecycle.LifecyclePlugin))
            self.assertTrue(plugin.needs_settings)
