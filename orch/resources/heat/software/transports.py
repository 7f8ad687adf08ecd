"""The transports by which a server reports a deployment's result.

``CFN_SIGNAL`` is an address of Orch, ``TEMP_URL_SIGNAL`` one of the object
store, which the watch of the deployment looks into. With ``HEAT_SIGNAL`` the
server logs in, as a user that the deployment has in Keystone, and asks the API
that the catalogue leads to.
"""

import abc
import collections.abc
import typing

from orch import errors
from orch import json_depth
from orch.clients import object_store
from orch.plugin import addresses
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import software
from orch.plugin import stack_users
from orch.resources.heat import durable_timeout
from orch.resources.heat import swift_signal_handle
from orch.resources.heat.software import derived
from orch.resources.heat.software import outcome

Values = collections.abc.Mapping[str, object]

TEMP_URL_SIGNAL: typing.Final = "TEMP_URL_SIGNAL"

_PROPERTY: typing.Final = "signal_transport"
_UNSERVED: typing.Final = {
    "ZAQAR_SIGNAL": "needs a message queue service",
}


class NotNotified(errors.Permanent):
    """A server stored an object that reports no deployment's result."""

    code = "orch.software.not_notified"


def check_transport(properties: Values) -> None:
    """Return only if the way that is chosen is served.

    :raises orch.errors.Invalid: it needs a service that we do not use
    """
    chosen = str(properties.get(_PROPERTY))
    if chosen in _UNSERVED:
        raise errors.property_error(
            _PROPERTY,
            f"{chosen} {_UNSERVED[chosen]}, which this"
            " installation does not use; take CFN_SIGNAL, HEAT_SIGNAL,"
            " TEMP_URL_SIGNAL or NO_SIGNAL",
        )


class SignallingResource(
    clouds.CloudResource, stack_users.HasStackUser, abc.ABC
):
    """Base of the types whose results servers report."""

    always_reaches = False

    def given_address(self, context: call_context.Context) -> str | None:
        """Return where the server tells how it went, without any login."""
        is_ours = context.properties.get(_PROPERTY) == derived.CFN_SIGNAL
        if context.physical_id is None or not is_ours:
            return None
        return addresses.Addresses(self.conf).signal(context)

    def has_user(self, context: call_context.Context) -> bool:
        """Whether the server logs in to tell."""
        return context.properties.get(_PROPERTY) == derived.HEAT_SIGNAL

    def holds(
        self, physical_name: str, data: Values
    ) -> collections.abc.Collection[str]:
        """Return the container that the server may write to."""
        return [swift_signal_handle.container_name(physical_name)]

    def _check_transport(self, properties: Values) -> None:
        """Return only if servers can tell in the way that is chosen.

        :raises orch.errors.Invalid: it needs what this installation has not
        """
        check_transport(properties)
        chosen = properties.get(_PROPERTY)
        if chosen == derived.HEAT_SIGNAL and not self.has_stack_users:
            raise errors.property_error(
                _PROPERTY,
                f"{chosen} needs users of stacks, which this"
                f" installation does not make: {stack_users.SERVED_BY}; or"
                " take CFN_SIGNAL, TEMP_URL_SIGNAL or NO_SIGNAL",
            )

    def _signal(
        self, context: call_context.Context, config_id: str
    ) -> derived.Signal:
        """Return how the server is to tell of a config; make what it needs.

        :raises orch.errors.OrchError: that cannot be made
        """
        transport = str(context.properties[_PROPERTY])
        if transport == derived.NO_SIGNAL:
            return derived.Signal(transport=transport)
        if transport == derived.HEAT_SIGNAL:
            return derived.Signal(
                transport=transport, login=self._login(context)
            )
        if transport != TEMP_URL_SIGNAL:
            address = addresses.Addresses(self.conf).signal(context)
            return derived.Signal(transport=transport, address=address)
        store = object_store.ObjectStore(self.cloud(context))
        container = swift_signal_handle.build_container_name(context)
        store.make_container(container, is_versioned=False)
        return derived.Signal(
            transport=transport,
            address=store.address_for_writing(container, config_id),
            verb="PUT",
        )

    @abc.abstractmethod
    def _handed_inputs(self, context: call_context.Context) -> Values:
        """Return the inputs of what was handed over last, by name."""

    def _login(self, context: call_context.Context) -> dict[str, str]:
        """Return how the server logs in: by one password in all actions.

        It is never changed: see :meth:`orch.plugin.stack_users.Users.make`.
        """
        known = self._known_password(context)
        if known is None and self.stack_users.has(context.token):
            # An attempt has made it whose password is lost.
            self.stack_users.remove(context.token)
        password = known or stack_users.new_password()
        login = self.stack_users.make(
            context.token,
            f"Signals for {context.name} of the stack {context.stack_id}",
            password,
            is_known=known is not None,
        )
        return {
            "deploy_auth_url": login.auth_url,
            "deploy_username": login.username,
            "deploy_user_id": login.user_id,
            "deploy_password": password,
            "deploy_project_id": login.project_id,
            "deploy_region_name": login.region_name,
        }

    def _known_password(self, context: call_context.Context) -> str | None:
        """Return the password that the server was told before, if any."""
        handed = self._handed_inputs(context)
        if handed.get("deploy_username") != context.token:
            return None
        return str(handed.get("deploy_password") or "") or None

    def _describe(
        self, context: call_context.Context, found: software.Deployment
    ) -> Values | None:
        """Return what the server tells of a config; ``None`` for nothing.

        :raises NotNotified: what it tells makes no sense
        """
        if software.count_signals(context.signals) > found.signal_count:
            return outcome.last_signal_details(context.signals)
        if not self._is_polled(context):
            return None
        store = object_store.ObjectStore(self.cloud(context))
        container = swift_signal_handle.build_container_name(context)
        try:
            content = store.read(container, found.config_id)
        except object_store.TooLarge as error:
            raise NotNotified(error.message) from error
        return None if content is None else _parsed(content)

    def _pending(self, context: call_context.Context) -> call_context.Pending:
        """Return that the server has yet to tell."""
        after_s = None
        if self._is_polled(context):
            after_s = durable_timeout.pause_s(
                context.started_at, self.clock.now()
            )
        return call_context.Pending(
            after_s=after_s,
            note="waits for a signal of the server",
            awaits_signal=True,
        )

    def _forget(self, context: call_context.Context) -> None:
        """Remove what was made for the server to tell by."""
        if self._is_polled(context):
            store = object_store.ObjectStore(self.cloud(context))
            store.delete_container(
                swift_signal_handle.build_container_name(context)
            )
        if self.has_user(context):
            self.stack_users.remove(context.token)

    def _is_polled(self, context: call_context.Context) -> bool:
        return context.properties.get(_PROPERTY) == TEMP_URL_SIGNAL


def _parsed(content: bytes) -> Values:
    """Return what a server wrote; nothing at all is an empty map.

    :raises NotNotified: it is no JSON object
    """
    if not content.strip():
        return {}
    try:
        found = json_depth.parse_json(content)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise NotNotified(
            "the server wrote something to its address that is no JSON object"
        )
    return found
