"""What Keystone's catalogue leads to."""

import fixtures

from tests.support import keystone
from tests.support import rig


class Published(fixtures.Fixture):
    """The catalogue has a service, for as long as this is set up."""

    def __init__(
        self,
        cloud: keystone.Keystone | rig.Rig,
        name: str,
        kind: str,
        url: str,
    ) -> None:
        """Publish nothing yet.

        :param kind: of service, such as ``messaging``
        :param url: may hold ``%(project_id)s``
        """
        super().__init__()
        self._identity = cloud.admin.identity
        self._name = name
        self._kind = kind
        self._url = url

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        service = self._identity.create_service(
            name=self._name, type=self._kind
        )
        self.addCleanup(self._identity.delete_service, service.id)
        made = self._identity.create_endpoint(
            service_id=service.id,
            interface="public",
            region_id=keystone.REGION,
            url=self._url,
        )
        self.addCleanup(self._identity.delete_endpoint, made.id)
