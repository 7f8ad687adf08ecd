"""List the history of drift, with hidden values redacted."""

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import drift_history
from orch.engine import dependencies
from orch.engine.queries import lookup
from orch.engine.secrets import tree_secrets
from orch.rpc import contract


def list_history(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    *,
    limit: int | None = None,
    marker: str | None = None,
) -> contract.DriftHistory:
    """Return the drift history of a stack and of its child stacks.

    Values were redacted when they were stored; they are once more, by what is
    sensitive now.

    :param limit: entries that are listed at most; ``None`` for all
    :param marker: id of the entry after which the list begins
    :raises orch.errors.NotFound: this caller has no such stack
    :raises orch.errors.Invalid: the marker is no entry of it
    """

    def work(connection: db_engine.Connection) -> contract.DriftHistory:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        tree = lookup.stacks_below(connection, stack)
        members = {each.id for each in tree}
        after = None
        if marker is not None:
            after = drift_history.find(connection, marker)
            if after is None or after.stack_id not in members:
                raise errors.Invalid(
                    f"marker {marker[:80]!r} is no entry of this history, or"
                    " one that was removed: list it from the beginning."
                )
        most = None if limit is None else limit + 1
        found = drift_history.list_page(connection, members, most, after)
        page = found[:limit]
        if not page:
            return contract.DriftHistory(history=[], last=None)
        redacts = tree_secrets.redaction_of(
            connection, deps.templates.find, stack
        )
        return contract.DriftHistory(
            history=[
                contract.HistoryEntry(
                    id=each.id,
                    path=each.path,
                    property=each.property or None,
                    expected=redacts.value(each.expected),
                    live=redacts.value(each.live),
                    found_by=each.found_by,
                    found_at=each.found_at,
                    ended_by=each.ended_by,
                    ended_at=each.ended_at,
                )
                for each in page
            ],
            last=page[-1].id if len(found) > len(page) else None,
        )

    return deps.database.query(work)
