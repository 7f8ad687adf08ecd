"""``OS::Cinder::VolumeAttachment``: a volume in a server."""

import collections.abc
import typing

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire

Values = collections.abc.Mapping[str, object]

_PLACE: typing.Final = "place"
"""Where the data say which volume is in which server, and as what."""


class VolumeAttachment(base.OpenStackResource):
    """An attachment; a volume is in one server at a time.

    Which volume is in which server says all of it, so nothing is done twice.
    """

    has_full_lists = False

    def create(
        self, context: call_context.Context
    ) -> call_context.CreateResult:
        """Begin to attach the volume."""
        place = self._desired(context)
        created = self._attach(context, place)
        return call_context.CreateResult(str(created["id"]), {_PLACE: place})

    def find(
        self, context: call_context.Context
    ) -> call_context.CreateResult | None:
        """Look whether a lost call has put the volume in the server."""
        if not context.is_outcome_unknown:
            return None
        place = self._desired(context)
        try:
            body = self._read(context, place)
        except rest.CloudNotFound:
            return None
        return call_context.CreateResult(str(body["id"]), {_PLACE: place})

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the volume is in use."""
        return self._settled(context, self._place(context))

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult:
        """Begin to detach the volume, to attach it to another server."""
        old = self._place(context)
        self._detach(context, old)
        data = {**context.data, _PLACE: self._desired(context), "before": old}
        return call_context.CreateResult(self.id_of(context), data)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the volume is where the template says."""
        desired, old = (
            self._place(context),
            wire.to_mapping(context.data.get("before")),
        )
        if old and not _is_same(old, desired):
            pending = self._left(context, old)
            if pending is not None:
                return pending
        try:
            self._read(context, desired)
        except rest.CloudNotFound:
            pending = self._free(context, desired)
            if pending is None:
                self._attach(context, desired)
            return pending or call_context.Pending(note="it is attached")
        return self._settled(context, desired)

    def remove(self, context: call_context.Context) -> None:
        """Begin to take the volume out."""
        self._detach(context, self._place(context))

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the volume is out; ask again for what is not.

        :raises orch.errors.OrchError: the service does not take it out
        """
        place = self._place(context)
        pending = self._left(context, place)
        if pending is not None and self._status(context, place) == "in-use":
            self._remove(context)
        return pending

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether the volume is in the server."""
        return self._settled(context, self._place(context))

    def body(self, context: call_context.Context) -> dict[str, typing.Any]:
        """Return the attachment as the service shows it."""
        return self._read(context, self._place(context))

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return where the volume is."""
        return wire.read_reality(self.fields.values(), body)

    def _desired(self, context: call_context.Context) -> dict[str, object]:
        """Return what the properties say, names as ids."""
        cloud = self.cloud(context)
        given = {
            field.key: context.properties.get(name)
            for name, field in self.fields.items()
        }
        found: dict[str, object] = {
            "instance_uuid": lookup.find_id(
                cloud, lookup.KINDS["nova.server"], str(given["serverId"])
            ),
            "volume_id": lookup.find_id(
                cloud, lookup.KINDS["cinder.volume"], str(given["volumeId"])
            ),
        }
        if given.get("device"):
            found["mountpoint"] = given["device"]
        return found

    def _place(self, context: call_context.Context) -> Values:
        """Return where the volume was put; an adopted one has no data."""
        return wire.to_mapping(context.data.get(_PLACE)) or self._desired(
            context
        )

    def _attach(
        self, context: call_context.Context, place: Values
    ) -> wire.Body:
        desired = {"volumeId": place["volume_id"]}
        if place.get("mountpoint"):
            desired["device"] = place["mountpoint"]
        found = self.api_collection(context).ask(
            "POST", self._path(context, place), {self.table.key: desired}
        )
        return dict(found[self.table.key])

    def _detach(self, context: call_context.Context, place: Values) -> None:
        path = f"{self._path(context, place)}/{_volume(place)}"
        self.api_collection(context).discard(path)

    def _left(
        self, context: call_context.Context, place: Values
    ) -> call_context.Pending | None:
        """Answer ``None`` once the volume is out of a server."""
        try:
            self._read(context, place)
        except rest.CloudNotFound:
            return self._free(context, place)
        return call_context.Pending(note="it is detached")

    def _free(
        self, context: call_context.Context, place: Values
    ) -> call_context.Pending | None:
        """Answer ``None`` once nothing is under way with the volume."""
        status = self._status(context, place)
        is_moving = status in ("detaching", "attaching", "reserved")
        return (
            call_context.Pending(note=f"the volume is {status}")
            if (is_moving)
            else call_context.DONE
        )

    def _settled(
        self, context: call_context.Context, place: Values
    ) -> call_context.Pending | None:
        """Answer ``None`` once the volume is in a server for good.

        :raises orch.clients.rest.CloudNotFound: it is not in it
        """
        self._read(context, place)
        status = self._status(context, place)
        return (
            call_context.DONE
            if status == "in-use"
            else call_context.Pending(note=status)
        )

    def _status(self, context: call_context.Context, place: Values) -> str:
        service = rest.service_of(
            self.cloud(context), "block-storage", version="3"
        )
        try:
            answer = rest.send_request(
                service, "GET", f"/volumes/{_volume(place)}"
            )
        except rest.CloudNotFound:
            return "gone"
        return str(
            wire.to_mapping(rest.read_body(answer).get("volume")).get("status")
        )

    def _read(
        self, context: call_context.Context, place: Values
    ) -> dict[str, typing.Any]:
        path = f"{self._path(context, place)}/{_volume(place)}"
        return dict(
            self.api_collection(context).ask("GET", path)[self.table.key]
        )

    def _path(self, context: call_context.Context, place: Values) -> str:
        server = str(place["instance_uuid"])
        path = self.api_collection(context).place(server)
        return f"{path}/os-volume_attachments"


def _volume(place: Values) -> str:
    """Return the volume's part of a path."""
    return rest.path_segment(str(place["volume_id"]))


def _is_same(one: Values, other: Values) -> bool:
    return (one["instance_uuid"], one["volume_id"]) == (
        other["instance_uuid"],
        other["volume_id"],
    )
