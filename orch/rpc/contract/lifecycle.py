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

Cause: typing.TypeAlias = typing.Annotated[
    str, rest.Words(("request", "signal", "repair"))
]


_Enforcement: typing.TypeAlias = typing.Annotated[
    str,
    rest.Words(("advisory", "soft-mandatory", "mandatory")),
    rest.Default("mandatory"),
]
_Text: typing.TypeAlias = typing.Annotated[str, rest.Default("")]


class LifecyclePluginFacts(typing.TypedDict):
    """A plug-in that is called before and after operations.

    :ivar ordinal: lower ones come first, where nothing else is declared
    :ivar before: names of those that it comes before
    :ivar after: names of those that it comes after
    :ivar scope: ``roots`` or ``every stack``
    :ivar verbs: requests that it is called for; null for all
    :ivar supports_preview: its verdicts are in plans, too
    :ivar time_limit_s: that one call may take
    :ivar is_fail_open: its errors only warn
    :ivar is_legacy: it was written for Heat
    :ivar enforcement: what its denials do: ``advisory`` ones warn,
        ``soft-mandatory`` ones can be overridden, ``mandatory`` ones cannot
    :ivar load_error: why it could not be loaded; null for one that was
    :ivar settings_number: of the plug-in settings in force, one more with each
        activation
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
    enforcement: typing.NotRequired[_Enforcement]
    settings_number: typing.NotRequired[
        typing.Annotated[rest.Count, rest.Default(0)]
    ]


class VerdictFacts(typing.TypedDict):
    """The verdict of a lifecycle plug-in.

    :ivar ruling: ``allow``, ``warn``, ``deny`` or ``hold``; of a plug-in that
        failed ``deny``, or ``warn`` where it is advisory or fails open
    :ivar text: why
    :ivar enforcement: level of the plug-in; a denial of a ``soft-mandatory``
        one can be overridden, and an ``advisory`` one only warns
    :ivar overridden_by: who has overridden the denial; null where it was not
    :ivar override_reason: why
    """

    plugin: str
    ruling: Ruling
    text: str
    enforcement: typing.NotRequired[_Enforcement]
    overridden_by: typing.NotRequired[rest.OptionalText]
    override_reason: typing.NotRequired[_Text]


class CallFacts(typing.TypedDict):
    """One call of a plug-in.

    :ivar verb: the request that it was called for
    :ivar phase: ``pre`` or ``post``
    :ivar ruling: of its answer; null in a post-op, and where there is none
    :ivar error: why there is no answer; null where it answered
    :ivar seconds: that the call took
    :ivar is_repeat: it was made again after a crash
    :ivar enforcement: level of the plug-in, in a pre-op
    :ivar overridden_by: who has overridden the denial; null where it was not
    :ivar override_reason: why
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
    enforcement: typing.NotRequired[_Enforcement]
    overridden_by: typing.NotRequired[rest.OptionalText]
    override_reason: typing.NotRequired[_Text]


class HoldFacts(typing.TypedDict):
    """A hold of an operation, answered or not.

    :ivar deadline_at: when it counts as rejected
    :ivar answer: ``approved``, ``rejected`` or ``expired``; null while it
        waits
    :ivar answer_text: the comment of the user who answered
    :ivar needs_other: who requested the operation may not approve it
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
    needs_other: typing.NotRequired[
        typing.Annotated[bool, rest.Default(False)]
    ]


class ChildHoldFacts(typing.TypedDict):
    """A hold of a stack that is not answered yet.

    :ivar path: names of resources from the stack whose operation it is down
        to the stack that waits; empty for itself
    :ivar stack: that waits
    """

    path: list[str]
    stack: typing.Annotated[identity.StackIdentity, rest.Stack(rel="stack")]
    hold: HoldFacts


class OpenHoldFacts(typing.TypedDict):
    """An operation on hold, until it is approved or rejected.

    :ivar path: names of resources from the root stack down to the stack that
        waits; empty for the root
    :ivar stack: that waits
    :ivar root: the root stack
    :ivar project_id: of both
    :ivar cause: ``request``, ``signal`` or ``repair``
    :ivar requested_by: null where no user has asked
    :ivar policy_set_by: who set the drift policy that a repair follows; null
        where that is not known
    """

    path: list[str]
    stack: typing.Annotated[
        identity.StackIdentity, rest.Stack(id="stack_id", rel="stack")
    ]
    root: typing.Annotated[
        identity.StackIdentity, rest.Stack(name="root_name", rel="root")
    ]
    project_id: typing.NotRequired[typing.Annotated[str, rest.Default("")]]
    operation_id: str
    action: str
    cause: typing.NotRequired[typing.Annotated[Cause, rest.Default("request")]]
    requested_by: str | None
    policy_set_by: typing.NotRequired[rest.OptionalText]
    hold: HoldFacts


@methods.namespace("lifecycle")
class Lifecycle(typing.Protocol):
    """Lifecycle plug-ins, and holds and their answers."""

    @methods.reads()
    def list(self, ctxt: request.RequestContext) -> list[LifecyclePluginFacts]:
        """Return the plug-ins in force, in the order of their calls.

        :raises orch.errors.AskAnother: the worker does not have them
        """

    # A method above is named list, which hides the built-in type in here.
    @methods.reads()
    def holds(
        self, ctxt: request.RequestContext
    ) -> collections.abc.Sequence[OpenHoldFacts]:
        """Return the open holds of the project, the oldest first."""

    @methods.reads()
    def all_holds(
        self, ctxt: request.RequestContext
    ) -> collections.abc.Sequence[OpenHoldFacts]:
        """Return the open holds of all projects, the oldest first."""

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
        :raises orch.errors.Forbidden: the caller has requested the operation,
            and another user has to approve it
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
