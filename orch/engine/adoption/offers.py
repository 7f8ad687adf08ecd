"""Offers: abandonments that another project may take over.

An offer is in the row of its abandonment. What it can be used for is in
:mod:`orch.engine.adoption.offer_states`.
"""

import typing

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import abandonments
from orch.db.repositories import forwarding
from orch.db.repositories import operations
from orch.db.repositories import software_owners
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.adoption import offer_states
from orch.engine.queries import lookup
from orch.model import abandonment
from orch.model import adoption
from orch.model import stack

_State = offer_states.State

_DAY_S: typing.Final = 86400.0


class HandOverNotFound(errors.NotFound):
    """No such stack is handed over to or by the project."""

    code = "orch.hand_over.not_found"


class HandOverNotReady(errors.Conflict):
    """The abandonment of the stack is not complete."""

    code = "orch.hand_over.not_ready"


class HandOverTaken(errors.Conflict):
    """A stack that exists has taken it over."""

    code = "orch.hand_over.taken"


class HandOverOffered(errors.Conflict):
    """An abandoned stack is offered to a project, which may take it over."""

    code = "orch.hand_over.offered"


def save_offer(
    connection: db_engine.Connection,
    stack: stack.Stack,
    saved: abandonment.Abandonment,
    receiver_id: str,
) -> None:
    """Offer an abandoned stack to a project; a repetition changes nothing.

    :raises HandOverTaken: it is taken over, or another installation that has
        adopted it has announced its addresses
    """
    found = abandonments.find_hand_over(connection, stack.id, locks=True)
    if found is None or found.receiver_id == receiver_id:
        return
    check_not_taken(connection, found)
    known = forwarding.list_(connection, stack.id)
    if any(each.announced_at is not None for each in known):
        raise HandOverTaken(
            f"Stack {stack.id} was adopted by an installation that has"
            " announced its addresses: hand it over there."
        )
    abandonments.update(
        connection,
        found.id,
        receiver_id=receiver_id,
        offered_at=functions.read_clock(connection),
        stack_name=stack.name,
        resource_count=len(_list_resources(saved.document)),
    )


def get_offer(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
) -> abandonment.HandOver:
    """Return what a caller may take over; it may be its own.

    :raises HandOverNotFound: it is not offered to the caller
    :raises HandOverNotReady: its abandonment is not complete
    :raises HandOverTaken: it is taken over
    """
    found = find_offer(connection, stack_id)
    if found is None or ctxt.project_id not in (
        found.project_id,
        found.receiver_id,
    ):
        raise missing(stack_id)
    check_not_taken(connection, found)
    match _find_state(connection, found):
        case _State.OFFERED:
            return found
        case _State.ABANDONING:
            raise HandOverNotReady(
                f"Stack {stack_id} is still being abandoned: repeat the"
                " request when that is complete."
            )
        case _State.FAILED:
            raise HandOverNotReady(
                f"The abandonment of stack {stack_id} has failed: the project"
                " that hands it over has to repeat its request."
            )
    raise missing(stack_id)


def find_offer(
    connection: db_engine.Connection, stack_id: str, *, locks: bool = False
) -> abandonment.HandOver | None:
    """Return the abandonment of a stack, whether it is offered or not."""
    if not lookup.is_id(stack_id):
        return None
    return abandonments.find_hand_over(connection, stack_id, locks=locks)


def take_offer(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    connection: db_engine.Connection,
    stack_id: str,
    new_id: ids.StackId,
) -> list[str]:
    """Let a new stack take over what a caller may take over.

    Of two requests one does. Signals for the old stack go to the new one, and
    its software configs and deployments belong to the caller's project.

    :returns: the ids of those configs and deployments
    :raises HandOverNotFound: it is not offered to the caller
    :raises HandOverNotReady: its abandonment is not complete
    :raises HandOverTaken: it is taken over
    :raises orch.errors.LimitExceeded: the project has too many configs or
        deployments
    """
    locked = find_offer(connection, stack_id, locks=True)
    if locked is not None and locked.taken_by == new_id:
        # A retry of the transaction whose commit got no answer.
        return []
    found = get_offer(connection, ctxt, stack_id)
    abandonments.update(connection, found.id, taken_by=new_id)
    forwarding.save_successor(connection, found.stack_id, new_id)
    project_id = ctxt.project_id or ""
    moved = _transfer_software(connection, found, project_id)
    if moved:
        deps.settings.software.check(connection, project_id)
    return moved


def check_not_taken(
    connection: db_engine.Connection, found: abandonment.HandOver
) -> None:
    """Raise HandOverTaken if a stack that exists has taken it over.

    :raises HandOverTaken: one has, or one that has taken that over in turn
    """
    taker = _find_taker(connection, found)
    if taker is not None:
        raise HandOverTaken(
            f"Stack {found.stack_id} was taken over by stack {taker}: that, or"
            " the stack that it was handed on to, has to be abandoned before"
            " another one can take it over."
        )


def check_not_offered(
    connection: db_engine.Connection, stack_id: ids.StackId
) -> None:
    """Raise Conflict if an abandoned stack is handed over.

    Who adopts its document elsewhere would own its physical resources too.

    :raises HandOverOffered: a project may take it over
    :raises HandOverTaken: it is taken over
    """
    found = abandonments.find_hand_over(connection, stack_id)
    if found is None:
        return
    check_not_taken(connection, found)
    if found.receiver_id is None:
        return
    if _find_state(connection, found) is not _State.ENDED:
        raise HandOverOffered(
            f"Stack {stack_id} is handed over to project {found.receiver_id}:"
            " withdraw that before it is adopted elsewhere."
        )


def _find_taker(
    connection: db_engine.Connection, found: abandonment.HandOver
) -> ids.StackId | None:
    """Return the id of the stack that has taken it over, if that counts."""
    is_taken = bool(offer_states.find_taken(connection, [found]))
    return found.taken_by if is_taken else None


def _find_state(
    connection: db_engine.Connection, found: abandonment.HandOver
) -> offer_states.State:
    (read,) = offer_states.read_states(connection, [found])
    return read.state


def expires_at(
    deps: dependencies.Dependencies, found: abandonment.HandOver
) -> float:
    """Return when the document of an abandonment is removed."""
    return found.created_at + deps.settings.document_days * _DAY_S


def missing(stack_id: str) -> HandOverNotFound:
    """Return the error that a project may know no such hand-over."""
    return HandOverNotFound(
        f"No stack {stack_id[:80]} is handed over to or by this project."
    )


def _transfer_software(
    connection: db_engine.Connection,
    found: abandonment.HandOver,
    project_id: str,
) -> list[str]:
    """Give the configs and deployments of an abandoned stack to a project.

    Of the project that has taken it over before those alone that it got by
    that: ids in the document may name others that it has.

    :returns: their ids
    """
    moved: list[str] = []
    saved = abandonments.find(connection, found.id)
    if saved is not None and found.project_id != project_id:
        given = [
            each.physical_id
            for each in _list_resources(saved.document)
            if each.document is None and each.physical_id is not None
        ]
        moved += software_owners.change_owner(
            connection, given, found.project_id, project_id, with_configs=True
        )
    former = None
    if found.taken_by is not None:
        former = stacks.find(connection, found.taken_by)
    if former is not None and former.project_id != project_id:
        given = []
        for operation in operations.list_(connection, former.id):
            received = operation.options.get(adoption.TRANSFERRED)
            if isinstance(received, list):
                given += [str(each) for each in received]
        moved += software_owners.change_owner(
            connection,
            given,
            former.project_id,
            project_id,
            with_configs=False,
        )
    return moved


def _list_resources(document: adoption.Values) -> list[adoption.Entry]:
    """Return the entries of a document, of all its levels."""
    found = adoption.parse_document(dict(document), needs_template=False)
    own = list(found.entries.values())
    children = [each.document for each in own if each.document is not None]
    return own + [
        entry for each in children for entry in _list_resources(each)
    ]
