"""How programs come to the tests that they have for themselves."""

import pathlib

import fixtures

from tests import base
from tests.support import apart as programs
from tools import apart


class ProvidingTest(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        place = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.home = place / "aws"
        self.useFixture(
            fixtures.MonkeyPatch("tests.support.apart._BUILD", place)
        )
        for name, value in (
            ("ORCH_AWS", None),
            # Nobody listens there.
            ("PIP_INDEX_URL", "http://127.0.0.1:9/simple"),
            ("PIP_EXTRA_INDEX_URL", None),
            ("PIP_FIND_LINKS", None),
            ("PIP_CONFIG_FILE", "/dev/null"),
            ("PIP_NO_CACHE_DIR", "1"),
        ):
            self.useFixture(fixtures.EnvironmentVariable(name, value))

    def test_without_a_registry_it_is_told_and_nothing_is_left(self) -> None:
        fault = apart.provide(programs.AWS)

        self.assertIn("ERROR: ", str(fault))
        self.assertIn("awscli", str(fault))
        self.assertIs(False, self.home.exists())

    def test_one_that_is_named_is_taken(self) -> None:
        self.useFixture(fixtures.EnvironmentVariable("ORCH_AWS", "/x/aws"))

        self.assertIsNone(apart.provide(programs.AWS))

        self.assertEqual("/x/aws", programs.AWS.find())
        self.assertIs(False, self.home.exists())

    def test_one_of_these_versions_is_kept(self) -> None:
        lock = pathlib.Path(apart.__file__).with_name("aws.lock")
        (self.home / "bin").mkdir(parents=True)
        (self.home / "bin" / "aws").touch()
        (self.home / "installed").write_text(lock.read_text())

        self.assertIsNone(apart.provide(programs.AWS))

        self.assertEqual(str(self.home / "bin" / "aws"), programs.AWS.find())
