"""``Orch::HTTP::Resource``: an object of any service with a REST API."""

import collections.abc
import contextlib
import dataclasses
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.plugin import resource
from orch.plugin import schema
from orch.plugin import type_files
from orch.resources.http import bearers
from orch.resources.http import body_pointers
from orch.resources.http import calls
from orch.resources.http import client
from orch.resources.http import observed_base
from orch.resources.http import pointer
from orch.resources.http import schemas
from orch.resources.http import usable

Map = collections.abc.Mapping[str, object]

_KEY: typing.Final = "Idempotency-Key"


@type_files.described(schemas.TYPE)
class HttpResource(observed_base.ObservedHttpResource):
    """An object that a service creates, shows and removes by JSON.

    The answer to a creation may get lost. Then the resource is looked for by
    ``find``, or by its id where the caller chose that; where neither is
    given, the creation is repeated only if the service is said to be
    idempotent.
    """

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse requests that can never be right, or are not allowed."""
        options = self.conf.http_resource
        desired = calls.Calls(properties)
        desired.check(options.allowed_urls)
        desired.trust().read(options.ca_dir)

    def get_id_scope(
        self,
        account: id_scopes.Account,
        properties: collections.abc.Mapping[str, object],
    ) -> str | None:
        """Return the URL below which the service makes such resources."""
        if not {schemas.URL.name, schemas.CREATE.name} <= properties.keys():
            return None
        try:
            return calls.Calls(properties).collection_url()
        except errors.OrchError:
            return None

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Ask the service to make it.

        :raises client.ServiceRefused: it says no, or gives no id
        :raises orch.errors.Transient: it is not known; it may be tried again
        """
        self.validate(context.properties)
        names = calls.names_of(context)
        desired = calls.Calls(context.properties)
        request = desired.build(schemas.CREATE, names)
        body = self._client.send(_with_key(request, context.token))
        chosen = _chosen_id(desired, names)
        if chosen is not None:
            return chosen
        part = desired.part(schemas.CREATE) or {}
        found = bearers.find_id(body, str(part.get("id_pointer")))
        if found is None:
            raise client.ServiceRefused(
                "the service made it, but its answer has no id at"
                f" {part.get('id_pointer')}; correct create.id_pointer and"
                " remove by hand what was made"
            )
        return found

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the service says that it is usable.

        :raises client.Failed: it will never be
        :raises client.NotFound: there is no such resource any more
        :raises client.ServiceRefused: the service does not say
        """
        try:
            return self._watch(context, schemas.READY, schemas.READY)
        except client.NotFound as error:
            if self.get_reality(context) is None:
                raise
            raise client.ServiceRefused(
                f"{error.message}; but read shows it"
            ) from error

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Find what an attempt made whose answer was lost.

        A service may list more than it was asked for: of a list only what
        bears the token is found.

        :raises acts.OutcomeUnknown: there is no way to find out
        """
        desired = calls.Calls(context.properties)
        names = calls.names_of(context)
        chosen = _chosen_id(desired, names)
        part = desired.part(schemas.FIND)
        if bearers.is_list(desired):
            return next(iter(self._list_bearers(desired, names)), None)
        try:
            if part is not None:
                body = self._client.send(desired.build(schemas.FIND, names))
                return bearers.find_id(body, str(part["id_pointer"]))
            if chosen is not None:
                names = dataclasses.replace(names, id=chosen)
                self._client.send(desired.build(schemas.READ, names))
                return chosen
        except client.NotFound:
            return None
        raise call_context.OutcomeUnknown(
            "the answer to the creation was lost, and there is no way to find"
            " out whether the service made it: an update may give the property"
            f" find, or, if the service honours {_KEY},"
            " create.is_idempotent, and then it is created again"
        )

    def lookup_properties(self, before: Map, after: Map) -> Map:
        """Return the properties with the mended ones of requests that look.

        Of another service nothing is asked.
        """
        if before.get(schemas.URL.name) != after.get(schemas.URL.name):
            return before
        return schemas.renew_lookup(before, after)

    def find_all(
        self, context: call_context.Context
    ) -> collections.abc.Sequence[call_context.PhysicalId]:
        """Return the ids of what find lists and what itself bears the token.

        An id of ours bears it. Nothing where an id does not say what delete
        is to remove.

        :raises orch.errors.OrchError: the service does not say
        """
        desired = calls.Calls(context.properties)
        names = calls.names_of(context)
        if desired.part(schemas.FIND) is None and _chosen_id(desired, names):
            found = self.find(context)
            return () if found is None else (found,)
        if not bearers.is_list(desired) or not bearers.is_removed_by_id(
            desired, names
        ):
            return ()
        return self._list_bearers(desired, names)

    def _list_bearers(
        self, desired: calls.Calls, names: calls.Names
    ) -> list[str]:
        return bearers.list_bearers(self._client.send, desired, names)

    def late_effect_s(self, context: call_context.Context) -> float:
        """Return how long a request may take, with a margin."""
        options = self.conf.http_resource
        limit_s: float = options.connect_timeout + options.read_timeout
        return limit_s + resource.LATE_MARGIN_S

    def creates_once(self, context: call_context.Context) -> bool:
        """Whether the caller chooses the id, or the service knows the key."""
        part = calls.Calls(context.properties).part(schemas.CREATE) or {}
        return bool(part.get("id") or part.get("is_idempotent"))

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Ask the service for the change, if that is what changed.

        The other properties only say how to talk of the resource.

        :raises client.NotFound: there is no such resource any more
        :raises client.ServiceRefused: the service says no
        """
        self.validate(context.properties)
        if schemas.UPDATE.name in changed:
            self._change(context, schemas.UPDATE)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the service says that it is usable.

        :raises client.ServiceRefused: it will never be
        """
        return self._watch(context, schemas.READY, schemas.READY)

    def suspend(self, context: call_context.Context) -> None:
        """Ask the service to put it to rest, if the request is given."""
        self._change(context, schemas.SUSPEND)

    def is_suspended(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once read shows that it rests."""
        return self._watch(context, schemas.SUSPEND, schemas.READ)

    def resume(self, context: call_context.Context) -> None:
        """Ask the service to wake it, if the request is given."""
        self._change(context, schemas.RESUME)

    def is_resumed(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once read shows that it is awake."""
        return self._watch(context, schemas.RESUME, schemas.READ)

    def delete(self, context: call_context.Context) -> None:
        """Ask the service to remove it; already gone is success."""
        with contextlib.suppress(client.NotFound):
            self.ask(context, schemas.DELETE)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is gone, as far as that is asked for."""
        desired = calls.Calls(context.properties)
        part = desired.part(schemas.DELETE)
        if part is None or not part["wait_until_gone"]:
            return call_context.DONE
        try:
            self.ask(context, schemas.READ)
        except client.NotFound:
            return call_context.DONE
        except errors.Transient as error:
            return _later(error)
        return call_context.Pending(note="the service still shows it")

    def _change(
        self, context: call_context.Context, declared: schema.Property
    ) -> None:
        """Send one of the requests about the resource, if it is given."""
        desired = calls.Calls(context.properties)
        if desired.part(declared) is None:
            return
        # The same after a crash, another one in the next action.
        key = f"{context.token}-{declared.name}-{context.started_at:.6f}"
        request = desired.build(declared, calls.names_of(context))
        pointers = body_pointers.BodyPointers.of_properties(context.properties)
        if declared is schemas.UPDATE and pointers.ignored:
            body = pointers.preserve(request.body, self.show(context))
            request = dataclasses.replace(request, body=body)
        self._client.send(_with_key(request, key))

    def _watch(
        self,
        context: call_context.Context,
        declared: schema.Property,
        declared_ready: schema.Property,
    ) -> call_context.Pending | None:
        """Look whether a value is what one of the properties says.

        :param declared: names the place and the value
        :param declared_ready: describes the request that shows it
        :raises client.ServiceRefused: it will never be
        """
        desired = calls.Calls(context.properties)
        part = desired.part(declared)
        if part is None or part.get("pointer") is None:
            return call_context.DONE
        try:
            body = self.ask(context, declared_ready)
        except errors.Transient as error:
            return _later(error)
        if usable.holds(body, part):
            return call_context.DONE
        value = pointer.find_value(body, str(part["pointer"]))
        failed = part.get("failed_value")
        if failed is not None and value == failed:
            raise client.Failed(
                f"the service says that it failed: {part['pointer']} is"
                f" {value!r}"
            )
        return call_context.Pending(
            note=f"{part['pointer']} is {usable.describe(value)}"
        )


def _with_key(request: client.Request, key: str) -> client.Request:
    """Return the request with a key, unless it bears one of its own."""
    if _KEY.lower() in {name.lower() for name in request.headers}:
        return request
    return dataclasses.replace(request, headers={**request.headers, _KEY: key})


def _later(error: errors.Transient) -> call_context.Pending:
    """Return what a watch says that could not be made now."""
    return call_context.Pending(after_s=error.after_s, note=error.message)


def _chosen_id(desired: calls.Calls, names: calls.Names) -> str | None:
    part = desired.part(schemas.CREATE)
    if part is None or not part.get("id"):
        return None
    return names.fill_text(str(part["id"]))
