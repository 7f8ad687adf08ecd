"""Facts of lifecycle plug-ins and their verdicts."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import methods
from orch.rpc.contract import rest

Ruling: typing.TypeAlias = typing.Annotated[
    str, rest.Words(("allow", "warn", "deny", "hold"))
]


class LifecyclePluginFacts(typing.TypedDict):
    """One plug-in of the worker that answers; a list has them in their order.

    ``scope``: roots, or every stack. ``verbs``: requests that it is called
    for; null for all. ``is_fail_open``: its errors only warn.
    ``is_legacy``: written for Heat. ``load_error``: why it could not be
    loaded; null for one that was.
    """

    name: str
    ordinal: int
    before: list[str]
    after: list[str]
    scope: typing.Annotated[str, rest.Words(("roots", "every stack"))]
    verbs: list[str] | None
    supports_preview: bool
    time_limit_s: typing.Annotated[rest.Seconds, rest.Name("time_limit")]
    is_fail_open: bool
    is_legacy: bool
    load_error: str | None


class VerdictFacts(typing.TypedDict):
    """What a plug-in says of an operation.

    ``ruling``: allow, warn, deny or hold. ``text``: why, for people.
    """

    plugin: str
    ruling: Ruling
    text: str


class CallFacts(typing.TypedDict):
    """One call of a plug-in.

    ``verb``: the request that it was asked about. ``phase``: pre or post.
    ``ruling``: what the answer counts as; null in a
    post-op, and where there was none. ``error``: what the plug-in raised, or
    why there is no answer; null where it answered. ``seconds``: that the
    call took. ``is_repeat``: it was made again after a crash.
    """

    plugin: str
    attempt: rest.Count
    verb: str
    phase: typing.Annotated[str, rest.Words(("pre", "post"))]
    ruling: Ruling | None
    text: str
    error: str | None
    began_at: rest.Time
    seconds: rest.Seconds
    is_repeat: bool


class HoldFacts(typing.TypedDict):
    """A hold of an operation, answered or not.

    ``answer``: approved, rejected or expired; null while it waits.
    ``deadline_at``: when it expires.
    """

    plugin: str
    text: str
    requested_at: rest.Time
    deadline_at: rest.Time
    answer: typing.Annotated[
        str | None, rest.Words(("approved", "rejected", "expired"))
    ]
    answered_by: str | None
    answered_at: rest.Time | None
    answer_text: str


class ChildHoldFacts(typing.TypedDict):
    """That the operation of a stack in the stack is held.

    ``path``: names of resources from the stack that was asked about down to
    the one that is the stack.
    """

    path: list[str]
    stack: typing.Annotated[identity.StackIdentity, rest.Stack(rel="stack")]
    hold: HoldFacts


class OpenHoldFacts(typing.TypedDict):
    """A hold of a project's operation that is not answered yet.

    ``path``: names of resources from the outermost stack, ``root``, down to
    the one that is the stack; empty for the outermost one itself.
    """

    path: list[str]
    stack: typing.Annotated[
        identity.StackIdentity, rest.Stack(id="stack_id", rel="stack")
    ]
    root: typing.Annotated[
        identity.StackIdentity, rest.Stack(name="root_name", rel="root")
    ]
    operation_id: str
    action: str
    requested_by: str | None
    hold: HoldFacts


@methods.namespace("lifecycle")
class Lifecycle(typing.Protocol):
    """Lifecycle plug-ins, and holds and their answers."""

    @methods.reads()
    def list(self, ctxt: request.RequestContext) -> list[LifecyclePluginFacts]:
        """Return the plug-ins of the worker, in the order of their calls."""

    # A method above is named list, which hides the built-in type in here.
    @methods.reads()
    def holds(
        self, ctxt: request.RequestContext
    ) -> collections.abc.Sequence[OpenHoldFacts]:
        """Return the open holds of the project, the oldest first."""

    @methods.changes(once=True)
    def approve(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        text: str = "",
        operation_id: str | None = None,
    ) -> identity.Accepted:
        """Approve the held operation of a stack, so that it goes on.

        :param text: why, for people
        :param operation_id: the operation that is meant; ``None`` for any
            held one
        :raises orch.errors.Conflict: it is not held
        """

    @methods.changes(once=True)
    def reject(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        text: str = "",
        operation_id: str | None = None,
    ) -> identity.Accepted:
        """Reject the held operation of a stack, so that it fails.

        Parameters and errors are those of :meth:`approve`.
        """
