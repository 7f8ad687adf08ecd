from oslo_config import cfg

from orch.conf import load
from tests import base


class LoadTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.make_directory() / "orch.conf"

    def test_a_file_sets_options(self) -> None:
        self.file.write_text("[engine]\nlease_ttl = 2\n")

        conf = load.load([], [str(self.file)])

        self.assertEqual(2.0, conf.engine.lease_ttl)

    def test_the_command_line_names_files(self) -> None:
        self.file.write_text("[api]\nport = 1234\n")

        conf = load.load(["--config-file", str(self.file)])

        self.assertEqual(1234, conf.api.port)

    def test_no_files_are_read_where_none_are_wanted(self) -> None:
        self.assertEqual([], load.load([], []).config_file)

    def test_a_missing_file_is_an_error(self) -> None:
        self.assertRaises(
            cfg.ConfigFilesNotFoundError, load.load, [], [str(self.file)]
        )

    def test_a_wrong_value_is_an_error(self) -> None:
        self.file.write_text("[engine]\nlease_ttl = soon\n")

        self.assertRaises(
            cfg.ConfigFileValueError, load.load, [], [str(self.file)]
        )

    def test_the_options_of_the_log_are_known(self) -> None:
        self.assertTrue(load.load(["--debug"], []).debug)
