"""Request the observation of a tree, and read or store its drift policy."""

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import watches
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import last_requester
from orch.engine.drift import policy_names
from orch.engine.drift import state as drift_state
from orch.engine.judged_requests import judged_request
from orch.engine.queries import lookup
from orch.rpc import contract


class NotRoot(errors.Invalid):
    """A drift policy was given for a stack that is not a root."""

    code = "orch.drift.not_root"


def request_observation(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> contract.DriftRequested:
    """Request that the tree of a stack is observed now.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(connection: db_engine.Connection) -> contract.DriftRequested:
        stack = lookup.get_live(connection, ctxt, stack_id)
        watches.request_observation(
            connection, stack.root_id, stack.project_id
        )
        found = watches.find(connection, stack.root_id)
        assert found is not None and found.requested_at is not None
        answer = contract.DriftRequested(requested_at=found.requested_at)
        return idempotency.save_answer(connection, ctxt, answer)

    answer = deps.database.run(work)
    deps.look()
    return answer


def show_policy(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> dict[str, object]:
    """Return the drift policy of a stack's tree.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(connection: db_engine.Connection) -> dict[str, object]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        found = watches.find(connection, stack.root_id)
        return {} if found is None else dict(found.policy)

    return deps.database.query(work)


def set_policy(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    policy: dict[str, object],
) -> dict[str, object]:
    """Store the drift policy of a tree.

    It applies from the next observation on.

    :raises NotRoot: the stack is a child stack
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.Invalid: it names what does not exist
    :raises orch.errors.NotFound: this caller has no such stack
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "drift_policy")

    def work(connection: db_engine.Connection) -> dict[str, object]:
        stack = lookup.get_live(connection, ctxt, stack_id)
        if stack.parent_id is not None:
            raise NotRoot(
                f"Stack {stack.name} is a child stack: set the policy of the"
                " root stack, whose patterns name resources by their path"
                " from there."
            )
        found = drift_state.load_observed(connection, deps, stack)
        policy_names.check_names(found, deps.types, policy)
        judged.check(stack)
        judged.allow(connection)
        watches.set_policy(
            connection,
            stack.id,
            stack.project_id,
            policy,
            last_requester.user_of(ctxt).to_stored(),
        )
        return idempotency.save_answer(connection, ctxt, policy)

    with judged:
        return judged.run(work)
