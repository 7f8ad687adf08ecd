"""What tests of runs on a loop start from."""

from tests import base
from tests.support import flows


class RunnerCase(base.TestCase):
    """A stack, and a plug-in whose calls are scripted and kept."""

    def setUp(self) -> None:
        super().setUp()
        self.flows = self.useFixture(flows.Flows())
        self.script = self.flows.kind.script
        self.calls = self.flows.kind.calls

    def made(self) -> list[str]:
        return [name for act, name in self.calls if act == "create"]
