"""``AWS::EC2::Volume``: a volume of Cinder."""

import collections.abc
import dataclasses
import typing

from orch.plugin import call_context
from orch.resources.openstack import wire
from orch.resources.openstack.aws import tags
from orch.resources.openstack.cinder import backups
from orch.resources.openstack.cinder import volume

_TAGS: typing.Final = "Tags"
_BACKUP: typing.Final = "SnapshotId"

Values = collections.abc.Mapping[str, object]


class Volume(volume.Volume):
    """A volume, empty or made from a backup. Its tags are metadata."""

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Ask for the volume, with the token in its metadata."""
        given = context.properties
        native = {
            **given,
            "metadata": tags.to_map(given.get(_TAGS)),
            backups.ID: given.get(_BACKUP),
        }
        return super().create(dataclasses.replace(context, properties=native))

    def restored_properties(
        self, properties: Values, snapshot_data: Values
    ) -> Values:
        """Return the properties: no volume is restored in place, as in Heat.

        The backup of the snapshot can be given as ``SnapshotId``.
        """
        return properties

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that the service reports."""
        found = super().reality_of(context, body)
        metadata = found.get("metadata")
        assert isinstance(metadata, dict)
        found[_TAGS] = tags.from_map(metadata)
        return {name: found[name] for name in self.fields if name in found}
