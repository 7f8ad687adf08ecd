"""``OS::Swift::Container``."""

import collections.abc
import typing
import urllib.parse

from orch.clients import collection
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.resources.openstack import base
from orch.resources.openstack import wire

if typing.TYPE_CHECKING:
    from keystoneauth1 import adapter

_META: typing.Final = "X-Container-Meta"
_ACCOUNT_META: typing.Final = "X-Account-Meta"
_PURGE: typing.Final = "PurgeOnDelete"
_ACCESS: typing.Final = ("X-Container-Read", "X-Container-Write")
_TOKEN: typing.Final = "x-container-meta-orch-token"  # noqa: S105 - its name
_PAGE: typing.Final = 1000


class NotEmpty(rest.CloudRefused):
    """A container has objects in it, and ``PurgeOnDelete`` is false."""

    code = "orch.cloud.container_not_empty"


class Container(base.OpenStackResource):
    """A container of objects, known by its name.

    Its properties are in headers. The token is metadata of the
    container. Nothing of it is changed in place: another one is made.

    :cvar not_empty_text: why one with objects is not removed
    """

    has_full_lists = False
    not_empty_text: typing.ClassVar[str] = (
        f"Deleting non-empty container ({{}}) when {_PURGE} is False."
    )

    def get_id_scope(
        self,
        account: id_scopes.Account,
        properties: collections.abc.Mapping[str, object],
    ) -> str | None:
        """Return the project: each has containers of its own."""
        return account.project_id

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Make the container, with its metadata and rights.

        :raises orch.clients.rest.CloudRefused: another account has one of that
            name
        """
        properties = context.properties
        name = _name(context)
        found = self._find(context, name)
        if found is not None and found.get(_TOKEN) != context.token:
            raise rest.CloudRefused(f"There is a container {name} already.")
        headers = {_TOKEN: context.token}
        for key, value in wire.to_texts(properties.get(_META)).items():
            headers[f"{_META}-{key}"] = value
        for key in _ACCESS:
            if properties.get(key):
                headers[key] = str(properties[key])
        self._ask(context, "PUT", rest.path_segment(name), headers)
        self.continue_creation(context)
        return name

    def continue_creation(self, context: call_context.Context) -> None:
        """Set the metadata of the account; what is set is set again."""
        account = wire.to_texts(context.properties.get(_ACCOUNT_META))
        if account:
            self._ask(
                context,
                "POST",
                "",
                {
                    f"{_ACCOUNT_META}-{key}": one
                    for key, one in account.items()
                },
            )

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Find the container of that name if it bears the token."""
        name = _name(context)
        found = self._find(context, name)
        is_ours = found is not None and found.get(_TOKEN) == context.token
        return name if is_ours else None

    def find_all(
        self, context: call_context.Context
    ) -> collections.abc.Sequence[call_context.PhysicalId]:
        """Return the one name that it can have, if that bears the token."""
        found = self.find(context)
        return () if found is None else (_name(context),)

    def creates_once(self, context: call_context.Context) -> bool:
        """Answer that it does: a container of that name is written again."""
        return True

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer that it is there at once."""
        return call_context.DONE

    def remove(self, context: call_context.Context) -> None:
        """Remove it, with its objects where it is to be purged.

        :raises NotEmpty: it has objects, and is not to be purged
        """
        path = rest.path_segment(self.id_of(context))
        if context.properties.get(_PURGE):
            while names := self._objects(context, path):
                for name in names:
                    self._remove_object(
                        context, f"{path}/{rest.path_segment(name)}"
                    )
        elif self._objects(context, path):
            raise NotEmpty(self.not_empty_text.format(context.physical_id))
        self._ask(context, "DELETE", path)

    def is_being_deleted(self, body: wire.Body) -> bool:
        """Answer that it is not: it is there or it is gone."""
        return False

    def body(self, context: call_context.Context) -> collection.Body:
        """Return its headers, names in lower case.

        :raises orch.clients.rest.CloudNotFound: there is no such container
        """
        return self._ask(
            context, "HEAD", rest.path_segment(self.id_of(context))
        )

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what the headers tell; of the account, what is given."""
        found: dict[str, object] = {
            "name": context.physical_id,
            _META: {
                key: one
                for key, one in _headed(body, _META).items()
                if f"{_META}-{key}".lower() != _TOKEN
            },
        }
        for key in _ACCESS:
            found[key] = body.get(key.lower())
        given = wire.to_texts(
            wire.to_headers(context.properties.get(_ACCOUNT_META))
        )
        account = self._ask(context, "HEAD", "") if given else {}
        there = _headed(account, _ACCOUNT_META)
        found[_ACCOUNT_META] = {
            key: there[key] for key in given if key in there
        }
        return found

    def all_of_project(
        self, context: call_context.Context
    ) -> collections.abc.Iterator[collection.Body]:
        """Yield all containers of the account, a request a page."""
        marker = ""
        while page := self._page(context, "", marker):
            yield from page
            marker = str(page[-1]["name"])

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return addresses, and what the headers tell."""
        url = urllib.parse.urlsplit(rest.endpoint_of(self._service(context)))
        root = f"{url.scheme}://{url.netloc}{url.path}"
        found: dict[str, object] = {
            "DomainName": url.hostname,
            "RootURL": root,
            "WebsiteURL": f"{root}/{self.id_of(context)}",
        }
        if set(names) - found.keys():
            headers = self.body(context)
            found |= {
                "ObjectCount": int(headers["x-container-object-count"]),
                "BytesUsed": int(headers["x-container-bytes-used"]),
                "HeadContainer": headers,
            }
        return {name: found[name] for name in names if name in found}

    def _find(
        self, context: call_context.Context, name: str
    ) -> collection.Body | None:
        try:
            return self._ask(context, "HEAD", rest.path_segment(name))
        except rest.CloudNotFound:
            return None

    def _objects(self, context: call_context.Context, path: str) -> list[str]:
        """Return the names of a page of objects."""
        return [str(each["name"]) for each in self._page(context, path, "")]

    def _page(
        self, context: call_context.Context, path: str, marker: str
    ) -> list[collection.Body]:
        """Return a page of what is below a path; empty for no more.

        :param marker: the name that came last; empty for the first page
        """
        params = {"format": "json", "limit": str(_PAGE)}
        if marker:
            params["marker"] = marker
        answer = rest.send_request(
            self._service(context),
            "GET",
            f"/{path}" if path else "",
            params=params,
            is_secret=True,
        )
        # An account that has nothing may answer without a body.
        return list(answer.json()) if answer.content else []

    def _remove_object(self, context: call_context.Context, path: str) -> None:
        try:
            self._ask(context, "DELETE", path)
        except rest.CloudNotFound:
            return

    def _ask(
        self,
        context: call_context.Context,
        method: str,
        path: str,
        headers: collections.abc.Mapping[str, str] | None = None,
    ) -> collection.Body:
        """Return the headers of an answer, names in lower case."""
        answer = rest.send_request(
            self._service(context),
            method,
            f"/{path}" if path else "",
            headers=headers,
            is_secret=True,  # containers tell keys
        )
        return {key.lower(): one for key, one in answer.headers.items()}

    def _service(self, context: call_context.Context) -> "adapter.Adapter":
        return self.api_collection(context).service


def _name(context: call_context.Context) -> str:
    return str(context.properties.get("name") or context.physical_name)


def _headed(body: wire.Body, prefix: str) -> dict[str, object]:
    """Return the headers below a prefix, which is left out."""
    start = f"{prefix.lower()}-"
    return {
        key.removeprefix(start): one
        for key, one in body.items()
        if key.startswith(start)
    }
