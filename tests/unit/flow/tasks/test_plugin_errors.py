"""Whatever is raised becomes an ordinary error with a text."""

from orch import errors
from orch.flow.tasks import plugin_errors
from tests import base


class MuteError(Exception):
    def __str__(self) -> str:
        raise SystemExit


class TameTest(base.TestCase):
    def test_an_ordinary_error_stays_itself(self) -> None:
        error = errors.Permanent("no room")

        self.assertIs(error, plugin_errors.wrap_plugin_error(error))

    def test_what_would_end_the_process_becomes_an_error(self) -> None:
        tamed = plugin_errors.wrap_plugin_error(SystemExit(3))

        self.assertIsInstance(tamed, plugin_errors.UnexpectedPluginError)
        self.assertEqual("SystemExit: 3", str(tamed))

    def test_an_error_without_a_text_is_told_by_its_name(self) -> None:
        self.assertEqual(
            "MuteError: it has no text",
            str(plugin_errors.wrap_plugin_error(MuteError())),
        )
