"""Store the credential that a caller leaves with a request.

The row is stored before Keystone is called: what a worker leaves behind when
it dies in between is found by the row's id, and removed.
"""

import collections.abc
import dataclasses
import typing

from keystoneauth1 import plugin
from oslo_log import log

from orch import clock
from orch import errors
from orch import ids
from orch.clients import identity
from orch.context import deadline
from orch.context import outside
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import credentials
from orch.db.repositories import stacks
from orch.engine import credentials as credential_parts
from orch.engine.credentials import cipher as vaults
from orch.model import credential
from orch.model import stack
from orch.model import states

LOG = log.getLogger(__name__)

_READ_ONLY = frozenset({states.Action.CHECK})
_TRUST = credential.Method.TRUST


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of credentials; see groups ``[DEFAULT]`` and ``[credentials]``.

    :ivar roles: those that stacks get at most; empty for all of the caller
    :ivar unrestricted: application credentials may create others
    """

    method: credential.Method
    roles: frozenset[str] = frozenset()
    unrestricted: bool = False


class StoredCredentials(credential_parts.CredentialStore):
    """The credential store with Keystone; it also logs in and revokes."""

    def __init__(
        self,
        database: db_engine.Database,
        keystone: identity.Keystone,
        vault: vaults.Cipher,
        settings: Settings,
    ) -> None:
        """Store credentials in the database, sealed."""
        self._database = database
        self._keystone = keystone
        self._vault = vault
        self._settings = settings

    def provide(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        action: states.Action | None,
        acting: collections.abc.Collection[str] = (),
    ) -> str | None:
        """Store a credential for the tree of an operation, and return its id.

        The tree's credential does not change as long as the same user calls
        and it still logs in; a check replaces nothing. Where the caller may
        not leave one, and no resource needs it, the tree has none.

        :param action: ``None`` for an operation that is retried
        :param acting: types of its resources that act in a cloud
        :returns: ``None`` where the tree's credential does not change
        :raises orch.clients.identity.CredentialRefused: the caller may not
            leave one, and the tree needs one that it does not have
        :raises orch.clients.identity.Unreachable: Keystone gives no answer
        :raises orch.project_slots.SlotsTaken: too many requests wait for it
        """
        if not (ctxt.auth_token and ctxt.user_id and ctxt.project_id):
            return None
        stack, held = self._find(ids.StackId(stack_id))
        if stack is None and action not in states.BEGINNING:
            return None
        if stack is not None and (
            stack.project_id != ctxt.project_id or stack.deleted_at is not None
        ):
            return None
        if held is not None and action in _READ_ONLY:
            return None
        root_id = ids.StackId(stack_id) if stack is None else stack.root_id
        with outside.awaited().slot():
            ctxt.left = self._renewed(ctxt, root_id, held, acting)
        return ctxt.left

    def withdraw(self, ctxt: request.RequestContext) -> None:
        """Withdraw the credential of a request that was not accepted.

        If the database fails it is removed later, as unused.
        """
        left, ctxt.left = ctxt.left, None
        if left is None:
            return
        try:
            with deadline.lifted():
                self._database.run(
                    lambda connection: credentials.withdraw(connection, left)
                )
        except errors.OrchError as error:
            LOG.warning("the credential %s is removed later: %s", left, error)

    def _renewed(
        self,
        ctxt: request.RequestContext,
        root_id: ids.StackId,
        held: credential.Credential | None,
        acting: collections.abc.Collection[str],
    ) -> str | None:
        """Return the new credential of a tree, or ``None`` for no change."""
        if held is not None and self._is_current(held, ctxt.user_id or ""):
            return None
        try:
            return self._take(self._giver(ctxt), root_id)
        except identity.CredentialRefused as error:
            lent = self._keystone.find_lent(ctxt.trust)
            if lent is not None:
                return self._borrow(self._giver(ctxt), root_id, lent)
            if held is None and acting:
                raise identity.CredentialRefused(
                    f"{error.message} These types of the template act in the"
                    f" cloud, and need one: {', '.join(acting)[:500]}."
                    " Once it is created or updated by a login with a"
                    " password, the stack has one, which requests of any"
                    " login use from then on: those with EC2 keys too."
                ) from error
            LOG.info("stack %s gets no new credential: %s", root_id, error)
            return None

    def login(self, held: credential.Credential) -> plugin.BaseAuthPlugin:
        """Return the Keystone plug-in that logs in with a credential.

        :raises orch.engine.credentials.cipher.Unreadable: it is sealed with
            another key
        """
        secret = self._vault.open(held.sealed)
        if held.method is _TRUST:
            return self._keystone.trust_login(secret["trust_id"])
        return self._keystone.application_login(secret)

    def revoke(self, held: credential.Credential) -> None:
        """Remove a credential from Keystone; one that is gone is no error.

        :raises orch.errors.OrchError: it could not be removed
        """
        if held.method is not _TRUST:
            self._keystone.revoke_application(self._vault.open(held.sealed))
            return
        secret: identity.Secret | None
        if held.sealed:
            secret = self._vault.open(held.sealed)
        else:
            secret = self._keystone.find_trust(held.id, held.user_id)
        if secret is not None and identity.LENT not in secret:
            self._keystone.revoke_trust(secret)

    def _find(
        self, stack_id: ids.StackId
    ) -> tuple[stack.Stack | None, credential.Credential | None]:
        def work(
            connection: db_engine.Connection,
        ) -> tuple[stack.Stack | None, credential.Credential | None]:
            return (
                stacks.find(connection, stack_id),
                credentials.find_active(connection, stack_id),
            )

        return self._database.query(work)

    def _is_current(self, held: credential.Credential, user_id: str) -> bool:
        """Whether a request of this user leaves the credential as it is."""
        if held.user_id != user_id or held.method is not self._settings.method:
            return False
        try:
            login = self.login(held)
        except vaults.Unreadable as error:
            LOG.warning("stack %s gets another login: %s", held.root_id, error)
            return False
        return self._keystone.is_good(login)

    def _giver(self, ctxt: request.RequestContext) -> identity.Grantor:
        """Return the caller as grantor, with the roles that a stack gets.

        :raises orch.clients.identity.CredentialRefused: it would get none
        """
        own = typing.cast(collections.abc.Sequence[str], ctxt.roles)
        allowed = self._settings.roles
        roles = [each for each in own if not allowed or each in allowed]
        if not roles:
            raise identity.CredentialRefused(
                "You have none of the roles that stacks need here:"
                f" {', '.join(sorted(allowed))}."
            )
        return identity.Grantor(
            token=typing.cast(str, ctxt.auth_token),
            user_id=typing.cast(str, ctxt.user_id),
            project_id=typing.cast(str, ctxt.project_id),
            roles=tuple(roles),
        )

    def _take(self, giver: identity.Grantor, root_id: ids.StackId) -> str:
        """Create a credential of the grantor and return its id."""
        mark = ids.new()
        secret: identity.Secret = {}
        if self._settings.method is not _TRUST:
            secret = identity.new_application(mark, giver.user_id)
        self._insert(giver, root_id, mark, secret)
        try:
            if self._settings.method is _TRUST:
                secret = self._keystone.create_trust(giver, mark)
            else:
                self._keystone.create_application(
                    giver, secret, unrestricted=self._settings.unrestricted
                )
        except identity.CredentialRefused:
            self._database.run(
                lambda connection: credentials.forget(connection, mark)
            )
            raise
        self._save_secret(mark, secret)
        return mark

    def _borrow(
        self,
        giver: identity.Grantor,
        root_id: ids.StackId,
        lent: identity.Secret,
    ) -> str:
        """Use the trust of another installation, and return its id here.

        Keystone does not create a trust for a token of a trust. The stack
        belongs to a stack there, which has the trust for as long as it needs
        this one.
        """
        mark = ids.new()
        self._insert(giver, root_id, mark, lent, _TRUST)
        return mark

    def _save_secret(self, mark: str, secret: identity.Secret) -> None:
        """Store the secret of a credential; revoke it if it came too late.

        :raises orch.clients.identity.Unreachable: it came too late
        """
        sealed = self._vault.seal(secret)
        if self._database.run(
            lambda connection: credentials.update(
                connection, mark, sealed=sealed
            )
        ):
            return
        if self._settings.method is _TRUST:
            self._keystone.revoke_trust(secret)
        else:
            self._keystone.revoke_application(secret)
        raise identity.Unreachable(
            "Keystone took too long to let a stack have a credential."
        )

    def _insert(
        self,
        giver: identity.Grantor,
        root_id: ids.StackId,
        mark: str,
        secret: identity.Secret,
        method: credential.Method | None = None,
    ) -> None:
        row = credential.Credential(
            id=mark,
            root_id=root_id,
            project_id=giver.project_id,
            user_id=giver.user_id,
            method=method or self._settings.method,
            sealed=self._vault.seal(secret) if secret else "",
            created_at=clock.Timestamp(0),
            due_at=clock.Timestamp(0),
        )

        def work(connection: db_engine.Connection) -> None:
            now = functions.read_clock(connection)
            credentials.insert(
                connection,
                dataclasses.replace(row, created_at=now, due_at=now),
            )

        self._database.run(work)
