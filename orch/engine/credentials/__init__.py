"""Credentials of stacks, from the request that leaves one to its removal.

Without Keystone there are none, and no library that needs much memory is
loaded.
"""

import base64
import collections.abc
import dataclasses
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
    """Return a new key to seal credentials with, as options take it."""
    return base64.urlsafe_b64encode(secrets.token_bytes(_KEY_SIZE)).decode()


class CredentialStore:
    """Stores the credentials of stacks; this one, without Keystone, none."""

    def provide(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        action: states.Action | None,
        acting: collections.abc.Collection[str] = (),
    ) -> str | None:
        """Store a credential for the tree of an operation, and return its id.

        The credential exists then, and belongs to no tree yet: the transaction
        that accepts the operation assigns it
        (:func:`orch.flow.state.submit.accept_operation`). Call it outside of
        transactions.

        Where the caller may not leave one, and no resource needs it, the tree
        has none.

        :param action: ``None`` for an operation that is retried
        :param acting: types of its resources that act in a cloud
        :returns: ``None`` where the tree's credential does not change
        :raises orch.clients.identity.CredentialRefused: the caller may not
            leave one, and the tree needs one that it does not have
        :raises orch.clients.identity.Unreachable: Keystone gives no answer
        :raises orch.project_slots.SlotsTaken: too many requests wait for it
        """
        return None

    def withdraw(self, ctxt: request.RequestContext) -> None:
        """Withdraw the credential of a request that was not accepted.

        A credential that a tree has is not removed; a second call does
        nothing.
        """


class Callers:
    """Connects to the cloud while a caller waits; this one has no cloud.

    :cvar has_cloud: whether there is one
    """

    has_cloud: typing.ClassVar[bool] = False

    def connect_for(
        self, ctxt: request.RequestContext
    ) -> "connection.Connection":
        """Return a connection that uses the token of a request.

        :raises orch.plugin.clouds.NoCloud: there is no cloud, or no token
        """
        raise _no_cloud()

    def connect_as(self, stack_id: ids.StackId) -> "connection.Connection":
        """Return a connection that uses the credential of a stack.

        :raises orch.plugin.clouds.NoCloud: there is no cloud, or no
            credential of the stack
        """
        raise _no_cloud()


def _no_cloud() -> port.NoCloud:
    return port.NoCloud(
        "This needs a cloud, and workers here log in to none: set auth in"
        " [api] to keystone, and deferred_auth_method to another than none."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Parts:
    """The credential parts of a worker; by default those without Keystone.

    :ivar start: starts to remove credentials that no stack needs
    :ivar stop: stops removing them
    """

    credential_store: CredentialStore = dataclasses.field(
        default_factory=CredentialStore
    )
    callers: Callers = dataclasses.field(default_factory=Callers)
    start: collections.abc.Callable[[], None] = lambda: None
    stop: collections.abc.Callable[[], None] = lambda: None


def build(
    conf: cfg.ConfigOpts,
    database: db_engine.Database,
    types: registry.ResourceTypes,
) -> Parts:
    """Build the credential parts, and connect the plug-ins to them.

    :raises orch.errors.OrchError: the options are wrong
    """
    if conf.api.auth != KEYSTONE or conf.deferred_auth_method == NONE:
        return Parts()
    assembly_module = importlib.import_module(
        "orch.engine.credentials.assembly"
    )
    parts: Parts = assembly_module.build(conf, database, types)
    return parts
