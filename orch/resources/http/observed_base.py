"""The part of ``Orch::HTTP::Resource`` that reads, and changes nothing."""

import collections.abc
import contextlib

from oslo_config import cfg

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import schema
from orch.resources.http import calls
from orch.resources.http import client
from orch.resources.http import etag_cache
from orch.resources.http import lists
from orch.resources.http import schemas
from orch.resources.http import shown as shown_
from orch.resources.http import usable


class ObservedHttpResource(resource.Resource):
    """An object that a service shows by JSON, by itself or in a list."""

    has_reality = True

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Keep the options; nothing is connected yet."""
        super().__init__(conf)
        self._client = client.Client(conf)
        self._cache = etag_cache.EtagCache(self._client)

    def ask(
        self, context: call_context.Context, declared: schema.Property
    ) -> object:
        """Send one of the requests as it is; return what is answered.

        :raises client.NotFound: there is no such resource any more
        :raises orch.errors.OrchError: see :meth:`client.Client.send`
        """
        desired = calls.Calls(context.properties)
        return self._client.send(
            desired.build(declared, calls.names_of(context))
        )

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the id, and what the service shows now."""
        values: dict[str, object] = {"id": context.physical_id}
        if "body" in names:
            values["body"] = self.show(context)
        return values

    def list_comparable(
        self, properties: collections.abc.Mapping[str, object]
    ) -> list[str]:
        """Return the request whose body is compared."""
        return shown_.list_compared(properties)

    def show(self, context: call_context.Context) -> object:
        """Return what the service shows now."""
        return self.ask(context, schemas.READ)

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object] | None:
        """Return the property that makes or changes it, with what is there.

        The properties say how to talk of the resource, so nothing can be read
        of one that has none.

        :raises client.Gone: there is no such resource any more
        :raises client.NotFound: the same, but as ``read`` is not given,
            maybe the service does not show such resources at all
        :raises shown_.NothingShown: the answer shows nothing of it
        """
        if schemas.URL.name not in context.properties:
            return None
        desired = calls.Calls(context.properties)
        names = calls.names_of(context)
        try:
            shown = self._cache.read(
                desired.build(schemas.READ, names),
                context.token,
                context.started_at,
            )
        except client.NotFound as error:
            if desired.part(schemas.READ) is None:
                raise client.NotFound(
                    f"{error.message}; give the property read, if only as"
                    " {}, for this to mean that it is gone"
                ) from error
            raise client.Gone(error.message) from error
        shown_.check_object(context.properties, shown)
        return shown_.read_reality(context.properties, names, shown)

    def observe(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[reality.ListAnswer] | None:
        """Return what lists show as it was last known, or is desired.

        Whatever they show otherwise, or not, is read by itself.
        """
        bodies = lists.find_bodies(self._client.send, contexts)
        if bodies is None:
            return None
        return [
            shown_.read_expected(context, calls.names_of(context), body)
            for context, body in zip(contexts, bodies, strict=True)
        ]

    def inspect_all(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[call_context.Inspection | None] | None:
        """Return what lists show as it is desired, and usable."""
        bodies = lists.find_bodies(self._client.send, contexts)
        if bodies is None:
            return None
        return [
            _inspect_listed(context, body)
            for context, body in zip(contexts, bodies, strict=True)
        ]

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether the service shows it, and shows it usable or at rest.

        :raises client.NotFound: there is no such resource any more
        :raises client.ServiceRefused: it is not usable
        """
        if schemas.URL.name not in context.properties:
            # Nothing says how to read it: it is known by external_id alone.
            return call_context.DONE
        self._check_usable(context, self.show(context))
        return call_context.DONE

    def inspect(
        self, context: call_context.Context
    ) -> call_context.Inspection:
        """Return what one request shows, and whether it is usable.

        :raises orch.errors.Transient: the service gives no answer now
        """
        fault, shown, live = None, None, None
        try:
            shown = self.show(context)
            self._check_usable(context, shown)
        except errors.Transient:
            raise
        except errors.OrchError as error:
            fault = error
        if shown is not None:
            names = calls.names_of(context)
            with contextlib.suppress(shown_.NothingShown):
                shown_.check_object(context.properties, shown)
                live = shown_.read_reality(context.properties, names, shown)
        return call_context.Inspection(fault=fault, reality=live)

    def _check_usable(
        self, context: call_context.Context, shown: object
    ) -> None:
        desired, names = (
            calls.Calls(context.properties),
            calls.names_of(context),
        )
        usable.check_usable(self._client.send, desired, names, shown)


def _inspect_listed(
    context: call_context.Context, body: object
) -> call_context.Inspection | None:
    """Return what a list shows; ``None`` where a read has to decide."""
    desired, names = calls.Calls(context.properties), calls.names_of(context)
    live = shown_.read_expected(context, names, body)
    if live is reality.UNLISTED:
        return None
    try:
        usable.check_usable(_refuse, desired, names, body)
    except errors.OrchError:
        return None
    return call_context.Inspection(reality=live)


def _refuse(request: client.Request) -> object:
    """Send nothing: what a list does not show, a read of one does.

    :raises client.ServiceRefused: always
    """
    raise client.ServiceRefused(f"{request.url} is not listed")
