"""Types of resources that make up secrets, or look them up.

No template contains them, so none says that they are hidden.
"""

import collections.abc
import typing

_SECRETS: typing.Final = {
    "AWS::IAM::AccessKey": "SecretAccessKey",
    "OS::Barbican::Secret": "decrypted_payload",
    "OS::Heat::RandomString": "value",
    "OS::Zaqar::SignedQueueURL": "signature",
}
"""The attribute that is the secret itself, by type."""

TYPES: typing.Final = frozenset(_SECRETS)
"""Types whose attributes, and maybe ids, are secrets."""

_MAX_MAPPINGS: typing.Final = 20


def secret_of(
    type_name: str,
    attributes: collections.abc.Mapping[str, object],
    data: collections.abc.Mapping[str, object],
) -> str:
    """Return the secret that a resource has made up, or has looked up.

    The other attributes say what the secret is for: a text of theirs may
    stand anywhere. Empty where there is none (yet).

    :param attributes: those that are read
    :param data: what its plug-in keeps: ``get_resource`` may give the secret,
        too, and then no attribute is read
    """
    name = _SECRETS.get(type_name, "")
    found = attributes.get(name, data.get(name))
    return "" if found is None else str(found)


def resolve_types(registry: object) -> dict[str, str]:
    """Return what types stand for in the end, by their names.

    A mapping that holds for one resource counts for all.

    :param registry: the ``resource_registry`` of an environment
    """
    found = dict(_entries(registry))
    for _ in range(_MAX_MAPPINGS):
        found = {key: found.get(each, each) for key, each in found.items()}
    return found


def _entries(
    section: object,
) -> collections.abc.Iterator[tuple[str, str]]:
    if isinstance(section, collections.abc.Mapping):
        for key, each in section.items():
            if isinstance(each, str):
                yield str(key), each
            else:
                yield from _entries(each)
