"""Stacks, asked for over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Stacks(caller.Client):
    """The ``stack`` namespace."""

    namespace = "stack"

    def identify(
        self, ctxt: request.RequestContext, name_or_id: str
    ) -> contract.StackIdentity:
        """Return which stack a name or an id means.

        :raises orch.errors.NotFound: none that this caller may see
        """
        found = self._call(ctxt, "identify", name_or_id=name_or_id)
        return typing.cast(contract.StackIdentity, found)

    def list(
        self, ctxt: request.RequestContext, query: contract.StackQuery
    ) -> list[contract.StackFacts]:
        """Return the stacks that fit the query, in its order."""
        found = self._call(ctxt, "list", query=query)
        return typing.cast(list[contract.StackFacts], found)

    def count(
        self, ctxt: request.RequestContext, query: contract.StackQuery
    ) -> int:
        """Return how many stacks fit the query, whatever its limit."""
        return typing.cast(int, self._call(ctxt, "count", query=query))

    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        resolve_outputs: bool = True,
    ) -> contract.StackFacts:
        """Return all that is known of a stack, deleted ones too.

        :param resolve_outputs: False when nobody looks at the outputs; it
            saves reading the template
        """
        found = self._call(
            ctxt,
            "show",
            stack_id=stack_id,
            resolve_outputs=resolve_outputs,
        )
        return typing.cast(contract.StackFacts, found)

    def create(
        self,
        ctxt: request.RequestContext,
        name: str,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
    ) -> contract.Accepted:
        """Return once the stack is accepted durably; nothing ran yet."""
        accepted = self._call(
            ctxt, "create", name=name, inputs=inputs, options=options
        )
        return typing.cast(contract.Accepted, accepted)

    def update(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
    ) -> contract.Accepted:
        """Return once the update is accepted durably; nothing ran yet."""
        accepted = self._call(
            ctxt, "update", stack_id=stack_id, inputs=inputs, options=options
        )
        return typing.cast(contract.Accepted, accepted)

    def delete(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        options: contract.StackOptions | None = None,
    ) -> contract.Accepted | None:
        """Return once the delete is accepted; ``None`` when already gone."""
        accepted = self._call(
            ctxt, "delete", stack_id=stack_id, options=options or {}
        )
        return typing.cast(contract.Accepted | None, accepted)

    def retry(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        options: contract.StackOptions,
    ) -> contract.Accepted:
        """Return once the failed operation waits for a worker again."""
        accepted = self._call(
            ctxt, "retry", stack_id=stack_id, options=options
        )
        return typing.cast(contract.Accepted, accepted)

    def act(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        action: str,
        options: contract.StackOptions,
    ) -> contract.Accepted | None:
        """Return once it is accepted; ``None`` when there is nothing to do.

        :param action: ``SUSPEND``, ``RESUME`` or ``CHECK``
        """
        accepted = self._call(
            ctxt, "act", stack_id=stack_id, action=action, options=options
        )
        return typing.cast(contract.Accepted | None, accepted)

    def cancel(
        self, ctxt: request.RequestContext, stack_id: str, rolls_back: bool
    ) -> contract.Accepted:
        """Return once what is under way was told to end.

        :param rolls_back: the stack becomes again what it was
        """
        accepted = self._call(
            ctxt, "cancel", stack_id=stack_id, rolls_back=rolls_back
        )
        return typing.cast(contract.Accepted, accepted)

    def template(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, object]:
        """Return the template in force."""
        found = self._call(ctxt, "template", stack_id=stack_id)
        return typing.cast(dict[str, object], found)

    def environment(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, object]:
        """Return the merged environment, hidden parameters masked."""
        found = self._call(ctxt, "environment", stack_id=stack_id)
        return typing.cast(dict[str, object], found)

    def files(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, str]:
        """Return the files beside the template, name to text."""
        found = self._call(ctxt, "files", stack_id=stack_id)
        return typing.cast(dict[str, str], found)

    # A method above is named list, which hides the built-in type in here.
    def outputs(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> typing.Sequence[contract.OutputFacts]:
        """Return names and descriptions of the outputs, no values."""
        found = self._call(ctxt, "outputs", stack_id=stack_id)
        return typing.cast(typing.Sequence[contract.OutputFacts], found)

    def output(
        self, ctxt: request.RequestContext, stack_id: str, key: str
    ) -> contract.OutputFacts:
        """Return one output with its value.

        :raises orch.errors.NotFound: the template declares no such output
        """
        found = self._call(ctxt, "output", stack_id=stack_id, key=key)
        return typing.cast(contract.OutputFacts, found)
