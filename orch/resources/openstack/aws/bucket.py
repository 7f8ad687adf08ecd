"""``AWS::S3::Bucket``: a container of Swift."""

import collections.abc
import dataclasses
import typing

from orch.plugin import call_context
from orch.resources.openstack import wire
from orch.resources.openstack.aws import tags
from orch.resources.openstack.swift import container

_TAGS: typing.Final = "Tags"
_SITE: typing.Final = "WebsiteConfiguration"
_ACCESS: typing.Final = "AccessControl"
_META: typing.Final = "X-Container-Meta"
_READ: typing.Final = "X-Container-Read"
_WRITE: typing.Final = "X-Container-Write"
_TAG: typing.Final = "s3-tag-"
_PAGES: typing.Final = {
    "IndexDocument": "web-index",
    "ErrorDocument": "web-error",
}
_EVERYONE: typing.Final = ".r:*"
_USERS: typing.Final = "*:*"
"""Users of all projects: Swift lets none without a token write."""
_PUBLIC: typing.Final = {
    "PublicRead": (_EVERYONE, None),
    "PublicReadWrite": (_EVERYONE, _USERS),
}

Values = collections.abc.Mapping[str, object]


class Bucket(container.Container):
    """A container of objects. Its tags are metadata.

    Who may read or write it beside the project is an access control list.
    """

    not_empty_text = "The bucket {} is not empty; remove its objects first."

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Create the container, with its metadata and rights.

        :raises orch.clients.rest.CloudRefused: another account has one of that
            name
        """
        native = _native_properties(context)
        return super().create(dataclasses.replace(context, properties=native))

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what the headers tell."""
        live = super().reality_of(context, body)
        meta = wire.to_headers(live[_META])
        assert isinstance(meta, dict)
        pages = {
            name: meta[key] for name, key in _PAGES.items() if key in meta
        }
        return {
            _TAGS: tags.from_map(
                {
                    key.removeprefix(_TAG): value
                    for key, value in meta.items()
                    if key.startswith(_TAG)
                }
            ),
            _SITE: pages or None,
            _ACCESS: _find_access(context, live.get(_READ), live.get(_WRITE)),
        }

    def normalise(self, name: str, value: object) -> object:
        """Return a property's value in the form that like is compared in."""
        if name == _TAGS:
            return wire.to_headers(tags.to_map(value))
        return super().normalise(name, value)


def _native_properties(context: call_context.Context) -> dict[str, object]:
    """Return properties as those of ``OS::Swift::Container``."""
    given = context.properties
    site = given.get(_SITE)
    pages = wire.to_mapping(site)
    read, write = _access_lists(context, given.get(_ACCESS))
    return {
        _META: {
            **{
                f"{_TAG}{key}": value
                for key, value in tags.to_map(given.get(_TAGS)).items()
            },
            **{
                key: pages[name]
                for name, key in _PAGES.items()
                if pages.get(name)
            },
        },
        _READ: read,
        _WRITE: write,
    }


def _access_lists(
    context: call_context.Context, access: object
) -> tuple[str | None, str | None]:
    """Return who may read and write; ``None`` for the project's operators."""
    if access == "AuthenticatedRead":
        return f"{context.stack_project}:*", None
    return _PUBLIC.get(str(access), (None, None))


def _find_access(
    context: call_context.Context, read: object, write: object
) -> str | None:
    """Return what access control lists mean; as it is given if it may be."""
    given = context.properties.get(_ACCESS)
    for each in (given, "AuthenticatedRead", *_PUBLIC, "Private"):
        if _access_lists(context, each) == (read or None, write or None):
            return None if each is None else str(each)
    return f"read {read}, write {write}"
