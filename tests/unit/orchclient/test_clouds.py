"""Which cloud counts, and what the files say of it."""

import os
import types

import fixtures

from orchclient import clouds
from orchclient import errors
from tests.unit.orchclient import settings


class CloudsTests(settings.SettingsTestCase):
    def read(self) -> clouds.Clouds:
        return clouds.Clouds(os.environ)

    def test_without_files_and_variables_there_is_no_cloud(self) -> None:
        found = self.read()

        self.assertIsNone(found.default)
        self.assertEqual({}, found.settings(None))

    def test_the_only_cloud_is_the_default(self) -> None:
        self.write("clouds.yaml", {"clouds": {"a": {"auth_type": "none"}}})

        self.assertEqual("a", self.read().default)

    def test_of_several_none_is_the_default(self) -> None:
        self.write("clouds.yaml", {"clouds": {"a": {}, "b": {}}})

        self.assertIsNone(self.read().default)

    def test_variables_are_a_cloud(self) -> None:
        self.write("clouds.yaml", {"clouds": {"a": {}}})
        self.set("OS_USERNAME", "ann")
        self.set("OS_TEST_PATH", "x")

        found = self.read()

        self.assertEqual("envvars", found.default)
        self.assertEqual("ann", found.settings("envvars")["username"])
        self.assertNotIn("test_path", found.settings("envvars"))

    def test_a_named_cloud_counts_more_than_variables(self) -> None:
        self.write("clouds.yaml", {"clouds": {"a": {}, "b": {}}})
        self.set("OS_CLOUD", "b")
        self.set("OS_USERNAME", "ann")

        self.assertEqual("b", self.read().default)

    def test_secrets_stand_in_a_file_of_their_own(self) -> None:
        self.write(
            "clouds.yaml", {"clouds": {"a-b": {"auth": {"username": "ann"}}}}
        )
        self.write(
            "openstack/secure.yaml",
            {"clouds": {"a-b": {"auth": {"password": 1234}}}},
        )

        self.assertEqual(
            {"auth": {"username": "ann", "password": "1234"}},
            self.read().settings("a-b"),
        )

    def test_a_file_of_the_user_is_found(self) -> None:
        self.write(
            "openstack/clouds.json", {"clouds": {"a": {"region-name": "r"}}}
        )

        self.assertEqual({"region_name": "r"}, self.read().settings("a"))

    def test_a_file_that_is_none_is_left_out(self) -> None:
        self.clouds.write_text("{", encoding="utf-8")
        self.write("openstack/clouds.yaml", {"clouds": {"a": {}}})
        log = self.useFixture(fixtures.FakeLogger())

        self.assertEqual("a", self.read().default)
        self.assertIn(str(self.clouds), log.output)

    def test_a_file_that_is_no_mapping_is_an_error(self) -> None:
        self.clouds.write_text("text", encoding="utf-8")

        self.assertRaises(errors.LoginError, self.read)

    def test_an_empty_file_has_no_clouds(self) -> None:
        self.clouds.write_text("", encoding="utf-8")

        self.assertIsNone(self.read().default)

    def test_a_cloud_that_is_not_there_is_an_error(self) -> None:
        error = self.assertRaises(
            errors.LoginError, self.read().settings, "nowhere"
        )

        self.assertIn("nowhere", str(error))


class ProfileTests(settings.SettingsTestCase):
    def ship(self, **profiles: settings.Json) -> None:
        """Install openstacksdk with these profiles."""
        vendors = types.ModuleType("openstack.config.vendors")
        vendors.get_profile = profiles.get  # type: ignore[attr-defined]
        self.useFixture(
            fixtures.MonkeyPatch(
                "sys.modules", {"openstack.config.vendors": vendors}
            )
        )

    def settings(self, profile: str) -> clouds.Settings:
        self.write(
            "clouds.yaml",
            {
                "clouds": {
                    "a": {"profile": profile, "auth": {"username": "ann"}}
                }
            },
        )
        return clouds.Clouds(os.environ).settings("a")

    def test_a_profile_of_the_users_own_is_read(self) -> None:
        self.write(
            "openstack/clouds-public.yaml",
            {
                "public-clouds": {
                    "mine": {
                        "region-name": "r",
                        "auth": {"auth_url": "http://k", "username": "no"},
                    }
                }
            },
        )

        found = self.settings("mine")

        self.assertEqual("r", found["region_name"])
        self.assertEqual(
            {"auth_url": "http://k", "username": "ann"}, found["auth"]
        )

    def test_other_profiles_are_those_of_openstacksdk(self) -> None:
        self.ship(theirs={"auth": {"auth_url": "http://k"}})

        self.assertEqual(
            {"auth_url": "http://k", "username": "ann"},
            self.settings("theirs")["auth"],
        )

    def test_a_profile_may_name_another(self) -> None:
        self.ship(theirs={"profile": "other"}, other={"region-name": "north"})

        self.assertEqual("north", self.settings("theirs")["region_name"])

    def test_a_cloud_that_no_longer_exists_is_an_error(self) -> None:
        self.ship(theirs={"status": "shutdown", "message": "gone"})

        error = self.assertRaises(errors.LoginError, self.settings, "theirs")

        self.assertIn("gone", str(error))

    def test_without_openstacksdk_the_error_says_what_to_install(self) -> None:
        self.useFixture(
            fixtures.MonkeyPatch(
                "sys.modules", {"openstack.config.vendors": None}
            )
        )

        error = self.assertRaises(errors.LoginError, self.settings, "theirs")

        self.assertIn("python-orchclient[openstack]", str(error))
