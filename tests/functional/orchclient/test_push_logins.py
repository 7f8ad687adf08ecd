"""``stack push`` logs in at the target apart from the source."""

import os
import pathlib
import tempfile

import bcrypt
import fixtures
import yaml

from tests.functional import adopting
from tests.functional.orchclient import commanding
from tests.functional.orchclient import pushing
from tests.support import installations
from tests.support import running
from tests.support import world

_PASSWORD = "apple-pie"


class LoginTests(pushing.PushTestCase):
    """The target wants a password, the source none."""

    @classmethod
    def setUpClass(cls) -> None:
        super(adopting.AdoptingTestCase, cls).setUpClass()
        place = cls.use(fixtures.TempDir()).path
        users = pathlib.Path(place) / "htpasswd"
        hashed = bcrypt.hashpw(_PASSWORD.encode(), bcrypt.gensalt(4)).decode()
        users.write_text(f"ann:{hashed}\n")
        cls.world = cls.use(world.World())
        guarded = {
            **installations.OPTIONS,
            "api": {
                **installations.OPTIONS["api"],
                "auth": "basic",
                "user_file": users,
                "basic_grants": "ann demo reader,member",
            },
        }
        source, target = (
            cls.use(running.Embedded(options, cls.world.environment)).system
            for options in (pushing.OPTIONS, guarded)
        )
        cls.here, cls.source, cls.target = source.client, source, target

    def setUp(self) -> None:
        super().setUp()
        for name in [each for each in os.environ if "OS_" in each]:
            self.useFixture(fixtures.EnvironmentVariable(name))

    def push_to(self, *words: str) -> commanding.Ended:
        """Run the command, and check that it does not show the password."""
        ended = self.run_words(
            [
                *self.login(self.source.endpoint),
                *("stack", "push", self.name, *words),
            ]
        )
        self.assertNotIn(_PASSWORD, ended.out + ended.err)
        return ended

    def set(self, **variables: str) -> None:
        for name, value in variables.items():
            self.useFixture(fixtures.EnvironmentVariable(name, value))

    def write_clouds(self, **clouds: object) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = pathlib.Path(directory.name) / "clouds.yaml"
        path.write_text(yaml.safe_dump({"clouds": clouds}))
        self.set(OS_CLIENT_CONFIG_FILE=str(path))

    def cloud(self, password: str = _PASSWORD) -> dict[str, object]:
        return {
            "auth_type": "http_basic",
            "auth": {
                "username": "ann",
                "password": password,
                "endpoint": self.target.endpoint,
            },
        }

    def test_a_cloud_of_the_file_is_the_target(self) -> None:
        self.created(self.chain())
        self.write_clouds(there=self.cloud(), other=self.cloud("wrong"))

        ended = self.push_to("--to-os-cloud", "there")

        self.assertEqual(0, ended.code, ended)
        self.assert_gone()

    def test_variables_log_in_at_the_endpoint(self) -> None:
        self.created(self.chain())
        self.set(
            TO_OS_AUTH_TYPE="http_basic",
            TO_OS_USERNAME="ann",
            TO_OS_PASSWORD=_PASSWORD,
        )

        ended = self.push_to("--to-endpoint", self.target.endpoint)

        self.assertEqual(0, ended.code, ended)
        self.assert_gone()

    def test_a_variable_names_the_cloud(self) -> None:
        self.created(self.chain())
        self.write_clouds(there=self.cloud(), other=self.cloud("wrong"))
        self.set(TO_OS_CLOUD="there")

        ended = self.push_to()

        self.assertEqual(0, ended.code, ended)
        self.assert_gone()

    def test_who_may_not_log_in_there_abandons_nothing(self) -> None:
        stack = self.created(self.chain())
        shown = self.here.show(stack)
        self.write_clouds(there=self.cloud("wrong"), other=self.cloud())

        refused = self.push_to("--to-os-cloud", "there")
        anonymous = self.push_to("--to-endpoint", self.target.endpoint)
        unknown = self.push_to("--to-os-cloud", "nowhere")

        for ended in (refused, anonymous):
            self.assertEqual(8, ended.code, ended)
            self.assertIn(f"target {self.target.endpoint}", ended.err)
            self.assertIn("Nothing has changed at the source", ended.err)
        self.assertEqual(8, unknown.code, unknown)
        self.assertIn("Cloud nowhere was not found", unknown.err)
        self.assertEqual(shown, self.here.show(stack))

    def assert_gone(self) -> None:
        """The source has the stack no more."""
        self.assertEqual([], self.listed(self.here))
