"""``Orch::HTTP::Resource``: a thing of any service with a JSON REST API."""

import collections.abc
import dataclasses

from oslo_config import cfg

from orch import errors
from orch.plugin import resource
from orch.plugin import schema
from orch.resources.http import calls
from orch.resources.http import client
from orch.resources.http import pointer
from orch.resources.http import schemas

_KEY = "Idempotency-Key"


class HttpResource(resource.Resource):
    """Whatever a service makes, shows and removes by JSON over HTTP.

    The answer to a creation may get lost. Then the thing is looked for by
    ``find``, or by its id where the caller chose that; where neither is
    given, the creation is repeated only if the service is said to be
    idempotent.
    """

    type_name = "Orch::HTTP::Resource"
    properties = (
        schemas.URL,
        schemas.HEADERS,
        schemas.CREATE,
        schemas.READ,
        schemas.UPDATE,
        schemas.DELETE,
        schemas.FIND,
        schemas.READY,
        schemas.TLS,
    )
    attributes = (
        schema.Attribute(
            "id", schema.Type.STRING, "What the service calls it."
        ),
        schema.Attribute(
            "body", schema.Type.MAP, "What read answers: a JSON document."
        ),
    )

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Keep the options; nothing is connected yet."""
        super().__init__(conf)
        self._client = client.Client(conf)

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse requests that can never be right, or are not allowed."""
        allowed = self.conf.http_resource.allowed_urls
        calls.Calls(properties).check(allowed)

    def create(self, context: resource.Context) -> resource.PhysicalId:
        """Ask the service to make it.

        :raises client.ServiceRefused: it says no, or gives no id
        :raises orch.errors.Transient: nobody knows; it may be tried again
        """
        self.validate(context.properties)
        names = _names(context)
        wanted = calls.Calls(context.properties)
        request = wanted.build(schemas.CREATE, names)
        if _KEY.lower() not in {key.lower() for key in request.headers}:
            request = dataclasses.replace(
                request, headers={**request.headers, _KEY: context.token}
            )
        body = self._client.send(request)
        chosen = _chosen_id(wanted, names)
        if chosen is not None:
            return chosen
        part = wanted.part(schemas.CREATE) or {}
        found = _find_id(body, str(part.get("id_pointer")))
        if found is None:
            raise client.ServiceRefused(
                "the service made it, but its answer has no id at"
                f" {part.get('id_pointer')}; correct create.id_pointer and"
                " remove by hand what was made"
            )
        return found

    def is_created(self, context: resource.Context) -> resource.Pending | None:
        """Answer ``None`` once the service says that it is usable.

        :raises client.ServiceRefused: it will never be
        """
        wanted = calls.Calls(context.properties)
        part = wanted.part(schemas.READY)
        if part is None:
            return resource.DONE
        request = wanted.build(schemas.READY, _names(context))
        try:
            body = self._client.send(request)
        except errors.Transient as error:
            return resource.Pending(note=error.message)
        value = pointer.find(body, str(part["pointer"]))
        if value == part["value"]:
            return resource.DONE
        failed = part.get("failed_value")
        if failed is not None and value == failed:
            raise client.ServiceRefused(
                f"the service says that it failed: {part['pointer']} is"
                f" {value!r}"
            )
        return resource.Pending(note=f"{part['pointer']} is {_show(value)}")

    def find(
        self, context: resource.Context
    ) -> resource.PhysicalId | resource.Made | None:
        """Find what an attempt made whose answer was lost.

        :raises resource.OutcomeUnknown: there is no way to find out
        """
        wanted = calls.Calls(context.properties)
        names = _names(context)
        chosen = _chosen_id(wanted, names)
        part = wanted.part(schemas.FIND)
        try:
            if part is not None:
                body = self._client.send(wanted.build(schemas.FIND, names))
                return _find_id(body, str(part["id_pointer"]))
            if chosen is not None:
                names = dataclasses.replace(names, id=chosen)
                self._client.send(wanted.build(schemas.READ, names))
                return chosen
        except client.NotThere:
            return None
        if (wanted.part(schemas.CREATE) or {}).get("is_idempotent"):
            return None
        raise resource.OutcomeUnknown(
            "the answer to the creation was lost, and there is no way to find"
            " out whether the service made it; look there, then give the"
            " property find, or create.is_idempotent if the service honours"
            f" {_KEY}"
        )

    def delete(self, context: resource.Context) -> None:
        """Ask the service to remove it; already gone is success."""
        wanted = calls.Calls(context.properties)
        try:
            self._client.send(wanted.build(schemas.DELETE, _names(context)))
        except client.NotThere:
            return

    def is_deleted(self, context: resource.Context) -> resource.Pending | None:
        """Answer ``None`` once it is gone, as far as that is asked for."""
        wanted = calls.Calls(context.properties)
        part = wanted.part(schemas.DELETE)
        if part is None or not part["wait_until_gone"]:
            return resource.DONE
        try:
            self._client.send(wanted.build(schemas.READ, _names(context)))
        except client.NotThere:
            return resource.DONE
        except errors.Transient as error:
            return resource.Pending(note=error.message)
        return resource.Pending(note="the service still shows it")

    def read_attributes(
        self,
        context: resource.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the id, and what the service shows now."""
        values: dict[str, object] = {"id": context.physical_id}
        if "body" in names:
            values["body"] = self.show(context)
        return values

    def show(self, context: resource.Context) -> object:
        """Return what the service shows now."""
        wanted = calls.Calls(context.properties)
        return self._client.send(wanted.build(schemas.READ, _names(context)))


def _names(context: resource.Context) -> calls.Names:
    return calls.Names(
        context.token, context.physical_name, context.physical_id or ""
    )


def _chosen_id(wanted: calls.Calls, names: calls.Names) -> str | None:
    part = wanted.part(schemas.CREATE)
    if part is None or not part.get("id"):
        return None
    return names.fill_text(str(part["id"]))


def _find_id(body: object, place: str) -> str | None:
    value = pointer.find(body, place)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value) or None


def _show(value: object) -> str:
    return "not there" if value is pointer.MISSING else repr(value)
