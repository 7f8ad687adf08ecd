"""``OS::Trove::Instance``: a server with a database system.

API reference: https://docs.openstack.org/api-ref/database/
"""

import collections.abc
import typing

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import sized_base
from orch.resources.openstack import wire
from orch.resources.openstack.trove import networks

_FLAVOR: typing.Final = "flavor"
_SIZE: typing.Final = "size"
_DATABASES: typing.Final = "databases"
_USERS: typing.Final = "users"
_PASSWORD: typing.Final = "password"  # noqa: S105 - where, not what
_OF_SOURCE: typing.Final = ("volume", "datastore", _DATABASES, _USERS)
"""What the service takes for a replica from the instance that it is of."""
_CHANGING: typing.Final = "changing"
"""Where the data hold the flavor and size that an update is to bring about."""
_ANY_HOST: typing.Final = "%"
_LEAVING: typing.Final = "SHUTDOWN"

Values = collections.abc.Mapping[str, object]
Names = collections.abc.Collection[str]


class Instance(sized_base.SizedResource):
    """An instance, with databases and their users."""

    def validate(self, properties: Values) -> None:
        """Refuse users of databases that there are none of."""
        super().validate(properties)
        networks.validate_networks(properties.get("networks"))
        if not properties.keys() >= {_DATABASES, _USERS}:
            return
        databases = wire.to_maps(properties[_DATABASES])
        users = wire.to_maps(properties[_USERS])
        if users and not databases:
            raise errors.Invalid(
                "Databases property is required if users property is provided."
            )
        names = {each.get("name") for each in databases}
        for user in users:
            missing = set(wire.to_list(user.get(_DATABASES))) - names
            if missing and None not in names:
                raise errors.Invalid(
                    f"Database {sorted(missing)} specified for user does not"
                    " exist in databases."
                )

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request; a replica is as the instance that it is of."""
        body = super().body_of_properties(context)
        if context.properties.get("replica_of"):
            return {k: body[k] for k in body if k not in _OF_SOURCE}
        users = wire.to_maps(context.properties.get(_USERS))
        return {
            **body,
            "flavorRef": self._flavor_id(context),
            _USERS: list(map(_to_native, users)),
        }

    def _flavor_id(self, context: call_context.Context) -> str:
        field, given = self.fields[_FLAVOR], context.properties[_FLAVOR]
        return str(self.translated(self.cloud(context), field, given))

    def body_to_update(
        self, context: call_context.Context, before: Values, changed: Names
    ) -> dict[str, object]:
        """Return the request that renames it: others are no part of it."""
        return super().body_to_update(
            context, before, [name for name in changed if name == "name"]
        )

    def update(
        self, context: call_context.Context, before: Values, changed: Names
    ) -> call_context.CreateResult:
        """Change its name, databases and users; then see is_updated.

        :raises orch.errors.Busy: another change of it is under way
        """
        pending = self.check_status(self.body(context))
        if pending is not None:
            raise errors.Busy(f"the instance is in state {pending.note}")
        super().update(context, before, changed)
        if _DATABASES in changed:
            self._change_databases(context)
        if _USERS in changed:
            self._change_users(context, before)
        changing: dict[str, object] = {}
        if _FLAVOR in changed:
            changing[_FLAVOR] = self._flavor_id(context)
        if _SIZE in changed:
            changing[_SIZE] = context.properties[_SIZE]
        data = {**context.data, _CHANGING: changing}
        return call_context.CreateResult(self.id_of(context), data)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Change its flavor, then its size, where the update changes them."""
        body = self.body(context)
        pending = self.check_status(body)
        if pending is not None:
            return pending
        desired = wire.to_mapping(context.data.get(_CHANGING))
        flavor, size = desired.get(_FLAVOR), desired.get(_SIZE)
        if flavor and flavor != wire.find_value(
            body, self.fields[_FLAVOR].key
        ):
            self._resize(context, {"flavorRef": flavor})
            return call_context.Pending(note="its flavor is changed")
        held = wire.find_value(body, self.fields[_SIZE].key)
        if size and held is not None and int(str(held)) < int(str(size)):
            self._resize(context, {"volume": {"size": size}})
            return call_context.Pending(note="its volume is extended")
        return call_context.DONE

    def _resize(self, context: call_context.Context, body: Values) -> None:
        place = self._place(context, "action")
        self.api_collection(context).ask("POST", place, {"resize": body})

    def _place(self, context: call_context.Context, *parts: str) -> str:
        """Return the path of what belongs to it."""
        place = self.api_collection(context).place(self.id_of(context))
        return "/".join((place, *map(rest.path_segment, parts)))

    def _list(self, context: call_context.Context, kind: str) -> list[Values]:
        """Return its databases or users."""
        calls = self.api_collection(context)
        answer = calls.ask("GET", self._place(context, kind))
        return list(wire.to_maps(answer.get(kind)))

    def _change_databases(self, context: call_context.Context) -> None:
        """Create the databases that are missing, and remove the others."""
        calls = self.api_collection(context)
        desired = {
            str(each["name"]): each
            for each in wire.to_maps(context.properties.get(_DATABASES))
        }
        there = {str(each["name"]) for each in self._list(context, _DATABASES)}
        missing = [desired[name] for name in sorted(desired.keys() - there)]
        if missing:
            path = self._place(context, _DATABASES)
            calls.ask("POST", path, {_DATABASES: missing})
        for name in sorted(there - desired.keys()):
            calls.discard(self._place(context, _DATABASES, name))

    def _change_users(
        self, context: call_context.Context, before: Values
    ) -> None:
        """Remove the users that are not given, and create what is missing.

        The service shows no password: the former one is compared.
        """
        calls = self.api_collection(context)
        desired, former = (
            {_user_id(each): each for each in wire.to_maps(given.get(_USERS))}
            for given in (context.properties, before)
        )
        there = {_user_id(each): each for each in self._list(context, _USERS)}
        for name in sorted(there.keys() - desired.keys()):
            calls.discard(self._place(context, _USERS, name))
        missing = [
            _to_native(desired[name])
            for name in sorted(desired.keys() - there.keys())
        ]
        if missing:
            path = self._place(context, _USERS)
            calls.ask("POST", path, {_USERS: missing})
        for name in sorted(desired.keys() & there.keys()):
            given = desired[name][_PASSWORD]
            if former.get(name, {}).get(_PASSWORD) != given:
                path = self._place(context, _USERS, name)
                calls.ask("PUT", path, {"user": {_PASSWORD: given}})
            self._change_access(context, name, desired[name], there[name])

    def _change_access(
        self,
        context: call_context.Context,
        name: str,
        desired: wire.Body,
        there: wire.Body,
    ) -> None:
        """Grant a user the databases that are given, and no others."""
        calls = self.api_collection(context)
        given = set(map(str, wire.to_list(desired.get(_DATABASES))))
        held = {
            str(each["name"]) for each in wire.to_maps(there.get(_DATABASES))
        }
        granted = [{"name": each} for each in sorted(given - held)]
        if granted:
            path = self._place(context, _USERS, name, _DATABASES)
            calls.ask("PUT", path, {_DATABASES: granted})
        for each in sorted(held - given):
            calls.discard(self._place(context, _USERS, name, _DATABASES, each))

    def is_being_deleted(self, body: wire.Body) -> bool:
        """Whether its service is about to remove it already."""
        return body.get("status") == _LEAVING

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties; databases if any are given.

        Of a database the service reports the name alone.
        """
        found = super().reality_of(context, body)
        given = {
            each["name"]: each
            for each in wire.to_maps(context.properties.get(_DATABASES))
        }
        if given:
            found[_DATABASES] = [
                given.get(each["name"], {"name": each["name"]})
                for each in self._list(context, _DATABASES)
            ]
        return found

    def read_attributes(
        self, context: call_context.Context, names: Names
    ) -> Values:
        """Return its host name and its address in the service."""
        body = self.body(context)
        links = wire.to_maps(body.get("links"))
        hrefs = [each["href"] for each in links if each["rel"] == "self"]
        found = {
            "hostname": body.get("hostname"),
            "href": next(iter(hrefs), None),
        }
        return {name: found[name] for name in names}


def _user_id(user: wire.Body) -> str:
    """Return what the service knows a user by."""
    host = user.get("host") or _ANY_HOST
    return str(user["name"]) + ("" if host == _ANY_HOST else f"@{host}")


def _to_native(user: wire.Body) -> dict[str, object]:
    """Return a user as the service takes it."""
    databases = wire.to_list(user.get(_DATABASES))
    found = {key: value for key, value in user.items() if value is not None}
    return {**found, _DATABASES: [{"name": each} for each in databases]}
