"""What travels when stacks are adopted and abandoned."""

import typing

from orch.rpc.contract import identity


class AdoptionOptions(typing.TypedDict, total=False):
    """How physical resources are taken over; keys may be missing.

    ``verify``: ``refuse``, ``warn`` (by default) or ``take``: what becomes
    of those that are not as the template says. ``creates_missing``: what has
    no id is made; false by default, then its adoption fails. ``allows_owned``:
    things that another stack owns are taken as well.
    """

    verify: str
    creates_missing: bool
    allows_owned: bool


class SecretsRequest(typing.TypedDict, total=False):
    """How a document holds its secrets; keys may be missing.

    ``allows_plain``: who asks may see them in clear text. ``form``: ``plain``
    or ``sealed``; what the operator has chosen by default. ``receiver``: the
    public key to seal for; that implies ``sealed``.
    """

    allows_plain: bool
    form: str
    receiver: str


class AbandonFacts(typing.TypedDict):
    """How far an abandonment is.

    ``is_stopping``: what runs was told to end, and has not; ask again, the
    other keys are missing meanwhile. ``token``: by which what is prepared is
    committed. ``document``: the stack, its secrets as asked for. ``accepted``:
    the operation that lets go, while it is not complete.
    """

    is_stopping: bool
    token: typing.NotRequired[str]
    document: typing.NotRequired[dict[str, object]]
    accepted: typing.NotRequired[identity.Accepted]


class ForwardedAddress(typing.TypedDict):
    """A signal address of an abandoned stack.

    ``kind``: ``signal``, ``waitcondition`` or ``metadata``. ``new_address``:
    null until it was announced. ``waiting``: signals not passed on yet.
    ``problem``: why the last one was not, or was refused. ``used_at``,
    ``notified_at``: when somebody last used the old address, and was last told
    the new one. ``has_moved``: whoever used it knows the new one.
    """

    path: list[str]
    type_name: str
    kind: str
    old_address: str
    new_address: str | None
    waiting: int
    problem: str
    used_at: float | None
    notified_at: float | None
    has_moved: bool


class ForwardingFacts(typing.TypedDict):
    """The signal addresses of an abandoned stack, and their state."""

    stack_name: str
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
    """A listed physical resource not in the template, and why."""

    type_name: str
    physical_id: str
    reason: str


class GenerationFacts(typing.TypedDict):
    """A generated template; ``document`` is for its adoption."""

    document: dict[str, object]
    omitted: list[OmittedResource]
