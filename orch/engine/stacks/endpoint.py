"""RPC endpoint of the ``stack`` namespace."""

import collections.abc
import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.stacks import action as stack_actions
from orch.engine.stacks import cancel
from orch.engine.stacks import create
from orch.engine.stacks import delete
from orch.engine.stacks import documents
from orch.engine.stacks import query as stack_query
from orch.engine.stacks import retry
from orch.engine.stacks import update
from orch.model import states
from orch.rpc import contract


class Stacks:
    """RPC methods of stacks: queries and operations."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="stack", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def identify(
        self, ctxt: request.RequestContext, *, name_or_id: str
    ) -> contract.StackIdentity:
        """Return the identity of the stack of a name or id."""
        return stack_query.identify_stack(self._deps, ctxt, name_or_id)

    def list(
        self, ctxt: request.RequestContext, *, query: contract.StackQuery
    ) -> list[contract.StackFacts]:
        """Return the stacks that match the query, in its order."""
        return stack_query.list_stacks(self._deps, ctxt, query)

    def count(
        self, ctxt: request.RequestContext, *, query: contract.StackQuery
    ) -> int:
        """Return how many stacks match the query, whatever its limit."""
        return stack_query.count_stacks(self._deps, ctxt, query)

    def show(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        resolve_outputs: bool = True,
    ) -> contract.StackFacts:
        """Return all facts of a stack."""
        return stack_query.show_stack(
            self._deps, ctxt, stack_id, resolve_outputs
        )

    def create(
        self,
        ctxt: request.RequestContext,
        *,
        name: str,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
    ) -> contract.Accepted:
        """Accept a new stack durably."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            create.submit_create,
            name,
            inputs,
            options,
        )

    def update(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
    ) -> contract.Accepted:
        """Accept an update of a stack durably."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            update.submit_update,
            stack_id,
            inputs,
            options,
        )

    def delete(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        options: contract.StackOptions | None = None,
    ) -> contract.Accepted | None:
        """Accept a deletion durably; ``None`` for a stack that is deleted."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            delete.submit_delete,
            stack_id,
            options or {},
        )

    def retry(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        options: contract.StackOptions,
    ) -> contract.Accepted:
        """Accept a retry of the failed operation durably."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            retry.submit_retry,
            stack_id,
            options,
        )

    def act(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        action: str,
        options: contract.StackOptions,
    ) -> contract.Accepted | None:
        """Accept SUSPEND, RESUME or CHECK durably; ``None`` if already so."""
        stack_action = states.Action(action)
        return idempotency.run_once(
            self._deps,
            ctxt,
            stack_actions.submit_action,
            stack_id,
            stack_action,
            options,
        )

    def cancel(
        self, ctxt: request.RequestContext, *, stack_id: str, rolls_back: bool
    ) -> contract.Accepted:
        """Accept the cancellation of an operation durably."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            cancel.submit_cancel,
            stack_id,
            rolls_back=rolls_back,
        )

    def template(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> dict[str, object]:
        """Return the template in force."""
        return documents.read_template(self._deps, ctxt, stack_id)

    def environment(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> dict[str, object]:
        """Return the merged environment, hidden parameters redacted."""
        return documents.read_environment(self._deps, ctxt, stack_id)

    def files(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> dict[str, str]:
        """Return the files of the template, name to text."""
        return documents.read_files(self._deps, ctxt, stack_id)

    # A method above is named list, which hides the built-in type in here.
    def outputs(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> collections.abc.Sequence[contract.OutputFacts]:
        """Return names and descriptions of the outputs."""
        return documents.list_outputs(self._deps, ctxt, stack_id)

    def output(
        self, ctxt: request.RequestContext, *, stack_id: str, key: str
    ) -> contract.OutputFacts:
        """Return one output with its value."""
        return documents.show_output(self._deps, ctxt, stack_id, key)
