"""What travels when stacks are adopted and abandoned."""

import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import methods
from orch.rpc.contract import requests
from orch.rpc.contract import rest


class AdoptionRequest(typing.TypedDict):
    """A stack to adopt existing physical resources into.

    ``data``: the document of a stack, map or text. ``inputs``: parameters,
    environment and files count upon those of the document; its template
    alone counts. ``options``: tags are those of the document when there are
    none.
    """

    name: str
    data: object
    inputs: requests.StackInputs
    options: requests.StackOptions
    request: requests.AdoptionOptions


class SecretsRequest(typing.TypedDict, total=False):
    """How a document holds its secrets; keys may be missing.

    ``layout``: ``plain`` or ``compact``, see ``orch.engine.adoption.forms``.
    ``allows_plain``: who asks may see them in clear text. ``form``: ``plain``
    or ``sealed``; what the operator has chosen by default. ``receiver``: the
    public key to seal for; that implies ``sealed``.
    """

    allows_plain: bool
    layout: str
    form: str
    receiver: str


class AbandonFacts(typing.TypedDict):
    """How far an abandonment is.

    ``is_stopping``: what runs was told to end, and has not; ask again, the
    other keys are missing meanwhile. ``token``: by which what is prepared is
    committed. ``document``: the stack, its secrets as asked for. ``form``:
    ``plain`` or ``compact``. ``size``: bytes of JSON of the document.
    ``max_size``: of one that this installation takes; -1 for any.
    ``accepted``: the operation that lets go, while it is not complete.
    """

    is_stopping: bool
    token: typing.NotRequired[str]
    document: typing.NotRequired[dict[str, object]]
    form: typing.NotRequired[str]
    size: typing.NotRequired[int]
    max_size: typing.NotRequired[int]
    accepted: typing.NotRequired[identity.Accepted]


class ForwardedAddress(typing.TypedDict):
    """A signal address of an abandoned stack.

    :ivar path: names of resources from the stack down
    :ivar kind: ``signal``, ``waitcondition`` or ``metadata``
    :ivar new_address: null until it was announced
    :ivar waiting: received signals that are not yet forwarded
    :ivar problem: why the last one was not forwarded, or was refused
    :ivar used_at: when the old address was last used
    :ivar notified_at: when a user of it was last told the new one
    :ivar has_moved: the last user of it knows the new one
    """

    path: typing.Annotated[list[str], rest.HIDDEN]
    type_name: rest.ResourceType
    kind: str
    old_address: str
    new_address: str | None
    waiting: typing.Annotated[rest.Count, rest.Name("signals_waiting")]
    problem: typing.Annotated[str, rest.HIDDEN]
    used_at: typing.Annotated[rest.Time | None, rest.Name("last_used_time")]
    notified_at: typing.Annotated[
        rest.Time | None, rest.Name("last_notified_at")
    ]
    has_moved: typing.Annotated[bool, rest.Name("moved")]


class ForwardingFacts(typing.TypedDict):
    """The signal addresses of an abandoned stack, and their state."""

    stack_name: typing.Annotated[str, rest.HIDDEN]
    addresses: list[ForwardedAddress]


class PhysicalResource(typing.TypedDict, total=False):
    """A physical resource that a caller names by its id.

    ``name``: of its resource; made of the type's where it is missing.
    """

    type_name: str
    physical_id: str
    name: str


class ListingRequest(typing.TypedDict, total=False):
    """A listing of a type; ``name`` and ``tag`` narrow it."""

    type_name: str
    name: str
    tag: str


class GenerationRequest(typing.TypedDict, total=False):
    """What a template is to be written of."""

    resources: list[PhysicalResource]
    listings: list[ListingRequest]


class OmittedResource(typing.TypedDict):
    """A listed physical resource that the generated template leaves out.

    :ivar reason: why, for people
    """

    type_name: typing.Annotated[str, rest.Name("type")]
    physical_id: typing.Annotated[str | None, rest.Name("resource_id")]
    reason: str


class GenerationFacts(typing.TypedDict):
    """A generated template; ``document`` is for its adoption."""

    document: dict[str, object]
    omitted: list[OmittedResource]


@methods.namespace("adoption")
class Adoption(typing.Protocol):
    """Adoption and abandonment of stacks, and their old addresses.

    ``secrets`` says how a document holds its secrets; ``None`` for clear text.
    """

    @methods.changes(once=True)
    def adopt(
        self,
        ctxt: request.RequestContext,
        **wanted: typing.Unpack[AdoptionRequest],
    ) -> identity.Accepted:
        """Accept the adoption of a stack durably; nothing has run yet."""

    @methods.changes()
    def export(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        secrets: SecretsRequest | None = None,
    ) -> dict[str, object]:
        """Return the document of a stack; nothing changes."""

    @methods.changes()
    def prepare(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        secrets: SecretsRequest | None = None,
    ) -> AbandonFacts:
        """Stop open operations and store the document of the stack."""

    @methods.changes()
    def commit(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        token: str | None = None,
        secrets: SecretsRequest | None = None,
    ) -> AbandonFacts:
        """Accept the abandonment of a stack durably.

        :param token: of the prepared document; ``None`` to do both at once
        """

    @methods.changes()
    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        secrets: SecretsRequest | None = None,
    ) -> dict[str, object]:
        """Return the document of an abandoned stack."""

    @methods.changes()
    def show_addresses(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, object]:
        """Return the announcement of an adopted stack's addresses."""

    @methods.changes()
    def list_forwarded(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> ForwardingFacts:
        """Return the state of the addresses of an abandoned stack."""

    @methods.changes()
    def announce(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        document: dict[str, object],
    ) -> ForwardingFacts:
        """Forward what arrives at an abandoned stack, from now on.

        :param document: the announcement of the adopting installation
        """

    @methods.changes()
    def generate(
        self, ctxt: request.RequestContext, request: GenerationRequest
    ) -> GenerationFacts:
        """Return template and document of existing physical resources."""
