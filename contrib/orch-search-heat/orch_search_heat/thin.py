"""Documents built from a notification alone, without reading the stack.

Heat's say little: whose it is, what it is called, and how it stands. There
is no number that grows with each change: the moment of sending, in
microseconds since 1970, stands in for it.
"""

import collections.abc
import dataclasses
import datetime
import typing

from orch import clock
from orch.search import document

MICRO: typing.Final = 1_000_000
STACK_TYPE: typing.Final = "OS::Heat::Stack"

_GONE: typing.Final = ("orchestration.stack.delete.end", "DELETE_COMPLETE")

Values = collections.abc.Mapping[str, object]


def documents_of(
    thin: Values, hidden_tags: frozenset[str] = frozenset()
) -> document.StackDocuments | None:
    """Return the document of a notification's stack, or none.

    :param thin: ``event_type``, ``version``: when it was sent, and
        ``payload``
    :param hidden_tags: only administrators find stacks that have one
    :returns: ``None`` where it does not say of which stack it is
    """
    payload = thin.get("payload")
    version = thin.get("version")
    if not isinstance(payload, collections.abc.Mapping):
        return None
    stack_id = _text(payload, "stack_identity").rpartition("/")[2]
    if not stack_id or not isinstance(version, int):
        return None
    found = document.StackDocuments(
        stack_id=stack_id,
        version=version,
        read_at=clock.Timestamp(version / MICRO),
        redacted=document.UNKNOWN_REDACTION,
    )
    event_type, gone = _GONE
    if thin.get("event_type") == event_type or payload.get("state") == gone:
        return found
    built = _document(stack_id, payload, hidden_tags)
    redacted = found.redacted
    if built.is_hidden:
        redacted = redacted.union({document.WHOLE_STACK})
    return dataclasses.replace(found, documents=(built,), redacted=redacted)


def parse_time(text: object) -> clock.Timestamp | None:
    """Return the time of a text; ``None`` for no time.

    With or without fractions of a second, and in UTC where no zone is named.
    """
    if not isinstance(text, str):
        return None
    try:
        when = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=datetime.UTC)
    return clock.Timestamp(when.timestamp())


def split_state(state: str) -> tuple[str, str]:
    """Return action and status of a state such as ``CREATE_COMPLETE``."""
    action, _, status = state.partition("_")
    return action, status


def _document(
    stack_id: str, payload: Values, hidden_tags: frozenset[str]
) -> document.Document:
    action, status = split_state(_text(payload, "state"))
    name = _text(payload, "stack_name")
    given = payload.get("tags")
    tags = tuple(map(str, given)) if isinstance(given, list) else ()
    user_id = _text(payload, "user_identity")
    return document.Document(
        id=f"stack/{stack_id}",
        kind=document.STACK,
        stack_id=stack_id,
        root_id=stack_id,
        project_id=_text(payload, "tenant_id"),
        path=name,
        name=name,
        type=STACK_TYPE,
        action=action,
        status=status,
        reason=_reason(payload, status),
        description=_text(payload, "description"),
        created_at=parse_time(payload.get("create_at")),
        updated_at=parse_time(payload.get("updated_at"))
        or parse_time(payload.get("create_at")),
        owner=_text(payload, "username") or _text(payload, "user_id"),
        tags=tags,
        is_hidden=not hidden_tags.isdisjoint(tags),
        admin={"stack.user_id": (user_id,)} if user_id else {},
    )


def _reason(payload: Values, status: str) -> str:
    """Return a reason that quotes nothing: what is hidden is not known."""
    found = _text(payload, "state_reason")
    return "" if status == "FAILED" or ":" in found else found


def _text(payload: Values, name: str) -> str:
    found = payload.get(name)
    return found if isinstance(found, str) else ""
