"""Remove credentials that no stack needs from Keystone."""

import logging

from orch import errors
from orch import periodic
from orch.db import engine as db_engine
from orch.db.repositories import credentials
from orch.engine.credentials import stored_credentials
from orch.model import credential

LOG = logging.getLogger(__name__)

_BATCH = 20
_PAUSE_S = 120.0
_MAX_PAUSE_S = 3600.0


class Revocation:
    """Removes unneeded credentials periodically, on a thread of its own."""

    def __init__(
        self,
        database: db_engine.Database,
        credential_store: stored_credentials.StoredCredentials,
        interval_s: float,
        unused_s: float,
    ) -> None:
        """Create the thread; :meth:`start` starts it.

        :param interval_s: seconds between two rounds
        :param unused_s: seconds after which a credential without a stack
            counts as unused
        """
        self._database = database
        self._credential_store = credential_store
        self._interval_s = interval_s
        self._unused_s = unused_s
        self._thread = periodic.Thread(
            "orch-credentials",
            self._round,
            periodic.Failures(
                LOG,
                "credentials that no stack needs stay",
                "credentials that no stack needs are removed again",
                first_pause_s=interval_s,
                max_pause_s=interval_s,
            ),
        )

    def start(self) -> None:
        """Start the thread; the first round comes after one interval."""
        self._thread.start(self._interval_s)

    def stop(self) -> None:
        """Stop the thread."""
        self._thread.stop()

    def look(self) -> None:
        """Remove all credentials that no stack needs now.

        :raises orch.db.errors.DatabaseDown: the database gave no answer
        """

        def work(
            connection: db_engine.Connection,
        ) -> list[credential.Credential]:
            credentials.retire(connection, self._unused_s)
            return credentials.claim(connection, _BATCH, _PAUSE_S)

        while found := self._database.run(work):
            for each in found:
                if self._thread.stopping.is_set():
                    return
                self._remove(each)

    def _remove(self, stale: credential.Credential) -> None:
        try:
            self._credential_store.revoke(stale)
        except errors.OrchError as error:
            pause_s = min(
                self._interval_s * 2 ** min(stale.tries, 12), _MAX_PAUSE_S
            )
            LOG.warning(
                "the credential %s of stack %s is not removed yet, the next"
                " try is in %.0f s: %s",
                stale.id,
                stale.root_id,
                pause_s,
                error,
            )
            self._database.run(
                lambda connection: credentials.postpone(
                    connection, stale.id, pause_s
                )
            )
            return
        LOG.info("removed the credential of stack %s", stale.root_id)
        self._database.run(
            lambda connection: credentials.forget(connection, stale.id)
        )

    def _round(self) -> float:
        self.look()
        return self._interval_s
