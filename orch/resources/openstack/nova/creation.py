"""The request that creates a server."""

import collections.abc
import typing

from orch.clients import lookup
from orch.plugin import call_context
from orch.resources.openstack import tokens
from orch.resources.openstack import wire
from orch.resources.openstack.nova import calls
from orch.resources.openstack.nova import devices
from orch.resources.openstack.nova import networks
from orch.resources.openstack.nova import user_data

Values = collections.abc.Mapping[str, object]
FindId = collections.abc.Callable[[lookup.Kind, str], str]

HINTS: typing.Final = "scheduler_hints"
"""The property, and the key of a decision of a lifecycle plug-in."""

_PLAIN: typing.Final = {
    "key_name": "key_name",
    "availability_zone": "availability_zone",
    "config_drive": "config_drive",
    "diskConfig": "OS-DCF:diskConfig",
    "admin_pass": "adminPass",
}


def build_body(
    context: call_context.Context,
    desired: str | collections.abc.Sequence[networks.RequestedNetwork],
    content: str,
    find_id: FindId,
) -> dict[str, object]:
    """Return the server that is asked for.

    :param desired: its networks; ``auto`` or ``none``, or empty for those that
        the service chooses
    :param content: what cloud-init is to find; empty for nothing
    """
    given = context.properties
    created: dict[str, object] = {
        "name": given.get("name") or context.physical_name,
        "flavorRef": find_id(
            lookup.KINDS["nova.flavor"], str(given["flavor"])
        ),
        "metadata": {
            **wire.to_metadata(given.get("metadata")),
            tokens.MARK: context.token,
        },
    }
    for name, key in _PLAIN.items():
        if given.get(name) is not None:
            created[key] = given[name]
    if given.get("image"):
        created["imageRef"] = find_id(
            lookup.KINDS["glance.image"], str(given["image"])
        )
    if desired:
        created["networks"] = (
            desired
            if isinstance(desired, str)
            else [each.nic() for each in desired]
        )
    if content:
        created["user_data"] = user_data.encode_user_data(content)
    if given.get("security_groups"):
        created["security_groups"] = [
            {"name": str(each)}
            for each in wire.to_list(given["security_groups"])
        ]
    if given.get("personality"):
        created["personality"] = [
            {"path": path, "contents": user_data.encode_user_data(str(text))}
            for path, text in wire.to_mapping(given["personality"]).items()
        ]
    created.update(_disks(given, created.get("imageRef"), find_id))
    return created


def find_version(context: call_context.Context, created: Values) -> str:
    """Return the microversion of the request for a server."""
    if devices.has_types(
        wire.to_maps(context.properties.get("block_device_mapping_v2"))
    ):
        return calls.VOLUME_TYPES
    return calls.READ if "networks" in created else calls.NO_NETWORKS


def build_hints(context: call_context.Context) -> dict[str, object]:
    """Return the hints for the scheduler.

    Those of the template, then what lifecycle plug-ins have decided.
    """
    found = dict(wire.to_mapping(context.properties.get(HINTS)))
    for name in sorted(context.decisions):
        found.update(
            wire.to_mapping(
                wire.to_mapping(context.decisions[name]).get(HINTS)
            )
        )
    return {key: value for key, value in found.items() if value is not None}


def _disks(
    given: Values, image_id: object, find_id: FindId
) -> dict[str, object]:
    created: dict[str, object] = {}
    older = wire.to_maps(given.get("block_device_mapping"))
    newer = wire.to_maps(given.get("block_device_mapping_v2"))
    if older:
        created["block_device_mapping"] = devices.mapping_v1(older, find_id)
    if newer:
        first = str(image_id) if image_id else None
        created["block_device_mapping_v2"] = devices.mapping_v2(
            newer, first, find_id
        )
    return created
