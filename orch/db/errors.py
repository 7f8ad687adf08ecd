"""What can go wrong between us and the database."""

from orch import errors


class LeaseLost(errors.OrchError):
    """Another worker has the operation by now; nothing was written."""

    code = "orch.lease.lost"


class NameTaken(errors.Conflict):
    """A live stack of the project bears that name; nothing was written."""

    code = "orch.stack.exists"


class DatabaseDown(errors.Unavailable):
    """The database gives no answer; the transaction was not committed.

    One case stays open, as with every database: when the connection breaks
    while a commit is under way, it may have been committed after all.
    """

    code = "orch.db.down"
