"""What ``heat_integrationtests`` needs: an installation in a real cloud.

The installation is one ``orch-all`` with the CloudFormation-compatible API;
the catalogue of the cloud leads to it while the fixture is set up.
"""

import os
import pathlib
import sys
import typing

import fixtures

from tests.support import ports
from tests.support import processes
from tests.support import rig
from tests.support import running

NETWORK: typing.Final = "heat-net"
_AVAILABLE: typing.Final = ("cinder", "glance", "neutron", "nova", "swift")
_CIDR: typing.Final = "10.66.0.0/24"
_PURGE: typing.Final = """#!/bin/sh
# Called as `heat-manage purge_deleted 0`.
exec {manage} --config-file {config} purge --older-than 0
"""

# As in Heat: no caller has it by default.
_POLICY: typing.Final = (
    '"stacks:change_other_projects": "rule:context_is_admin"\n'
)


class Installation(fixtures.Fixture):
    """Orch in a cloud, as the suite expects to find Heat.

    :param cloud: it has Keystone, Nova, Neutron, Glance and Swift
    :ivar directory: holds ``tempest.conf``, and ``bin`` for the path
    """

    def __init__(self, cloud: rig.Rig) -> None:
        super().__init__()
        self._cloud = cloud

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        cfn_port = ports.find_free()
        policy = self.directory / "policy.yaml"
        policy.write_text(_POLICY, encoding="utf-8")
        options = self._cloud.options()
        options["keystone_authtoken"]["token_cache_time"] = 60
        options |= {
            "DEFAULT": {
                "enable_stack_adopt": True,
                "enable_stack_abandon": True,
            },
            "egress": {"allowed_networks": "127.0.0.0/8"},
            "oslo_policy": {"policy_file": str(policy)},
        }
        started = self.useFixture(
            running.Embedded(options, arguments=("--cfn-port", str(cfn_port)))
        )
        here = "http://127.0.0.1"
        self._publish(
            "orchestration", f"{here}:{started.system.port}/v1/%(project_id)s"
        )
        self._publish("cloudformation", f"{here}:{cfn_port}/v1")
        self._make_network()
        self._write_purge(started.directory)
        path = self.directory / "tempest.conf"
        path.write_text(self._tempest_conf(), encoding="utf-8")

    def _publish(self, kind: str, url: str) -> None:
        """Let the catalogue lead to an address."""
        identity = self._cloud.admin.identity
        service = identity.create_service(name=f"orch-{kind}", type=kind)
        self.addCleanup(identity.delete_service, service)
        endpoint = identity.create_endpoint(
            service_id=service.id,
            interface="public",
            region_id=rig.REGION,
            url=url,
        )
        self.addCleanup(identity.delete_endpoint, endpoint)

    def _make_network(self) -> None:
        network = self._cloud.user.network
        made = network.create_network(name=NETWORK)
        self.addCleanup(network.delete_network, made)
        network.create_subnet(
            name="heat-subnet", network_id=made.id, ip_version=4, cidr=_CIDR
        )

    def _write_purge(self, installation: pathlib.Path) -> None:
        config = self.directory / "manage.conf"
        database = installation / "state" / "orch.db"
        config.write_text(
            f"[database]\nconnection = sqlite:///{database}\n",
            encoding="utf-8",
        )
        script = self.directory / "bin" / "heat-manage"
        script.parent.mkdir()
        script.write_text(
            _PURGE.format(manage=processes.find("orch-manage"), config=config),
            encoding="utf-8",
        )
        script.chmod(0o755)

    def _tempest_conf(self) -> str:
        """Return the options of tempest and of the suite."""
        user = self._cloud.user.config.get_auth_args()
        admin = self._cloud.admin.config.get_auth_args()
        lines = (
            "[DEFAULT]",
            f"log_file = {self.directory}/tempest.log",
            "[oslo_concurrency]",
            f"lock_path = {self.directory}/locks",
            "[service_available]",
            *(f"{each} = true" for each in _AVAILABLE),
            "[heat_plugin]",
            f"auth_url = {user['auth_url']}",
            f"username = {user['username']}",
            f"password = {user['password']}",
            f"project_name = {user['project_name']}",
            f"admin_username = {admin['username']}",
            f"admin_password = {admin['password']}",
            f"admin_project_name = {admin['project_name']}",
            "user_domain_id = default",
            "project_domain_id = default",
            f"region = {rig.REGION}",
            "instance_type = m1.small",
            "minimal_instance_type = m1.tiny",
            "image_ref = cirros",
            "minimal_image_ref = cirros",
            f"fixed_network_name = {NETWORK}",
            "build_interval = 1",
            "build_timeout = 120",
            "",
        )
        return "\n".join(lines)

    def environment(self) -> dict[str, str]:
        """Return what the suite is run with, besides the environment."""
        path = os.environ.get("PATH", "")
        return {
            "PATH": f"{self.directory / 'bin'}{os.pathsep}{path}",
            "PYTHON": sys.executable,
            "TEMPEST_CONFIG_DIR": str(self.directory),
        }
