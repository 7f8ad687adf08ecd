"""Removes credentials that no stack needs any more from Keystone."""

import logging

from orch import errors
from orch import periodic
from orch.db import engine as db_engine
from orch.db.repositories import credentials
from orch.engine.credentials import keeper as keepers
from orch.model import credential

LOG = logging.getLogger(__name__)

_BATCH = 20
_PAUSE_S = 120.0
_MAX_PAUSE_S = 3600.0


class Revocation:
    """Looks for them again and again, on a thread of its own."""

    def __init__(
        self,
        database: db_engine.Database,
        credential_store: keepers.StoredCredentials,
        interval_s: float,
        unused_s: float,
    ) -> None:
        """Be ready for :meth:`start`.

        :param interval_s: between two looks
        :param unused_s: after which one that no stack has counts as left
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
        """Look from now on, first after a while."""
        self._thread.start(self._interval_s)

    def stop(self) -> None:
        """Look no more."""
        self._thread.stop()

    def look(self) -> None:
        """Remove what there is to be removed now.

        :raises orch.db.errors.DatabaseDown: no answer
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
