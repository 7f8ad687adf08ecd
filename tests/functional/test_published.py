"""Heat's own published tests pass against Orch, with a real Keystone.

They come from PyPI (heat-tempest-plugin) and run unmodified, in a process of
their own. Those that need other services of a cloud are left out.
"""

import collections
import pathlib
import re
import sys
import typing

import fixtures
import tempest

from tests.functional import guarded
from tests.support import processes

_UNSERVED: typing.Final = (
    "test_encrypted_parameter",
    "test_res_group_with_nested_template",
)
"""Tests with types of services that are not served yet."""

_OUTCOME: typing.Final = re.compile(
    r"^\{\d+\} (\S+) (?:\[[\d.]+s\] )?\.\.\. (\w+)", re.MULTILINE
)
_WITHOUT_OTHER_SERVICES: typing.Final = (
    "cinder",
    "glance",
    "neutron",
    "nova",
    "swift",
    "zaqar",
)


class PublishedTests(guarded.GuardedTestCase):
    limit_s = 900

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.keystone.publish(cls.system)

    def play(self, wanted: str) -> collections.Counter[str]:
        """Play published tests; return how often each outcome came.

        :param wanted: what their names begin with
        """
        directory = self.useFixture(fixtures.TempDir()).path
        place = pathlib.Path(directory)
        (place / "tempest.conf").write_text(self._config(directory))
        found = pathlib.Path(str(tempest.__file__)).parent
        done = processes.complete(
            (
                *(processes.find("stestr"), "-d", directory),
                *("--test-path", str(found / "test_discover")),
                *("--top-dir", str(found.parent)),
                *("run", "--concurrency", "3"),
                *("--exclude-regex", "|".join(_UNSERVED)),
                wanted,
            ),
            {
                **guarded.plain_environment(),
                "PYTHON": sys.executable,
                "TEMPEST_CONFIG_DIR": directory,
            },
            timeout_s=360,
        )
        outcomes = _OUTCOME.findall(done.output)
        self.assertEqual(
            (0, []),
            (done.code, [name for name, how in outcomes if how == "FAILED"]),
            done.output + done.errors,
        )
        return collections.Counter(how for _, how in outcomes)

    def _config(self, directory: str) -> str:
        members = self.keystone.login("member"), self.keystone.login("chief")
        usual, chief = members
        return "\n".join(
            (
                "[DEFAULT]",
                f"log_file = {directory}/tempest.log",
                "[oslo_concurrency]",
                f"lock_path = {directory}/locks",
                "[service_available]",
                *(f"{each} = false" for each in _WITHOUT_OTHER_SERVICES),
                "[heat_plugin]",
                f"auth_url = {usual.auth_url}",
                f"username = {usual.user}",
                f"password = {usual.options['password']}",
                f"project_name = {usual.project}",
                f"admin_username = {chief.user}",
                f"admin_password = {chief.options['password']}",
                f"admin_project_name = {chief.project}",
                "user_domain_id = default",
                "project_domain_id = default",
                "region = RegionOne",
                "build_interval = 1",
                "build_timeout = 120",
                "hidden_stack_tag = data-processing-cluster",
                "",
            )
        )

    def test_they_pass(self) -> None:
        counts = self.play(r"heat_tempest_plugin\.tests\.(api|functional)")

        # Those that are skipped want another service of the cloud.
        self.assertEqual({"ok": 89, "SKIPPED": 38}, counts)
