"""Topics that notifications are published to, and what each of them gets."""

import collections.abc
import dataclasses
import fnmatch
import typing

from oslo_config import cfg

from orch import errors
from orch.model import notification

_EVENT_TYPE: typing.Final = "event_type"
_PROJECT_ID: typing.Final = "project_id"
_KEYS: typing.Final = (_EVENT_TYPE, _PROJECT_ID)

Patterns = tuple[str, ...]


class InvalidSelection(errors.Invalid):
    """A selection in ``[notifications]`` cannot be used."""

    code = "orch.notification.selection"


@dataclasses.dataclass(frozen=True, slots=True)
class Selection:
    """The notifications whose event type and project match a pattern each.

    :ivar event_type: patterns as of a shell; of none every type matches
    :ivar project_id: the same of projects
    """

    event_type: Patterns = ()
    project_id: Patterns = ()

    def has(self, value: notification.Notification) -> bool:
        """Whether a notification is selected."""
        project_id = str(value.payload.get(_PROJECT_ID) or "")
        return _matches(value.event_type, self.event_type) and _matches(
            project_id, self.project_id
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Topic:
    """A topic of ``[notifications] topics``.

    :ivar selections: it gets what any of them selects; without any, all
    """

    name: str
    selections: tuple[Selection, ...] = ()

    def has(self, value: notification.Notification) -> bool:
        """Whether it gets a notification."""
        return not self.selections or any(
            each.has(value) for each in self.selections
        )


def read_topics(conf: cfg.ConfigOpts) -> tuple[Topic, ...]:
    """Return the topics that the options give, each once.

    :raises InvalidSelection: a selection names no topic of these, or no key
        or pattern
    """
    names = tuple(dict.fromkeys(conf.notifications.topics))
    found: dict[str, list[Selection]] = {name: [] for name in names}
    for line in conf.notifications.selection:
        topic, selection = _parse(line)
        if topic not in found:
            raise _invalid(
                line, f"{topic!r} is not among topics: {', '.join(names)}"
            )
        found[topic].append(selection)
    return tuple(Topic(name, tuple(each)) for name, each in found.items())


def _parse(line: str) -> tuple[str, Selection]:
    topic, *parts = line.split() or [""]
    if not parts:
        raise _invalid(line, "it has no event_type and no project_id")
    given: dict[str, Patterns] = {}
    for part in parts:
        key, _, text = part.partition("=")
        if key not in _KEYS:
            raise _invalid(line, f"{key!r} must be of: {', '.join(_KEYS)}")
        patterns = tuple(filter(None, text.split(",")))
        if not patterns:
            raise _invalid(line, f"{key} has no pattern")
        given[key] = (*given.get(key, ()), *patterns)
    return topic, Selection(**given)


def _matches(text: str, patterns: collections.abc.Collection[str]) -> bool:
    return not patterns or any(
        fnmatch.fnmatchcase(text, each) for each in patterns
    )


def _invalid(line: str, problem: str) -> InvalidSelection:
    return InvalidSelection(
        f"[notifications] selection = {line}: {problem}. Write it as:"
        " TOPIC event_type=PATTERN,PATTERN project_id=PATTERN"
    )
