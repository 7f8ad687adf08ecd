"""``OS::Cinder::Volume``: a disk that outlives servers."""

import collections.abc
import dataclasses
import json
import typing

from orch.clients import lookup
from orch.plugin import call_context
from orch.plugin import listing
from orch.resources.openstack import elements
from orch.resources.openstack import sized_base
from orch.resources.openstack import tokens
from orch.resources.openstack import wire
from orch.resources.openstack.cinder import backups

Values = collections.abc.Mapping[str, object]
Names = collections.abc.Collection[str]

_COPIED: typing.Final = (tokens.MARK, "policy")
"""Metadata that no user gave, and that can be written."""
_READ_METADATA: typing.Final = frozenset({"readonly", "attached_mode"})
"""Metadata that the service alone sets."""
_FROM_BACKUP: typing.Final = "3.47"
_CHANGING: typing.Final = "changing"
"""Where the data hold the properties that take time to be brought about."""
_WATCHED: typing.Final = frozenset({"size", "volume_type"})


class Volume(sized_base.SizedResource):
    """A volume, empty or made from an image, a volume or a backup."""

    # Making it.

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Ask for the volume, with the token in its metadata."""
        api_collection = self.api_collection(context)
        body = self.body_of_properties(context)
        body.setdefault("name", context.physical_name)
        body["metadata"] = {
            **wire.to_metadata(context.properties.get("metadata")),
            tokens.MARK: context.token,
        }
        if context.properties.get("backup_id"):
            body["backup_id"] = context.properties["backup_id"]
            api_collection = dataclasses.replace(
                api_collection, microversion=_FROM_BACKUP
            )
        request: dict[str, object] = {"volume": body}
        hints = wire.to_mapping(context.properties.get("scheduler_hints"))
        if hints:
            request["OS-SCH-HNT:scheduler_hints"] = hints
        answer = api_collection.ask("POST", api_collection.path, request)
        return str(answer["volume"]["id"])

    def list_bearers(self, context: call_context.Context) -> list[wire.Body]:
        """Return the volumes whose metadata hold the token."""
        desired = {"metadata": str({tokens.MARK: context.token})}
        return [
            body
            for body in self.api_collection(context).listed(desired)
            if tokens.has_token(body, f"metadata.{tokens.MARK}", context)
        ]

    def settles(self, changed: Names) -> bool:
        """Whether something takes requests of its own."""
        return bool({"metadata", "read_only"}.intersection(changed))

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: Names,
        before: Values,
    ) -> None:
        """Bring about its metadata, and whether it may be written to."""
        held = wire.to_mapping(body.get("metadata"))
        if "metadata" in changed:
            calls = self.api_collection(context)
            elements.settle_entries(
                calls,
                f"{calls.place(self.id_of(context))}/metadata",
                "metadata",
                {key: held[key] for key in held.keys() - _READ_METADATA},
                wire.to_metadata(context.properties.get("metadata")),
                {key: held[key] for key in _COPIED if key in held},
            )
        desired = bool(context.properties.get("read_only"))
        if "read_only" in changed and desired != _is_read_only(held):
            self._act(
                context, "os-update_readonly_flag", {"readonly": desired}
            )

    # Changing it.

    def update(
        self, context: call_context.Context, before: Values, changed: Names
    ) -> call_context.CreateResult:
        """Begin to bring about what differs, and nothing else."""
        body = self.body(context)
        named = set(changed) & {"name", "description"}
        desired = self.sent(context, named, is_change=True)
        desired = {
            key: value
            for key, value in desired.items()
            if (body.get(key) or "") != value
        }
        if desired:
            self.api_collection(context).change(self.id_of(context), desired)
        self.settle(context, body, changed, before)
        if "backup_id" in changed and context.properties.get("backup_id"):
            backups.restore_backup(self._backups(context), context)
        slow = {
            name: context.properties.get(name)
            for name in sorted(_WATCHED.intersection(changed))
        }
        data = {**context.data, _CHANGING: slow}
        return call_context.CreateResult(self.id_of(context), data)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Ask for the next of what is missing; ``None`` for nothing."""
        body = self.body(context)
        pending = self.check_status(body)
        if pending is not None:
            return pending
        desired = wire.to_mapping(context.data.get(_CHANGING))
        size, kind = desired.get("size"), desired.get("volume_type")
        if size and body["size"] < int(str(size)):
            self._act(context, "os-extend", {"new_size": int(str(size))})
            return call_context.Pending(note="it is extended")
        if kind and not self._is_of_type(context, body, str(kind)):
            self._act(
                context,
                "os-retype",
                {"new_type": kind, "migration_policy": "on-demand"},
            )
            return call_context.Pending(note="its type is changed")
        return call_context.DONE

    def _is_of_type(
        self, context: call_context.Context, body: wire.Body, kind: str
    ) -> bool:
        if body.get("volume_type") == kind:
            return True
        cloud = self.cloud(context)
        desired = lookup.find_id(cloud, lookup.KINDS["cinder.vtype"], kind)
        found = lookup.find_id(
            cloud, lookup.KINDS["cinder.vtype"], str(body.get("volume_type"))
        )
        return desired == found

    # Its snapshots.

    def snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> Values:
        """Begin to store what is on it as a backup."""
        return self.find_snapshot(
            context, snapshot_id
        ) or backups.create_backup(
            self._backups(context), context, snapshot_id
        )

    def find_snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> Values | None:
        """Return the backup of that snapshot."""
        name = backups.backup_name(context, snapshot_id)
        return backups.find_backup(self._backups(context), name)

    def is_snapshotted(
        self, context: call_context.Context, snapshot_data: Values
    ) -> call_context.Pending | None:
        """Answer ``None`` once the backup is complete."""
        return backups.check_backup(self._backups(context), snapshot_data)

    def delete_snapshot(
        self, context: call_context.Context, snapshot_data: Values
    ) -> None:
        """Remove the backup."""
        backups.delete_backup(self._backups(context), snapshot_data)

    def restored_properties(
        self, properties: Values, snapshot_data: Values
    ) -> Values:
        """Return that it holds what is in the backup."""
        return {**properties, backups.ID: snapshot_data[backups.ID]}

    # Looking at it.

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that the service reports."""
        found = super().reality_of(context, body)
        held = wire.to_mapping(body.get("metadata"))
        found["metadata"] = {
            key: value
            for key, value in held.items()
            if key not in _READ_METADATA.union(_COPIED)
        }
        found["read_only"] = _is_read_only(held)
        return found

    def listed(self, body: wire.Body) -> listing.PhysicalResource:
        """Return it, with the servers that have it: Nova makes some itself."""
        attachments = body.get("attachments") or ()
        return dataclasses.replace(
            super().listed(body),
            held_by=tuple(str(each["server_id"]) for each in attachments),
        )

    def read_attributes(
        self, context: call_context.Context, names: Names
    ) -> Values:
        """Return what it shows, some of it as texts."""
        found = dict(super().read_attributes(context, names))
        for name in ("attachments", "metadata"):
            if name in found:
                found[name] = json.dumps(found[name])
        for name in ("encrypted", "size"):
            if name in found:
                found[name] = str(found[name])
        return found

    # What all of it is made of.

    def _act(
        self, context: call_context.Context, action: str, desired: object
    ) -> None:
        api_collection = self.api_collection(context)
        place = api_collection.place(self.id_of(context))
        api_collection.ask("POST", f"{place}/action", {action: desired})

    def _backups(self, context: call_context.Context) -> backups.Backups:
        return dataclasses.replace(
            self.api_collection(context),
            path="/backups",
            list_path="/backups/detail",
            key="backup",
            plural="backups",
        )


def _is_read_only(metadata: Values) -> bool:
    return metadata.get("readonly") == "True"
