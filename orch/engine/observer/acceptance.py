"""Have lifecycle plug-ins judge the drift that policies accept."""

import collections.abc
import typing

from orch import errors
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine.acceptance import last_requester
from orch.engine.judged_requests import judged_request
from orch.engine.observer import tree as observer_tree
from orch.flow.state import drift_records

Stored = collections.abc.Sequence[drift_records.StackObservations]
Write = collections.abc.Callable[[db_engine.Connection], Stored | None]

_NOT_ACCEPTED: typing.Final = "Its drift is not accepted: "


def write_judged(
    deps: dependencies.Dependencies,
    tree: observer_tree.Tree,
    write: Write,
) -> Stored | None:
    """Store observations; plug-ins judge those that accept drift first.

    Like a repair it is a request for the caller of the last change of the
    root, and overrides nothing.

    :param write: stores them, and returns what was stored
    :raises orch.errors.AskAnother: this worker must not ask plug-ins
    :raises orch.errors.Conflict: a plug-in holds it; nothing is stored
    :raises orch.errors.Forbidden: a plug-in denies it; nothing is stored
    """
    root = tree.members[0].stack
    last = tree.members[0].operation
    if last is None:
        raise errors.Conflict("The stack has no operation.")
    acting = deps.database.query(
        lambda connection: last_requester.repair_context(
            connection, root, last
        )
    )
    judged = judged_request.JudgedRequest(deps, acting, "accept_drift")

    def work(connection: db_engine.Connection) -> Stored | None:
        stored = write(connection)
        paths = list_accepted(stored or ())
        if paths:
            judged.check(root, paths=paths)
            judged.allow(connection)
        return stored

    with judged:
        return judged.run(work)


def list_accepted(observed: Stored) -> list[str]:
    """Return the paths of the resources whose drift policies accept."""
    return sorted(
        one.path for each in observed for one in each.resources if one.accepted
    )


def with_reason(
    observed: drift_records.StackObservations,
    paths: collections.abc.Container[str],
    reason: str,
) -> drift_records.StackObservations:
    """Return observations with the reason why drift is not accepted.

    The first of them in a row is an event.

    :param paths: of the resources whose drift a policy would accept
    """
    return observed.give_up(
        f"{_NOT_ACCEPTED}{reason}",
        {one.row.id: {} for one in observed.resources if one.path in paths},
        _NOT_ACCEPTED,
    )
