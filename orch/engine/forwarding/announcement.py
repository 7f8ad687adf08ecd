"""Announce the addresses of an adopted stack to where it came from.

The announcement is sealed with the key in the document of the stack, so the
installation that has abandoned the stack can trust it.
"""

from orch import errors
from orch.context import announcements
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import forwarding as rows
from orch.engine import dependencies
from orch.engine.forwarding import issued
from orch.engine.queries import lookup
from orch.model import adoption
from orch.model import forwarding
from orch.model import stack

Document = dict[str, object]


class NoOrigin(errors.NotFound):
    """The stack has no origin that waits for its addresses."""

    code = "orch.announcement.no_origin"


def save_origin(
    connection: db_engine.Connection,
    stack: stack.Stack,
    found: adoption.Document,
) -> None:
    """Store the origin of an adopted stack, if its document names it."""
    if found.key is None or not lookup.is_id(found.id or ""):
        return
    rows.save_origin(
        connection,
        forwarding.Origin(
            stack_id=stack.id,
            origin_id=found.id or "",
            key=found.key,
            created_at=stack.created_at,
        ),
    )


def show_announcement(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> Document:
    """Return the announcement of a stack's current addresses.

    Addresses that do not exist yet are not in it: call it again later.

    :raises NoOrigin: the stack was not adopted, or its document has no key
    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(connection: db_engine.Connection) -> Document:
        stack = lookup.get_live(connection, ctxt, stack_id)
        origin = rows.find_origin(connection, stack.id)
        if origin is None:
            raise NoOrigin(
                f"Stack {stack.name} did not come from an installation that"
                " waits for its addresses: it was not adopted, or its document"
                f" has no {adoption.KEY}."
            )
        found = issued.list_issued(deps, connection, stack)
        return announcements.seal_announcement(
            origin.key,
            {
                "version": announcements.VERSION,
                "stack_id": origin.origin_id,
                "made_at_ms": round(deps.clock.now() * 1000),
                "addresses": [_address_facts(each) for each in found],
            },
        )

    return deps.database.query(work)


def _address_facts(found: issued.IssuedAddress) -> Document:
    shown: Document = {
        "path": list(found.path),
        "kind": found.kind.value,
        "address": found.address,
    }
    if found.agent is not None:
        shown["agent"] = dict(found.agent)
    return shown
