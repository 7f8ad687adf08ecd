"""``Test::World::Instance``: what ``AWS::EC2::Instance`` is mapped to."""

import collections.abc
import dataclasses
import json

import orch_test_world

from orch.plugin import call_context
from orch.plugin import schema


def _text(name: str, on_update: schema.OnUpdate) -> schema.Property:
    return schema.Property(name, schema.Type.STRING, on_update=on_update)


def _list(name: str, on_update: schema.OnUpdate) -> schema.Property:
    return schema.Property(name, schema.Type.LIST, on_update=on_update)


class Instance(orch_test_world.WorldResource):
    """A thing with the properties that groups give their instances.

    Its label is image and flavor, its value is not used.
    """

    type_name = "Test::World::Instance"
    properties = (
        *orch_test_world.WorldResource.properties,
        _text("ImageId", schema.OnUpdate.REPLACE),
        _text("InstanceType", schema.OnUpdate.MODIFY),
        _text("UserData", schema.OnUpdate.REPLACE),
        _text("SubnetId", schema.OnUpdate.MODIFY),
        _list("BlockDeviceMappings", schema.OnUpdate.REPLACE),
        _list("Tags", schema.OnUpdate.MODIFY),
    )
    attributes = (
        *orch_test_world.WorldResource.attributes,
        schema.Attribute("PublicIp", schema.Type.STRING, "Its address."),
        schema.Attribute("told", schema.Type.MAP, "What it was told."),
    )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Write the row."""
        return super().create(_labelled(context))

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Write what can be changed in place."""
        super().update(_labelled(context), before, changed)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return an address by the number of the row, and the properties."""
        number = (context.physical_id or "").removeprefix("thing-")
        told = {
            **{name: context.properties.get(name) for name in _OWN},
            "metadata": dict(context.metadata),
        }
        return {
            **super().read_attributes(context, names),
            "PublicIp": f"10.0.0.{number}",
            "told": json.loads(json.dumps(told)),
        }

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return image and flavor."""
        label = str(super().get_reality(context)["label"])
        image, _, flavor = label.partition("/")
        return {"ImageId": image, "InstanceType": flavor}


_OWN = ("UserData", "SubnetId", "BlockDeviceMappings", "Tags")


def _labelled(context: call_context.Context) -> call_context.Context:
    given = context.properties
    label = f"{given.get('ImageId')}/{given.get('InstanceType')}"
    return dataclasses.replace(context, properties={**given, "label": label})
