"""What travels beside the payload: who asks."""

import oslo_messaging as messaging

from orch.context import request


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
        return ctxt.to_dict()

    def deserialize_context(
        self, ctxt: dict[str, object]
    ) -> request.RequestContext:
        """Return the context that the map describes."""
        return request.RequestContext.from_dict(ctxt)
