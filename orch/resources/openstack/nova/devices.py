"""The block devices of a new server, in the form of requests."""

import collections.abc
import typing

from orch.clients import lookup

Values = collections.abc.Mapping[str, object]
FindId = collections.abc.Callable[[lookup.Kind, str], str]

_SOURCES: typing.Final = {
    "volume_id": ("volume", lookup.KINDS["cinder.volume"]),
    "snapshot_id": ("snapshot", lookup.KINDS["cinder.snapshot"]),
    "image": ("image", lookup.KINDS["glance.image"]),
    "image_id": ("image", lookup.KINDS["glance.image"]),
}
_PLAIN: typing.Final = (
    "boot_index",
    "delete_on_termination",
    "device_name",
    "device_type",
    "disk_bus",
    "volume_size",
    "volume_type",
)
_NO_BOOT: typing.Final = -1


def mapping_v2(
    devices: collections.abc.Iterable[Values],
    image_id: str | None,
    find_id: FindId,
) -> list[dict[str, object]]:
    """Return ``block_device_mapping_v2`` with ids in place of names.

    :param image_id: of the server; it is the first disk then
    """
    found = [_device(each, find_id) for each in devices]
    if found and image_id:
        found.insert(0, _first(image_id))
    return found


def mapping_v1(
    devices: collections.abc.Iterable[Values], find_id: FindId
) -> list[dict[str, object]]:
    """Return ``block_device_mapping``, the older form."""
    return [
        {
            name: find_id(_SOURCES[name][1], str(value))
            if name in _SOURCES
            else value
            for name, value in each.items()
            if value is not None
        }
        for each in devices
    ]


def has_types(devices: collections.abc.Iterable[Values]) -> bool:
    """Whether a volume of a certain type is to be made."""
    return any(each.get("volume_type") for each in devices)


def _first(image_id: str) -> dict[str, object]:
    return {
        "uuid": image_id,
        "source_type": "image",
        "destination_type": "local",
        "boot_index": 0,
        "delete_on_termination": True,
    }


def _device(given: Values, find_id: FindId) -> dict[str, object]:
    created = {
        name: given[name] for name in _PLAIN if given.get(name) is not None
    }
    for name, (source, kind) in _SOURCES.items():
        value = given.get(name)
        if value:
            return {
                "boot_index": 0,
                **created,
                "uuid": find_id(kind, str(value)),
                "source_type": source,
                "destination_type": "volume",
            }
    return _blank(given, created)


def _blank(given: Values, created: dict[str, object]) -> dict[str, object]:
    """Return a disk with nothing on it."""
    created = {
        "boot_index": _NO_BOOT,
        "delete_on_termination": True,
        **created,
    }
    created["source_type"] = "blank"
    swap, ephemeral = given.get("swap_size"), given.get("ephemeral_size")
    if (
        swap is None
        and ephemeral is None
        and not given.get("ephemeral_format")
    ):
        return {**created, "destination_type": "volume"}
    created["destination_type"] = "local"
    if swap is not None:
        return {**created, "volume_size": swap, "guest_format": "swap"}
    if ephemeral is not None:
        created["volume_size"] = ephemeral
    if given.get("ephemeral_format"):
        created["guest_format"] = given["ephemeral_format"]
    return created
