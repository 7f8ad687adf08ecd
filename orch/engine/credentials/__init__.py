"""Credentials of stacks: from the request that leaves one to its removal.

Without Keystone there are none, and none of what needs much memory is
loaded.
"""

import base64
import collections.abc
import importlib
import secrets
import typing

from oslo_config import cfg

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.model import states
from orch.plugin import clouds as port
from orch.plugin import registry

if typing.TYPE_CHECKING:
    # A worker without a cloud never needs it.
    from openstack import connection

KEYSTONE: typing.Final = "keystone"
NONE: typing.Final = "none"
_KEY_SIZE = 32


def new_key() -> str:
    """Return a new key that credentials are sealed with, for the options."""
    return base64.urlsafe_b64encode(secrets.token_bytes(_KEY_SIZE)).decode()


class CredentialStore(typing.Protocol):
    """What accepts credentials."""

    def provide(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        action: states.Action | None,
        acting: collections.abc.Collection[str] = (),
    ) -> str | None:
        """Return the credential that a tree is to have with an operation.

        It exists then, and belongs to nobody: the transaction that accepts
        the operation gives it to the tree
        (:func:`orch.flow.state.submit.accept_operation`). Call it outside of
        transactions.

        Where the caller may not leave one, and no resource needs it, the
        tree goes on without.

        :param action: ``None`` for one that goes on
        :param acting: types of its resources that act in a cloud
        :returns: ``None``: it keeps what it has
        :raises orch.clients.identity.CredentialRefused: the caller may not
            leave one, and the tree needs one that it does not have
        :raises orch.clients.identity.Unreachable: Keystone gives no answer
        """

    def withdraw(self, ctxt: request.RequestContext) -> None:
        """Let what a request has left be removed: it was not accepted.

        What a tree has got stays; a second call finds nothing to do.
        """


class NoCredentialStore:
    """There is no Keystone, and no stack has a credential."""

    def provide(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        action: states.Action | None,
        acting: collections.abc.Collection[str] = (),
    ) -> str | None:
        """Keep nothing."""
        return None

    def withdraw(self, ctxt: request.RequestContext) -> None:
        """Find nothing that was left."""


class Callers(typing.Protocol):
    """What acts for whoever asks, while they wait for the answer."""

    def connect_for(
        self, ctxt: request.RequestContext
    ) -> "connection.Connection":
        """Return a connection that acts by the token of a request.

        :raises orch.plugin.clouds.NoCloud: there is no cloud, or no token
        """

    def connect_as(self, stack_id: ids.StackId) -> "connection.Connection":
        """Return a connection that acts for a stack.

        :raises orch.plugin.clouds.NoCloud: there is no cloud, or no
            credential of the stack
        """


class NoCallers:
    """There is no cloud."""

    def connect_for(
        self, ctxt: request.RequestContext
    ) -> "connection.Connection":
        """Refuse."""
        raise _no_cloud()

    def connect_as(self, stack_id: ids.StackId) -> "connection.Connection":
        """Refuse."""
        raise _no_cloud()


def _no_cloud() -> port.NoCloud:
    return port.NoCloud(
        "This needs a cloud, and workers here log in to none: set auth in"
        " [api] to keystone, and deferred_auth_method to another than none."
    )


class Parts(typing.Protocol):
    """What a worker has of credentials."""

    @property
    def credential_store(self) -> CredentialStore:
        """What accepts them."""

    @property
    def callers(self) -> Callers:
        """What acts for whoever asks."""

    def start(self) -> None:
        """Remove what nobody needs from now on."""

    def stop(self) -> None:
        """Remove nothing more."""


class NoParts:
    """A worker without Keystone."""

    credential_store: CredentialStore = NoCredentialStore()
    callers: Callers = NoCallers()

    def start(self) -> None:
        """Have nothing to do."""

    def stop(self) -> None:
        """Have nothing to do."""


def build(
    conf: cfg.ConfigOpts,
    database: db_engine.Database,
    types: registry.ResourceTypes,
) -> Parts:
    """Return what keeps credentials, and let the plug-ins log in with them.

    :raises orch.errors.OrchError: the options are wrong
    """
    if conf.api.auth != KEYSTONE or conf.deferred_auth_method == NONE:
        return NoParts()
    assembly_module = importlib.import_module(
        "orch.engine.credentials.assembly"
    )
    parts: Parts = assembly_module.build(conf, database, types)
    return parts
