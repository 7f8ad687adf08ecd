import pathlib

import fixtures

from orch.cmd import all as command
from orch.cmd import process
from tests import base


class OptionsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()
        self.file = self.directory / "orch.conf"

    def options(self, *args: str) -> object:
        asked = command._parse(["--state-dir", str(self.directory), *args])
        return command._options(asked)

    def with_file(self, text: str, *args: str) -> object:
        self.file.write_text(text)
        return self.options("--config-file", str(self.file), *args)

    def test_all_is_kept_in_the_state_directory(self) -> None:
        conf = self.options()

        self.assertEqual(
            f"sqlite:///{self.directory}/orch.db", conf.database.connection
        )
        self.assertEqual(str(self.directory / "local"), conf.local.root)
        self.assertEqual(
            f"sqlite:///{self.directory}/search.db", conf.search.connection
        )
        self.assertEqual(str(self.directory / "search"), conf.search.folder)
        self.assertEqual("orch-inproc://", conf.transport_url)
        self.assertEqual(8004, conf.api.port)

    def test_local_types_are_for_those_who_need_no_login(self) -> None:
        self.assertTrue(self.options().local.enabled)
        self.assertFalse(self.with_file("[api]\nauth = basic\n").local.enabled)
        self.assertFalse(
            self.with_file("[api]\nauth = keystone\n").local.enabled
        )
        self.assertTrue(
            self.with_file(
                "[api]\nauth = basic\n[local]\nenabled = true\n"
            ).local.enabled
        )

    def test_notifications_are_sent_only_where_one_may_hear_them(self) -> None:
        outside = (
            "[oslo_messaging_notifications]\n"
            "transport_url = rabbit://guest:guest@127.0.0.1:5672/\n"
        )
        for text, topics in (
            ("", []),
            (outside, ["notifications"]),
            ("[notifications]\ntopics = billing\n", ["billing"]),
        ):
            with self.subTest(text=text):
                self.assertEqual(
                    topics, self.with_file(text).notifications.topics
                )

    def test_nothing_opens_it_to_other_machines(self) -> None:
        conf = self.with_file("[api]\nhost = 0.0.0.0\n")

        self.assertEqual("127.0.0.1", conf.api.host)

    def test_the_command_line_wins_over_the_file(self) -> None:
        conf = self.with_file(
            "[api]\nport = 1\n[local]\nroot = /one\n",
            "--port",
            "0",
            "--local-root",
            "/other",
        )

        self.assertEqual((0, "/other"), (conf.api.port, conf.local.root))

    def test_the_file_wins_over_what_is_built_in(self) -> None:
        conf = self.with_file(
            "[api]\nport = 1\n"
            "[local]\nroot = /one\nenabled = false\n"
            "[engine]\nlease_ttl = 2\n"
        )

        self.assertEqual((1, "/one"), (conf.api.port, conf.local.root))
        self.assertFalse(conf.local.enabled)
        self.assertEqual(2.0, conf.engine.lease_ttl)

    def test_a_wrong_file_is_a_failure(self) -> None:
        self.assertRaises(
            process.Failure, self.with_file, "[engine]\nevent_loops = many\n"
        )

    def test_the_state_stands_where_the_desktop_wants_it(self) -> None:
        self.useFixture(fixtures.EnvironmentVariable("XDG_DATA_HOME", "/data"))
        self.assertEqual(
            pathlib.Path("/data/orch"), command._parse([]).state_dir
        )

        self.useFixture(fixtures.EnvironmentVariable("XDG_DATA_HOME"))
        self.useFixture(fixtures.EnvironmentVariable("HOME", "/home/ann"))
        self.assertEqual(
            pathlib.Path("/home/ann/.local/share/orch"),
            command._parse([]).state_dir,
        )
