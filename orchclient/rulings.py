"""What lifecycle plug-ins say of operations, as values."""

import dataclasses
import datetime

from orchclient import reading

Json = reading.Json


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a plug-in says.

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
            plugin=reading.needed_text(body, "plugin"),
            ruling=reading.needed_text(body, "ruling"),
            text=reading.text(body, "text"),
        )

    @property
    def line(self) -> str:
        """Return it in a line."""
        return f"{self.plugin}: {self.ruling}: {' '.join(self.text.split())}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a plug-in.

    :ivar verb: the request that it was asked about
    :ivar phase: ``pre`` or ``post``
    :ivar ruling: what the answer counts as; ``None`` where there is none
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
            plugin=reading.needed_text(body, "plugin"),
            phase=reading.needed_text(body, "phase"),
            began_at=reading.moment(body, "began_at"),
            attempt=reading.integer(body, "attempt"),
            verb=reading.text(body, "verb"),
            ruling=reading.find_text(body, "ruling"),
            text=reading.text(body, "text"),
            error=reading.find_text(body, "error"),
            seconds=reading.number(body, "seconds"),
            is_repeat=reading.boolean(body, "is_repeat"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """That an operation waits, or waited, until somebody answers.

    :ivar deadline_at: when it counts as rejected
    :ivar answer: ``approved``, ``rejected`` or ``expired``; ``None`` while
        it waits
    :ivar answer_text: what whoever answered had to say
    """

    plugin: str
    text: str
    asked_at: datetime.datetime
    deadline_at: datetime.datetime
    answer: str | None = None
    answered_by: str | None = None
    answered_at: datetime.datetime | None = None
    answer_text: str = ""

    @classmethod
    def of(cls, body: Json) -> "Hold":
        """Return the hold that a body describes."""
        return cls(
            plugin=reading.needed_text(body, "plugin"),
            text=reading.text(body, "text"),
            asked_at=reading.moment(body, "asked_at"),
            deadline_at=reading.moment(body, "deadline_at"),
            answer=reading.find_text(body, "answer"),
            answered_by=reading.find_text(body, "answered_by"),
            answered_at=reading.find_moment(body, "answered_at"),
            answer_text=reading.text(body, "answer_text"),
        )

    @property
    def is_open(self) -> bool:
        """Answer whether nobody has answered yet."""
        return self.answer is None


def many(body: Json) -> tuple[Verdict, ...]:
    """Return the verdicts that a body tells; none where it tells none."""
    return tuple(map(Verdict.of, reading.maps(body, "verdicts")))


def find_hold(body: Json) -> Hold | None:
    """Return the hold that a body tells."""
    found = body.get("hold")
    return None if found is None else Hold.of(reading.mapping(found))
