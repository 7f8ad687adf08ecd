"""``OS::Nova::KeyPair``: a key for the login to servers."""

import collections.abc

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.resources.openstack import base
from orch.resources.openstack import wire

_PRIVATE = "private_key"


class KeyPair(base.OpenStackResource):
    """A key pair; without a public key the service generates both.

    Its name is its id, for one user. Who made one that is lost on the way is
    seen by its public key.
    """

    has_full_lists = False

    def get_id_scope(
        self,
        account: id_scopes.Account,
        properties: collections.abc.Mapping[str, object],
    ) -> str | None:
        """Return the user: each has key pairs of its own.

        That of another user is given by a name or by an id, so it is not
        known here who that is.
        """
        return None if properties.get("user") else account.user_id

    def create_result(
        self, body: wire.Body
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Return its name, and the private key if it is shown."""
        stored = {_PRIVATE: body[_PRIVATE]} if body.get(_PRIVATE) else {}
        return call_context.CreateResult(str(body["name"]), stored)

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Look for the key pair of that name with that public key.

        What has that name after a refusal is of others.

        :raises orch.plugin.call_context.OutcomeUnknown: the service has made
            both keys, so it is not known whose they are
        """
        if not context.is_outcome_unknown:
            return None
        name = str(context.properties["name"])
        try:
            body = self._read(context, name)
        except rest.CloudNotFound:
            return None
        given = context.properties.get("public_key")
        if not given:
            raise call_context.OutcomeUnknown(
                f"there is a key pair {name}, whose private key is unknown"
                " here; remove it by hand and retry"
            )
        if str(body.get("public_key")).strip() != str(given).strip():
            return None
        return name

    def body(self, context: call_context.Context) -> dict[str, object]:
        """Return the key pair as the service shows it."""
        return self._read(context, self.id_of(context))

    def remove(self, context: call_context.Context) -> None:
        """Send the request that removes it."""
        api_collection = self.api_collection(context)
        place = api_collection.place(self.id_of(context))
        api_collection.ask("DELETE", place, None, self._whose(context))

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return its keys; the private one where it was to be kept."""
        found = dict(super().read_attributes(context, names))
        if _PRIVATE in names:
            ignores_removal = context.properties.get("save_private_key")
            stored = context.data.get(_PRIVATE) if ignores_removal else None
            found[_PRIVATE] = stored or ""
        return found

    def _read(
        self, context: call_context.Context, name: str
    ) -> dict[str, object]:
        api_collection = self.api_collection(context)
        found = api_collection.ask(
            "GET", api_collection.place(name), None, self._whose(context)
        )
        return dict(found[self.table.key])

    def _whose(self, context: call_context.Context) -> dict[str, str]:
        user = context.properties.get("user")
        if not user:
            return {}
        cloud = self.cloud(context)
        return {
            "user_id": lookup.find_id(
                cloud, lookup.KINDS["keystone.user"], str(user)
            )
        }
