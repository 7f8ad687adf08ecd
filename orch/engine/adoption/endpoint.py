"""RPC endpoint of the ``adoption`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.adoption import abandon
from orch.engine.adoption import adopt
from orch.engine.adoption import document as adoption_document
from orch.engine.adoption import generate
from orch.engine.forwarding import addresses
from orch.engine.forwarding import announcement
from orch.rpc import contract


class Adoption:
    """Adoption and abandonment of stacks, and their old addresses."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="adoption", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def adopt(
        self,
        ctxt: request.RequestContext,
        **wanted: typing.Unpack[contract.AdoptionRequest],
    ) -> contract.Accepted:
        """Accept the adoption of a stack, durably."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            adopt.submit_adopt,
            wanted,
        )

    def export(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        secrets: contract.SecretsRequest | None = None,
    ) -> dict[str, object]:
        """Return the document of a stack."""
        return adoption_document.export_document(
            self._deps, ctxt, stack_id, secrets
        )

    def prepare(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        secrets: contract.SecretsRequest | None = None,
    ) -> contract.AbandonFacts:
        """Stop open operations and store the document of the stack."""
        return abandon.prepare_abandon(self._deps, ctxt, stack_id, secrets)

    def commit(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        token: str | None = None,
        secrets: contract.SecretsRequest | None = None,
    ) -> contract.AbandonFacts:
        """Accept the abandonment of a stack, durably."""
        try:
            return abandon.submit_abandon(
                self._deps, ctxt, stack_id, token, secrets
            )
        finally:
            self._deps.credential_store.withdraw(ctxt)

    def show(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        secrets: contract.SecretsRequest | None = None,
    ) -> dict[str, object]:
        """Return the document of an abandoned stack."""
        return abandon.show_abandoned(self._deps, ctxt, stack_id, secrets)

    def show_addresses(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> dict[str, object]:
        """Return the announcement of an adopted stack's addresses."""
        return announcement.show_announcement(self._deps, ctxt, stack_id)

    def list_forwarded(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> contract.ForwardingFacts:
        """Return the state of the addresses of an abandoned stack."""
        return addresses.list_addresses(self._deps, ctxt, stack_id)

    def announce(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        document: dict[str, object],
    ) -> contract.ForwardingFacts:
        """Forward what arrives at an abandoned stack, from now on."""
        return addresses.announce_addresses(
            self._deps, ctxt, stack_id, document
        )

    def generate(
        self,
        ctxt: request.RequestContext,
        *,
        request: contract.GenerationRequest,
    ) -> contract.GenerationFacts:
        """Return template and document of existing physical resources."""
        return generate.generate_template(self._deps, ctxt, request)
