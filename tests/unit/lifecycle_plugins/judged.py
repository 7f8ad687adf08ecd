"""What tests of plug-ins ask of verdicts."""

from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from tests import base


class PluginTestCase(base.TestCase):
    """Judges patterns by a plug-in."""

    def judge(
        self,
        plugin: lifecycle.LifecyclePlugin,
        operation: lifecycle_operation.LifecycleOperation,
    ) -> lifecycle.Verdict:
        """Return the verdict."""
        found = plugin.pre_operation(operation)
        assert found is not None
        return found

    def check(
        self,
        ruling: lifecycle.Ruling,
        plugin: lifecycle.LifecyclePlugin,
        operation: lifecycle_operation.LifecycleOperation,
    ) -> str:
        """Check the ruling, and return the text."""
        found = self.judge(plugin, operation)
        self.assertEqual(ruling, found.ruling, found.text)
        return found.text
