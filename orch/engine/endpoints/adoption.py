"""The ``adoption`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.operations import abandon
from orch.engine.operations import adopt
from orch.engine.operations import adoption_document
from orch.engine.operations import generate
from orch.engine.operations import preview
from orch.rpc import contract


class Adoption:
    """Stacks that come with their things, or go without them."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="adoption", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def adopt(
        self,
        ctxt: request.RequestContext,
        *,
        name: str,
        data: object,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
        wish: contract.AdoptionWish,
    ) -> contract.Accepted:
        """Accept durably that a stack is made of things that stand."""
        return adopt.submit(
            self._deps, ctxt, name, data, inputs, options, wish
        )

    def preview(
        self,
        ctxt: request.RequestContext,
        *,
        name: str,
        data: object,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
        wish: contract.AdoptionWish,
    ) -> contract.StackFacts:
        """Return the stack that the same adoption would make."""
        return preview.preview_adoption(
            self._deps, ctxt, name, data, inputs, options, wish
        )

    def export(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        secrets: contract.SecretsWish | None = None,
    ) -> dict[str, object]:
        """Return the document of a stack."""
        return adoption_document.export(self._deps, ctxt, stack_id, secrets)

    def prepare(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        secrets: contract.SecretsWish | None = None,
    ) -> contract.AbandonFacts:
        """Stop what runs, and keep the document of the stack."""
        return abandon.prepare(self._deps, ctxt, stack_id, secrets)

    def commit(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        token: str | None = None,
        secrets: contract.SecretsWish | None = None,
    ) -> contract.AbandonFacts:
        """Accept durably that a stack is let go of."""
        return abandon.submit(self._deps, ctxt, stack_id, token, secrets)

    def show(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        secrets: contract.SecretsWish | None = None,
    ) -> dict[str, object]:
        """Return the document of an abandoned stack."""
        return abandon.show(self._deps, ctxt, stack_id, secrets)

    def generate(
        self, ctxt: request.RequestContext, *, wish: contract.GenerationWish
    ) -> contract.GenerationFacts:
        """Return template and document of things that stand."""
        return generate.generate(self._deps, ctxt, wish)
