"""Verdicts, calls and holds of lifecycle plug-ins, as values."""

import dataclasses
import datetime

from orchclient import response_parser

Json = response_parser.Json


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict of a lifecycle plug-in.

    :ivar ruling: ``allow``, ``warn``, ``deny`` or ``hold``
    :ivar text: why
    """

    plugin: str
    ruling: str
    text: str = ""

    @classmethod
    def of(cls, body: Json) -> "Verdict":
        """Return the verdict that a body describes."""
        return cls(
            plugin=response_parser.required_text(body, "plugin"),
            ruling=response_parser.required_text(body, "ruling"),
            text=response_parser.get_text(body, "text"),
        )

    @property
    def line(self) -> str:
        """Return the verdict in a line."""
        return f"{self.plugin}: {self.ruling}: {' '.join(self.text.split())}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a plug-in.

    :ivar verb: the request that it was called for
    :ivar phase: ``pre`` or ``post``
    :ivar ruling: of its answer; ``None`` where there is none
    :ivar error: why there is no answer
    :ivar is_repeat: it was made again after a crash
    """

    plugin: str
    phase: str
    began_at: datetime.datetime
    attempt: int = 1
    verb: str = ""
    ruling: str | None = None
    text: str = ""
    error: str | None = None
    seconds: float = 0.0
    is_repeat: bool = False

    @classmethod
    def of(cls, body: Json) -> "Call":
        """Return the call that a body describes."""
        return cls(
            plugin=response_parser.required_text(body, "plugin"),
            phase=response_parser.required_text(body, "phase"),
            began_at=response_parser.required_time(body, "began_at"),
            attempt=response_parser.get_integer(body, "attempt"),
            verb=response_parser.get_text(body, "verb"),
            ruling=response_parser.find_text(body, "ruling"),
            text=response_parser.get_text(body, "text"),
            error=response_parser.find_text(body, "error"),
            seconds=response_parser.get_number(body, "seconds"),
            is_repeat=response_parser.get_boolean(body, "is_repeat"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A hold of an operation, answered or not.

    :ivar deadline_at: when it counts as rejected
    :ivar answer: ``approved``, ``rejected`` or ``expired``; ``None`` while
        it waits
    :ivar answer_text: the comment of the user who answered
    """

    plugin: str
    text: str
    requested_at: datetime.datetime
    deadline_at: datetime.datetime
    answer: str | None = None
    answered_by: str | None = None
    answered_at: datetime.datetime | None = None
    answer_text: str = ""

    @classmethod
    def of(cls, body: Json) -> "Hold":
        """Return the hold that a body describes."""
        return cls(
            plugin=response_parser.required_text(body, "plugin"),
            text=response_parser.get_text(body, "text"),
            requested_at=response_parser.required_time(body, "requested_at"),
            deadline_at=response_parser.required_time(body, "deadline_at"),
            answer=response_parser.find_text(body, "answer"),
            answered_by=response_parser.find_text(body, "answered_by"),
            answered_at=response_parser.find_time(body, "answered_at"),
            answer_text=response_parser.get_text(body, "answer_text"),
        )

    @property
    def is_open(self) -> bool:
        """Whether the hold is not answered yet."""
        return self.answer is None


def read_verdicts(body: Json) -> tuple[Verdict, ...]:
    """Return the verdicts of a body; may be empty."""
    return tuple(map(Verdict.of, response_parser.get_maps(body, "verdicts")))


def find_hold(body: Json) -> Hold | None:
    """Return the hold of a body."""
    found = body.get("hold")
    return None if found is None else Hold.of(response_parser.read_map(found))
