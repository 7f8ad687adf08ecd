"""Build requests from properties: paths, placeholders, headers.

Values that are known only at run time may be absent, so everything here has
a default of its own.
"""

import collections.abc
import dataclasses
import typing
import urllib.parse

from orch import errors
from orch.clients import header_names
from orch.plugin import call_context
from orch.plugin import schema
from orch.resources.http import allowed_urls
from orch.resources.http import body_pointers
from orch.resources.http import certificates
from orch.resources.http import client
from orch.resources.http import pointer
from orch.resources.http import schemas

Map = collections.abc.Mapping[str, object]

_IN_CREATE: typing.Final = ("{token}", "{name}")


@dataclasses.dataclass(frozen=True, slots=True)
class Names:
    """The values of the placeholders; ``id`` is empty before creation."""

    token: str
    name: str
    id: str = ""

    def fill(self, value: object) -> object:
        """Return a JSON value with the placeholders in its texts replaced."""
        if isinstance(value, str):
            return self.fill_text(value)
        if isinstance(value, list | tuple):
            return [self.fill(each) for each in value]
        if isinstance(value, collections.abc.Mapping):
            return {key: self.fill(each) for key, each in value.items()}
        return value

    def fill_text(self, text: str, *, is_path: bool = False) -> str:
        """Return a text with the placeholders replaced.

        :param is_path: so that no value can add steps to a path
        """
        for name, value in (
            ("{token}", self.token),
            ("{name}", self.name),
            ("{id}", self.id),
        ):
            if name in text:
                inserted = (
                    urllib.parse.quote(value, safe="") if is_path else value
                )
                text = text.replace(name, inserted)
        return text


def names_of(context: call_context.Context) -> Names:
    """Return the placeholders of a resource."""
    return Names(
        context.token, context.physical_name, context.physical_id or ""
    )


class Calls:
    """The requests of one resource."""

    def __init__(self, properties: Map) -> None:
        """Look at these properties."""
        self._properties = properties

    def part(self, declared: schema.Property) -> Map | None:
        """Return one of the maps of properties, its defaults filled in."""
        given = self._properties.get(declared.name)
        if not isinstance(given, collections.abc.Mapping):
            return None
        defaults = {each.name: each.default for each in declared.fields}
        known = {
            key: value for key, value in given.items() if value is not None
        }
        return {**defaults, **known}

    def build(self, declared: schema.Property, names: Names) -> client.Request:
        """Return the request that one of the maps describes."""
        part = self.part(declared)
        if part is None:
            part = {each.name: each.default for each in declared.fields}
        headers = {
            **_texts(self._properties.get("headers")),
            **_texts(part.get("headers")),
        }
        header_names.check_names(headers, "headers")
        return client.Request(
            method=str(part.get("method") or "GET"),
            url=self._url(self._path(declared, part), names),
            headers={
                key: names.fill_text(value) for key, value in headers.items()
            },
            body=names.fill(part.get("body")),
            statuses=typing.cast("list[int]", part.get("statuses") or ()),
            errors=self._errors(),
            trust=self.trust(),
        )

    def build_list(self, names: Names) -> client.Request:
        """Return the request of the list that the resource is in.

        It has the headers of read, so that it shows what those may see. No
        cache on the way may answer it.
        """
        read = self.build(schemas.READ, names)
        given = {name.lower() for name in read.headers}
        path = (self.part(schemas.LIST) or {}).get("path")
        return dataclasses.replace(
            read,
            method="GET",
            url=self._url(
                self._collection_path() if path is None else str(path), names
            ),
            headers=read.headers
            if "cache-control" in given
            else {**read.headers, "Cache-Control": "no-cache"},
        )

    def _path(self, declared: schema.Property, part: Map) -> str:
        """Return the path of a request; that of the resource by default."""
        path = part.get("path")
        if path is None and declared is schemas.READY:
            path = (self.part(schemas.READ) or {}).get("path")
        if path is not None:
            return str(path)
        create = self.part(schemas.CREATE) or {}
        made_at = str(create.get("path") or "")
        if create.get("id") and any(each in made_at for each in _IN_CREATE):
            # The path of create names the resource itself already.
            return made_at
        return f"{made_at.rstrip('/')}/{{id}}"

    def _url(self, path: str, names: Names) -> str:
        """Return the whole URL of a path."""
        base = str(self._properties.get("url", ""))
        filled = names.fill_text(path, is_path=True)
        if not filled:
            return base
        if filled.startswith("?"):
            return f"{base}{filled}"
        return f"{base.rstrip('/')}/{filled.lstrip('/')}"

    def collection_url(self) -> str:
        """Return the URL below which the service makes it, normalised.

        :raises orch.errors.OrchError: it is no URL of a service
        """
        path = self._collection_path()
        return allowed_urls.normalise(self._url(path, Names("", "")))

    def _collection_path(self) -> str:
        part = self.part(schemas.CREATE) or {}
        path, brace, _ = str(part.get("path") or "").partition("{")
        # The step with the placeholder is the resource itself.
        return path.rpartition("/")[0] if brace else path

    def check(self, allowed: collections.abc.Sequence[str]) -> None:
        """Return only if requests can be made of the properties.

        :param allowed: base URLs that the operator allows
        :raises orch.errors.OrchError: what is wrong
        """
        if "url" not in self._properties:
            return
        names = Names("token", "name", "id")
        allowed_urls.check_url(str(self._properties["url"]), ())
        for declared in _REQUESTS:
            part = self.part(declared)
            if part is not None:
                request = self.build(declared, names)
                allowed_urls.check_url(request.url, allowed)
                _check_pointers(declared.name, part)
        listed = self.part(schemas.LIST)
        if listed is not None:
            request = self.build_list(names)
            allowed_urls.check_url(request.url, allowed)
            _check_pointers(schemas.LIST.name, listed)
        self._check_placeholders()
        body_pointers.check_pointers(self._properties)

    def _check_placeholders(self) -> None:
        create = self.part(schemas.CREATE)
        if create is not None and "{id}" in str(create["path"]):
            raise errors.property_error(
                "create.path", "holds {id}, which is not known yet"
            )
        find = self.part(schemas.FIND)
        if find is not None and "{token}" not in str(find["path"]):
            raise errors.property_error("find.path", "needs {token} in it")
        if create is not None and create.get("id"):
            text = str(create["id"])
            if not any(each in text for each in _IN_CREATE):
                raise errors.property_error(
                    "create.id", "needs {token} or {name} in it"
                )

    def _errors(self) -> client.ErrorStatuses:
        part = self.part(schemas.ERROR_STATUSES)
        if part is None:
            return client.ErrorStatuses()
        known = typing.cast("dict[str, list[int]]", part)
        return client.ErrorStatuses(
            passing=known["passing"],
            busy=known["busy"],
            quota=known["quota"],
        )

    def trust(self) -> certificates.Trust:
        """Return how the certificate of the service is checked."""
        tls = self.part(schemas.TLS)
        if tls is None:
            return certificates.DEFAULT_TRUST
        return certificates.Trust(
            verify=bool(tls["verify"]),
            ca_cert=str(tls.get("ca_cert") or ""),
            ca_file=str(tls.get("ca_file") or ""),
        )


_REQUESTS: typing.Final = (
    schemas.CREATE,
    schemas.READ,
    schemas.UPDATE,
    schemas.DELETE,
    schemas.FIND,
    schemas.READY,
    schemas.SUSPEND,
    schemas.RESUME,
)


def _check_pointers(name: str, part: Map) -> None:
    for key in ("id_pointer", "next_pointer", "pointer"):
        value = part.get(key)
        if isinstance(value, str) and not pointer.is_valid(value):
            raise pointer.no_pointer_error(f"{name}.{key}", value)


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, collections.abc.Mapping):
        return {}
    for name, each in value.items():
        if isinstance(each, collections.abc.Mapping | list):
            raise errors.property_error(
                "headers", f"need a text as value of {name}"
            )
    return {str(name): str(each) for name, each in value.items()}
