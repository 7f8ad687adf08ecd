"""``OS::Heat::SwiftSignal``: the stack waits for objects of Swift."""

import collections.abc
import json
import typing

from orch import errors
from orch import json_depth
from orch.clients import object_store
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import no_physical_resource
from orch.plugin import type_files
from orch.resources.heat import durable_timeout
from orch.resources.signals import condition
from orch.resources.signals import entries


@type_files.described("OS::Heat::SwiftSignal")
class SwiftSignal(
    clouds.CloudResource, no_physical_resource.NoPhysicalResource
):
    """Complete once enough signals of success are in the object store."""

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a handle that is no address of an object."""
        handle = properties.get("handle")
        if isinstance(handle, str) and "://" in handle:
            _place(handle)

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Begin to wait.

        :raises orch.errors.Invalid: the handle is no address of an object
        :raises orch.clients.rest.CloudRefused: it leads to another project
        """
        store = object_store.ObjectStore(self.cloud(context))
        store.check_is_ours(_place(context.properties["handle"]))
        return context.physical_name

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once enough signals came.

        :raises condition.WaitConditionFailure: one told of a failure
        :raises condition.WaitConditionTimeout: they did not come in time
        """
        known = self._signals(context)
        desired = typing.cast("int", context.properties["count"])
        wait_s = typing.cast("float", context.properties["timeout"])
        now = self.clock.now()
        left = min(wait_s, context.started_at + wait_s - now)
        said = condition.describe_missing(known, desired, left)
        if said is None:
            return call_context.DONE
        pause_s = durable_timeout.pause_s(context.started_at, now)
        return call_context.Pending(after_s=min(pause_s, left), note=said)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what the signals brought, by their ids, as JSON text."""
        found = {
            entry_id: entry.get("data")
            for entry_id, entry in entries.iterate_entries(
                self._signals(context)
            )
        }
        return {"data": json.dumps(found)}

    def _signals(self, context: call_context.Context) -> entries.Entries:
        """Return the signals that were written, by their ids.

        Those of failure, and what is no signal, that were written before a
        repeated attempt began have failed an earlier one, and do not count.

        :raises entries.BadSignal: one of them has not the form of a signal
        """
        place = _place(context.properties["handle"])
        store = object_store.ObjectStore(self.cloud(context))
        start = context.started_at if context.attempt > 1 else 0.0
        known: entries.Entries = {}
        for each in store.read_all(place.container, place.name):
            is_earlier = each.written_at < start
            try:
                known = _with_signal(known, each.content)
            except entries.BadSignal:
                if not is_earlier:
                    raise
            if is_earlier:
                known = entries.without_failures(known)
        return known


def _with_signal(known: entries.Entries, content: bytes) -> entries.Entries:
    """Return signals with one that was written.

    :raises entries.BadSignal: it has not the form of a signal
    """
    words = entries.HEAT_WORDS
    given = entries.with_defaults(known, _parsed(content), words)
    return entries.add_entry(known, given, words)[0]


def _place(handle: object) -> object_store.Place:
    """Return the object that an address leads to.

    :raises orch.errors.Invalid: it leads to none
    """
    found = object_store.Place.of_url(str(handle))
    if found is None:
        raise errors.Invalid(
            "handle is no address of an object in Swift; set it to"
            " get_resource of an OS::Heat::SwiftSignalHandle"
        )
    return found


def _parsed(content: bytes) -> object:
    """Return the JSON value that was written; ``None`` for nothing.

    :raises entries.BadSignal: it is none
    """
    if not content.strip():
        return None
    try:
        return json_depth.parse_json(content)
    except ValueError as error:
        raise entries.BadSignal(
            f"a signal that was written is not JSON: {error}"
        ) from None
