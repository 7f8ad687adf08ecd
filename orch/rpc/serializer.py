"""What travels beside the payload: who asks."""

import typing

import oslo_messaging as messaging

from orch.context import request

_EXACT: typing.Final = "is_admin_project_exact"
"""Says that ``is_admin_project`` is true only for who runs the cloud.

Earlier releases send true for every user with a password of a file.
"""


class Serializer(messaging.Serializer):
    """Turns contexts into maps and back; arguments are JSON already."""

    def serialize_entity(
        self, ctxt: request.RequestContext, entity: object
    ) -> object:
        """Return the entity as it is."""
        return entity

    def deserialize_entity(
        self, ctxt: request.RequestContext, entity: object
    ) -> object:
        """Return the entity as it is."""
        return entity

    def serialize_context(
        self, ctxt: request.RequestContext
    ) -> dict[str, object]:
        """Return the context as a map."""
        return {**ctxt.to_dict(), _EXACT: True}

    def deserialize_context(
        self, ctxt: dict[str, object]
    ) -> request.RequestContext:
        """Return the context that the map describes.

        Who asks an API of an earlier release counts as no admin of the
        cloud.
        """
        found = request.RequestContext.from_dict(ctxt)
        found.is_admin_project = (
            found.is_admin_project and ctxt.get(_EXACT) is True
        )
        return found
