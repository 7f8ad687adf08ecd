# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: lifecycle."""

import dataclasses
import datetime

from orchclient import response_parser
from orchclient import stack_identity
from orchclient.values import methods


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A plug-in that is called before and after operations.

    :ivar ordinal: lower ones come first, where nothing else is declared
    :ivar before: names of those that it comes before
    :ivar after: names of those that it comes after
    :ivar scope: ``roots`` or ``every stack``
    :ivar verbs: requests that it is called for; ``None`` for all
    :ivar supports_preview: its verdicts are in plans, too
    :ivar time_limit_s: that one call may take
    :ivar is_fail_open: its errors only warn
    :ivar is_legacy: it was written for Heat
    :ivar load_error: why it could not be loaded; ``None`` for one that was
    :ivar enforcement: what its denials do: ``advisory`` ones warn,
        ``soft-mandatory`` ones can be overridden, ``mandatory`` ones cannot
    :ivar settings_number: of the plug-in settings in force, one more with each
        activation
    """

    name: str
    ordinal: int = 0
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    scope: str = ""
    verbs: tuple[str, ...] | None = None
    supports_preview: bool = False
    time_limit_s: float = 0.0
    is_fail_open: bool = False
    is_legacy: bool = False
    load_error: str | None = None
    enforcement: str = "mandatory"
    settings_number: int = 0

    @classmethod
    def of(cls, body: response_parser.Json) -> "Plugin":
        """Return the value that a body describes."""
        return cls(
            name=response_parser.required_text(body, "name"),
            ordinal=response_parser.get_integer(body, "ordinal"),
            before=response_parser.get_texts(body, "before"),
            after=response_parser.get_texts(body, "after"),
            scope=response_parser.get_text(body, "scope"),
            verbs=response_parser.find_texts(body, "verbs"),
            supports_preview=response_parser.get_boolean(
                body, "supports_preview"
            ),
            time_limit_s=response_parser.get_number(body, "time_limit"),
            is_fail_open=response_parser.get_boolean(body, "is_fail_open"),
            is_legacy=response_parser.get_boolean(body, "is_legacy"),
            load_error=response_parser.find_text(body, "load_error"),
            enforcement=response_parser.get_text(
                body, "enforcement", "mandatory"
            ),
            settings_number=response_parser.get_integer(
                body, "settings_number"
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(methods.VerdictMethods):
    """The verdict of a lifecycle plug-in.

    :ivar ruling: ``allow``, ``warn``, ``deny`` or ``hold``; of a plug-in that
        failed ``deny``, or ``warn`` where it is advisory or fails open
    :ivar text: why
    :ivar enforcement: level of the plug-in; a denial of a ``soft-mandatory``
        one can be overridden, and an ``advisory`` one only warns
    :ivar overridden_by: who has overridden the denial; ``None`` where it was
        not
    :ivar override_reason: why
    """

    plugin: str
    ruling: str
    text: str = ""
    enforcement: str = "mandatory"
    overridden_by: str | None = None
    override_reason: str = ""

    @classmethod
    def of(cls, body: response_parser.Json) -> "Verdict":
        """Return the value that a body describes."""
        return cls(
            plugin=response_parser.required_text(body, "plugin"),
            ruling=response_parser.required_text(body, "ruling"),
            text=response_parser.get_text(body, "text"),
            enforcement=response_parser.get_text(
                body, "enforcement", "mandatory"
            ),
            overridden_by=response_parser.find_text(body, "overridden_by"),
            override_reason=response_parser.get_text(body, "override_reason"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a plug-in.

    :ivar verb: the request that it was called for
    :ivar phase: ``pre`` or ``post``
    :ivar ruling: of its answer; ``None`` in a post-op, and where there is none
    :ivar error: why there is no answer; ``None`` where it answered
    :ivar seconds: that the call took
    :ivar is_repeat: it was made again after a crash
    :ivar enforcement: level of the plug-in, in a pre-op
    :ivar overridden_by: who has overridden the denial; ``None`` where it was
        not
    :ivar override_reason: why
    """

    plugin: str
    attempt: int = 1
    verb: str = ""
    phase: str
    ruling: str | None = None
    text: str = ""
    error: str | None = None
    began_at: datetime.datetime
    seconds: float = 0.0
    is_repeat: bool = False
    enforcement: str = "mandatory"
    overridden_by: str | None = None
    override_reason: str = ""

    @classmethod
    def of(cls, body: response_parser.Json) -> "Call":
        """Return the value that a body describes."""
        return cls(
            plugin=response_parser.required_text(body, "plugin"),
            attempt=response_parser.get_integer(body, "attempt", 1),
            verb=response_parser.get_text(body, "verb"),
            phase=response_parser.required_text(body, "phase"),
            ruling=response_parser.find_text(body, "ruling"),
            text=response_parser.get_text(body, "text"),
            error=response_parser.find_text(body, "error"),
            began_at=response_parser.required_time(body, "began_at"),
            seconds=response_parser.get_number(body, "seconds"),
            is_repeat=response_parser.get_boolean(body, "is_repeat"),
            enforcement=response_parser.get_text(
                body, "enforcement", "mandatory"
            ),
            overridden_by=response_parser.find_text(body, "overridden_by"),
            override_reason=response_parser.get_text(body, "override_reason"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Hold(methods.HoldMethods):
    """A hold of an operation, answered or not.

    :ivar deadline_at: when it counts as rejected
    :ivar answer: ``approved``, ``rejected`` or ``expired``; ``None`` while it
        waits
    :ivar answer_text: the comment of the user who answered
    :ivar needs_other: who requested the operation may not approve it
    """

    plugin: str
    text: str = ""
    requested_at: datetime.datetime
    deadline_at: datetime.datetime
    answer: str | None = None
    answered_by: str | None = None
    answered_at: datetime.datetime | None = None
    answer_text: str = ""
    needs_other: bool = False

    @classmethod
    def of(cls, body: response_parser.Json) -> "Hold":
        """Return the value that a body describes."""
        return cls(
            plugin=response_parser.required_text(body, "plugin"),
            text=response_parser.get_text(body, "text"),
            requested_at=response_parser.required_time(body, "requested_at"),
            deadline_at=response_parser.required_time(body, "deadline_at"),
            answer=response_parser.find_text(body, "answer"),
            answered_by=response_parser.find_text(body, "answered_by"),
            answered_at=response_parser.find_time(body, "answered_at"),
            answer_text=response_parser.get_text(body, "answer_text"),
            needs_other=response_parser.get_boolean(body, "needs_other"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OpenHold(methods.WaitingMethods):
    """A hold of a stack that is not answered yet.

    :ivar path: names of resources from the stack whose operation it is down to
        the stack that waits; empty for itself
    :ivar stack: that waits
    """

    path: tuple[str, ...] = ()
    stack: stack_identity.StackIdentity
    hold: Hold

    @classmethod
    def of(cls, body: response_parser.Json) -> "OpenHold":
        """Return the value that a body describes."""
        return cls(
            path=response_parser.get_texts(body, "path"),
            stack=stack_identity.get_stack(body, "stack"),
            hold=Hold.of(response_parser.get_map(body, "hold")),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Held(methods.HeldMethods):
    """An operation on hold, until it is approved or rejected.

    :ivar path: names of resources from the root stack down to the stack that
        waits; empty for the root
    :ivar stack: that waits
    :ivar root: the root stack
    :ivar project_id: of both
    :ivar cause: ``request``, ``signal`` or ``repair``
    :ivar requested_by: ``None`` where no user has asked
    :ivar policy_set_by: who set the drift policy that a repair follows;
        ``None`` where that is not known
    """

    path: tuple[str, ...] = ()
    stack: stack_identity.StackIdentity
    root: stack_identity.StackIdentity
    project_id: str = ""
    operation_id: str
    action: str = ""
    cause: str = "request"
    requested_by: str | None = None
    policy_set_by: str | None = None
    hold: Hold

    @classmethod
    def of(cls, body: response_parser.Json) -> "Held":
        """Return the value that a body describes."""
        return cls(
            path=response_parser.get_texts(body, "path"),
            stack=stack_identity.get_stack(body, "stack"),
            root=stack_identity.get_stack(body, "root"),
            project_id=response_parser.get_text(body, "project_id"),
            operation_id=response_parser.required_text(body, "operation_id"),
            action=response_parser.get_text(body, "action"),
            cause=response_parser.get_text(body, "cause", "request"),
            requested_by=response_parser.find_text(body, "requested_by"),
            policy_set_by=response_parser.find_text(body, "policy_set_by"),
            hold=Hold.of(response_parser.get_map(body, "hold")),
        )
