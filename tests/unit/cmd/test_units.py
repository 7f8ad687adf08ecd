"""The systemd units in ``etc/systemd``."""

import configparser
import importlib.metadata
import pathlib

from tests import base

_UNITS = pathlib.Path(__file__).parents[3] / "etc" / "systemd"
_SERVICES = (
    "orch-all",
    "orch-api",
    "orch-api-cfn",
    "orch-engine",
    "orch-search",
)


class UnitsTest(base.TestCase):
    def _service(self, name: str) -> configparser.SectionProxy:
        unit = configparser.ConfigParser(interpolation=None)
        unit.optionxform = str  # type: ignore[assignment]
        unit.read_string((_UNITS / f"{name}.service").read_text())
        return unit["Service"]

    def test_each_service_has_a_unit_and_each_unit_a_service(self) -> None:
        self.assertEqual(
            list(_SERVICES),
            sorted(path.stem for path in _UNITS.glob("*.service")),
        )

    def test_each_unit_starts_an_executable_of_ours(self) -> None:
        scripts = importlib.metadata.entry_points(group="console_scripts")
        ours = {each.name for each in scripts}
        for name in _SERVICES:
            words = self._service(name)["ExecStart"].split()
            self.assertEqual(["/usr/bin/env", name], words[:2])
            self.assertIn(name, ours)

    def test_no_unit_runs_as_root(self) -> None:
        for name in _SERVICES:
            self.assertEqual("orch", self._service(name)["User"])

    def test_processes_of_stacks_outlive_their_worker(self) -> None:
        for name in ("orch-all", "orch-engine"):
            self.assertEqual("process", self._service(name)["KillMode"])

    def test_those_that_ask_the_kernel_may(self) -> None:
        """For who connects, and for the addresses of the machine."""
        for name in ("orch-all", "orch-api", "orch-api-cfn", "orch-engine"):
            families = self._service(name)["RestrictAddressFamilies"]
            self.assertIn("AF_NETLINK", families.split(), name)

    def test_the_state_directory_is_its_users_alone(self) -> None:
        """From its start: the process closes it only when it runs."""
        mode = self._service("orch-all")["StateDirectoryMode"]
        self.assertEqual("0700", mode)
