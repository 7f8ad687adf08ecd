"""What can go wrong between us and the database."""

from orch import errors


class LeaseLost(errors.OrchError):
    """Another worker has the operation by now; nothing was written."""

    code = "orch.lease.lost"


def lease_lost(operation_id: str) -> LeaseLost:
    """Return the error of a write under a fence that is not in force."""
    return LeaseLost(f"operation {operation_id} runs under another fence")


class NameTaken(errors.Conflict):
    """A live stack of the project bears that name; nothing was written."""

    code = "orch.stack.exists"


class MissingDriver(errors.Invalid):
    """The Python package that a connection needs is not installed."""

    code = "orch.db.missing_driver"


class DatabaseDown(errors.Unavailable):
    """The database gives no answer; the transaction was not committed.

    One case stays open, as with every database: when the connection breaks
    while a commit is under way, it may have been committed after all.
    """

    code = "orch.db.down"
