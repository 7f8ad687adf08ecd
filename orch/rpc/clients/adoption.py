"""Adopting and abandoning stacks, asked for over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Adoption(caller.Client):
    """The ``adoption`` namespace."""

    namespace = "adoption"

    def adopt(
        self, ctxt: request.RequestContext, wanted: contract.AdoptionRequest
    ) -> contract.Accepted:
        """Return once the stack is accepted durably; nothing ran yet."""
        accepted = self._call(ctxt, "adopt", **wanted)
        return typing.cast(contract.Accepted, accepted)

    def export(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        secrets: contract.SecretsRequest | None = None,
    ) -> dict[str, object]:
        """Return the document of a stack; nothing changes."""
        found = self._call(ctxt, "export", stack_id=stack_id, secrets=secrets)
        return typing.cast(dict[str, object], found)

    def prepare(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        secrets: contract.SecretsRequest | None = None,
    ) -> contract.AbandonFacts:
        """Stop what runs, and keep the document of the stack."""
        found = self._call(ctxt, "prepare", stack_id=stack_id, secrets=secrets)
        return typing.cast(contract.AbandonFacts, found)

    def commit(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        token: str | None = None,
        secrets: contract.SecretsRequest | None = None,
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
        secrets: contract.SecretsRequest | None = None,
    ) -> dict[str, object]:
        """Return the document of an abandoned stack."""
        found = self._call(ctxt, "show", stack_id=stack_id, secrets=secrets)
        return typing.cast(dict[str, object], found)

    def show_addresses(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, object]:
        """Return where the addresses of an adopted stack are."""
        found = self._call(ctxt, "show_addresses", stack_id=stack_id)
        return typing.cast(dict[str, object], found)

    def list_forwarded(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> contract.ForwardingFacts:
        """Return what has become of the addresses of an abandoned stack."""
        found = self._call(ctxt, "list_forwarded", stack_id=stack_id)
        return typing.cast(contract.ForwardingFacts, found)

    def announce(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        document: dict[str, object],
    ) -> contract.ForwardingFacts:
        """Pass on what comes to an abandoned stack, from now on.

        :param document: what the adopting installation has announced
        """
        found = self._call(
            ctxt, "announce", stack_id=stack_id, document=document
        )
        return typing.cast(contract.ForwardingFacts, found)

    def generate(
        self, ctxt: request.RequestContext, request: contract.GenerationRequest
    ) -> contract.GenerationFacts:
        """Return template and document of things that stand."""
        found = self._call(ctxt, "generate", request=request)
        return typing.cast(contract.GenerationFacts, found)
