"""A cloud of real services that runs already, for the tests that need one.

``ORCH_CLOUD_DIR`` names the folder that it was started in: it holds a
``clouds.yaml`` with the clouds ``orch-admin`` and ``orch-demo``. Nothing here
starts or stops it.
"""

import functools
import os
import pathlib
import typing
import unittest

import keystoneauth1.exceptions
from openstack import config
from openstack import connection
from openstack import exceptions

_PLACE: typing.Final = "ORCH_CLOUD_DIR"
REGION: typing.Final = "RegionOne"


class Rig:
    """A running cloud.

    :ivar admin: a connection of who may all
    :ivar user: one of the user whom tests act for
    """

    def __init__(self, directory: pathlib.Path) -> None:
        self._config = config.OpenStackConfig(
            config_files=[str(directory / "clouds.yaml")]
        )
        self.admin = self._connect("orch-admin")
        self.user = self._connect("orch-demo")
        self.types = frozenset(
            str(each.type) for each in self.admin.identity.services()
        )

    @property
    def url(self) -> str:
        """Return the address of Keystone."""
        return str(self.admin.config.get_auth_args()["auth_url"])

    def options(self) -> dict[str, dict[str, object]]:
        """Return the options of an Orch that this one guards."""
        auth = self.admin.config.get_auth_args()
        own: dict[str, object] = {
            "auth_type": "password",
            "auth_url": auth["auth_url"],
            "username": auth["username"],
            "password": auth["password"],
            "user_domain_id": "default",
        }
        return {
            "api": {"auth": "keystone"},
            "keystone_authtoken": {
                **own,
                "project_name": "admin",
                "project_domain_id": "default",
                "www_authenticate_uri": auth["auth_url"],
            },
            "trustee": own,
            "clients": {"region_name": REGION, "timeout": 20},
        }

    def _connect(self, cloud: str) -> connection.Connection:
        return connection.Connection(config=self._config.get_one(cloud=cloud))


@functools.cache
def _running(directory: str) -> Rig:
    return Rig(pathlib.Path(directory))


def insist(*types: str) -> Rig:
    """Return the rig if it runs, with services of these types.

    :raises unittest.SkipTest: it does not; the text says what to do
    """
    place = os.environ.get(_PLACE)
    if not place:
        raise unittest.SkipTest(
            f"{_PLACE} is not set: start a cloud of real services, and name"
            " its folder there"
        )
    try:
        found = _running(place)
    except (
        exceptions.SDKException,
        keystoneauth1.exceptions.ClientException,
    ) as error:
        raise unittest.SkipTest(
            f"the cloud of {place} gives no answer: {error}"
        ) from error
    missing = sorted(set(types) - found.types)
    if missing:
        raise unittest.SkipTest(
            f"the cloud of {place} has no {', '.join(missing)}"
        )
    return found
