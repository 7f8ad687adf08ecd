"""Adopting and abandoning stacks, asked for over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Adoption(caller.Client):
    """The ``adoption`` namespace."""

    namespace = "adoption"

    def adopt(
        self,
        ctxt: request.RequestContext,
        name: str,
        data: object,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
        wish: contract.AdoptionWish,
    ) -> contract.Accepted:
        """Return once the stack is accepted durably; nothing ran yet.

        :param data: the document of a stack, map or text
        """
        accepted = self._call(
            ctxt,
            "adopt",
            name=name,
            data=data,
            inputs=inputs,
            options=options,
            wish=wish,
        )
        return typing.cast(contract.Accepted, accepted)

    def preview(
        self,
        ctxt: request.RequestContext,
        name: str,
        data: object,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
        wish: contract.AdoptionWish,
    ) -> contract.StackFacts:
        """Return the stack that the same adoption would make."""
        found = self._call(
            ctxt,
            "preview",
            name=name,
            data=data,
            inputs=inputs,
            options=options,
            wish=wish,
        )
        return typing.cast(contract.StackFacts, found)

    def export(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        secrets: contract.SecretsWish | None = None,
    ) -> dict[str, object]:
        """Return the document of a stack; nothing changes."""
        found = self._call(ctxt, "export", stack_id=stack_id, secrets=secrets)
        return typing.cast(dict[str, object], found)

    def prepare(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        secrets: contract.SecretsWish | None = None,
    ) -> contract.AbandonFacts:
        """Stop what runs, and keep the document of the stack."""
        found = self._call(ctxt, "prepare", stack_id=stack_id, secrets=secrets)
        return typing.cast(contract.AbandonFacts, found)

    def commit(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        token: str | None = None,
        secrets: contract.SecretsWish | None = None,
    ) -> contract.AbandonFacts:
        """Let go of a stack.

        :param token: of what was prepared; ``None`` to do both at once
        """
        found = self._call(
            ctxt, "commit", stack_id=stack_id, token=token, secrets=secrets
        )
        return typing.cast(contract.AbandonFacts, found)

    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        secrets: contract.SecretsWish | None = None,
    ) -> dict[str, object]:
        """Return the document of an abandoned stack."""
        found = self._call(ctxt, "show", stack_id=stack_id, secrets=secrets)
        return typing.cast(dict[str, object], found)

    def generate(
        self, ctxt: request.RequestContext, wish: contract.GenerationWish
    ) -> contract.GenerationFacts:
        """Return template and document of things that stand."""
        found = self._call(ctxt, "generate", wish=wish)
        return typing.cast(contract.GenerationFacts, found)
