"""Images of the cloud (Glance), as far as servers need them."""

import typing

from orch.clients import collection
from orch.clients import rest

if typing.TYPE_CHECKING:
    from openstack import connection

_VERSION: typing.Final = "2"


class Images:
    """The images that one project can see."""

    def __init__(self, cloud: "connection.Connection") -> None:
        """Speak to the service; nothing is sent yet."""
        self._images = collection.Collection(
            service=rest.service_of(cloud, "image", version=_VERSION),
            path="/images",
            key="",
            plural="images",
        )

    def get(self, image_id: str) -> collection.Body:
        """Return an image.

        :raises orch.clients.rest.CloudNotFound: there is none
        """
        return self._images.get(image_id)

    def named(self, name: str) -> list[str]:
        """Return the ids of the images of that name."""
        return [
            str(each["id"])
            for each in self._images.listed({"name": name})
            if each.get("name") == name
        ]

    def remove(self, image_id: str) -> None:
        """Remove an image; gone already is success."""
        try:
            self._images.remove(image_id)
        except rest.CloudNotFound:
            return
