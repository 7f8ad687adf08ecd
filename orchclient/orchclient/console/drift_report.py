"""Reports of drift for users: a tree, property by property."""

import collections.abc
import dataclasses
import datetime
import difflib
import itertools
import typing

import rich.console
import rich.text

from orchclient import drift
from orchclient import sensitive
from orchclient.console import formatting

_INDENT: typing.Final = "  "
_MAX_LENGTH: typing.Final = 200
_EXPECTED: typing.Final = "red"
_LIVE: typing.Final = "green"
_STYLES: typing.Final[collections.abc.Mapping[str, str]] = {
    drift.IN_SYNC: "green",
    drift.DRIFTED: "red",
    drift.UNKNOWN: "yellow",
    drift.NOTHING: "dim",
}
_SIGNS: typing.Final[collections.abc.Mapping[str, str]] = {
    drift.IN_SYNC: "=",
    drift.DRIFTED: "~",
    drift.UNKNOWN: "?",
    drift.NOTHING: " ",
}
_WORDS: typing.Final[collections.abc.Mapping[str, str]] = {
    drift.IN_SYNC: "in sync",
    drift.DRIFTED: "drifted",
    drift.UNKNOWN: "unknown",
    drift.NOTHING: "nothing to observe",
}

_UNCOVERED: typing.Final[collections.abc.Mapping[str, str]] = {
    "no_reading": "its type cannot read it",
    "not_observed": "not observed since the last change",
    "failed": "it could not be read",
    "write_only": "the service never shows it",
    "hidden": "sensitive, and not shown",
    "not_shown": "not shown by the service",
    "ignored": "ignored by the drift policy",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """A line and its colour, for terminals that show colours."""

    text: str
    style: str = ""


def write_lines(
    out: typing.TextIO, lines: collections.abc.Iterable[Line]
) -> None:
    """Write lines, in colours on a terminal and plain elsewhere."""
    console = rich.console.Console(file=out, highlight=False)
    for each in lines:
        console.print(rich.text.Text(each.text, each.style), soft_wrap=True)


def report_lines(name: str, report: drift.Report) -> list[Line]:
    """Return a report as lines, a child stack below its resource.

    Signs are ``=`` (in sync), ``~`` (drifted), ``-`` (vanished) and ``?``
    (unknown). Resources without a physical resource are only counted.
    ``(sensitive)`` stands for what the service does not send.

    :param name: of the stack
    """
    by_path = {each.path: each for each in report.stacks}
    outermost = min(by_path, key=len, default=None)
    listed = {one.path for each in report.stacks for one in each.resources}
    found = [
        _title(name, report),
        *pause_lines(report.paused_at, report.repairs_stopped_at),
    ]
    for path in sorted(by_path, key=lambda each: each.split("/")):
        if path == outermost:
            found.extend(_stack(by_path, path, 1))
        elif path not in listed and by_path[path].resources:
            # A filter has left out the resource that holds it.
            found.append(Line(f"{_INDENT}{path}:"))
            found.extend(_stack(by_path, path, 2))
    return found


def pause_lines(
    paused_at: datetime.datetime | None,
    repairs_stopped_at: datetime.datetime | None,
) -> list[Line]:
    """Return what the observer does not do, and since when."""
    found: list[Line] = []
    if paused_at is not None:
        found.append(
            Line(
                "The observer is paused since"
                f" {formatting.time_text(paused_at)}; drift resume ends that",
                "yellow",
            )
        )
    if repairs_stopped_at is not None:
        found.append(
            Line(
                "Repairs are stopped since"
                f" {formatting.time_text(repairs_stopped_at)}, as too much has"
                " vanished at once; drift resume goes on all the same",
                "yellow",
            )
        )
    return found


def counts_summary(counts: drift.Counts) -> str:
    """Return how many resources there are of each state."""
    changed = [
        f"{counts[state]} {_WORDS[state]}"
        for state in drift.STATES
        if counts.get(state)
    ]
    return ", ".join(changed) or "no resources"


def _title(name: str, report: drift.Report) -> Line:
    said = [f"{name}: {_WORDS[report.state]}"]
    if report.observed_at is None:
        said.append("never observed (--refresh does)")
    else:
        age = formatting.span_text(report.age_s or 0)
        said.append(f"as seen {age} ago")
    said.append(counts_summary(report.counts))
    said.append(f"coverage {report.coverage} %")
    return Line("; ".join(said), _STYLES.get(report.state, ""))


def _stack(
    by_path: collections.abc.Mapping[str, drift.StackDrift],
    path: str,
    depth: int,
) -> list[Line]:
    found: list[Line] = []
    for each in by_path[path].resources:
        is_stack = each.path in by_path and each.path != path
        below = _stack(by_path, each.path, depth + 1) if is_stack else []
        if each.state != drift.NOTHING or below:
            found.extend(_resource_lines(each, depth))
            found.extend(below)
    return found


def _resource_lines(resource: drift.DriftResource, depth: int) -> list[Line]:
    indent = _INDENT * depth
    style = _STYLES.get(resource.state, "")
    sign = "-" if resource.is_vanished else _SIGNS.get(resource.state, "?")
    said = [f"{indent}{sign} {resource.name} ({resource.type})"]
    if resource.is_vanished:
        said.append("vanished")
    if resource.state == drift.UNKNOWN:
        said.append(f"unknown: {resource.reason or 'never observed'}")
    if resource.state == drift.DRIFTED:
        if resource.drifted_at is not None:
            said.append(f"since {formatting.time_text(resource.drifted_at)}")
        said.append(f"policy {resource.policy}")
        if resource.reason:
            said.append(resource.reason)
    if (
        resource.state in (drift.IN_SYNC, drift.DRIFTED)
        and resource.coverage < 100
    ):
        said.append(f"coverage {resource.coverage} %")
    found = [Line("; ".join(said), style)]
    if resource.uncovered and resource.state != drift.UNKNOWN:
        names = ", ".join(
            f"{each.property} ({_UNCOVERED.get(each.reason, each.reason)})"
            for each in resource.uncovered
        )
        found.append(
            Line(f"{indent}{2 * _INDENT}not compared: {names}", "dim")
        )
    for each in resource.differences:
        found.extend(_difference(each, resource, indent + 2 * _INDENT))
    return found


def _difference(
    difference: drift.Difference, resource: drift.DriftResource, indent: str
) -> list[Line]:
    is_own = difference.policy not in ("", resource.policy)
    own = f"  # policy {difference.policy}" if is_own else ""
    # An earlier release of the service sends no places.
    whole = drift.PlaceDifference(
        place=difference.property,
        expected=difference.expected,
        live=difference.live,
    )
    found: list[Line] = []
    for name, places in itertools.groupby(
        difference.places or (whole,), lambda each: each.place
    ):
        found.append(Line(f"{indent}{name}:{own}"))
        found.extend(
            Line(
                f"{indent}{_INDENT}{line}",
                {"-": _EXPECTED, "+": _LIVE}.get(line[:1], "dim"),
            )
            for each in places
            for line in _sides(each)
        )
    return found


def _sides(difference: drift.PlaceDifference) -> list[str]:
    """Return what was and what is; of texts, the lines that differ."""
    expected, live = difference.expected, difference.live
    if (
        isinstance(expected, str)
        and isinstance(live, str)
        and not (
            sensitive.is_redacted(expected) or sensitive.is_redacted(live)
        )
        and ("\n" in expected.rstrip("\n") or "\n" in live.rstrip("\n"))
    ):
        return _changed_lines(expected, live)
    sides = {"removed": "-", "added": "+"}.get(difference.kind, "-+")
    values = {"-": expected, "+": live}
    return [f"{each} {value_text(values[each])}" for each in sides]


def _changed_lines(expected: str, live: str) -> list[str]:
    ours = [_line(each) for each in expected.splitlines(keepends=True)]
    theirs = [_line(each) for each in live.splitlines(keepends=True)]
    changed = list(difflib.unified_diff(ours, theirs, lineterm="", n=1))[2:]
    return [
        each if each.startswith("@@") else f"{each[:1]} {_short(each[1:])}"
        for each in changed
    ]


def _line(line: str) -> str:
    """Return a line of a text; an unusual line ending is shown."""
    if line.endswith("\n") and not line.endswith("\r\n"):
        return _printable(line[:-1])
    return f"{_printable(line)} (no end of line)"


def _printable(text: str) -> str:
    """Return a text without control characters."""
    return "".join(
        each if each.isprintable() or each == "\t" else repr(each).strip("'")
        for each in text
    )


def value_text(value: object) -> str:
    """Return a value as one short line."""
    if value is None:
        return "nothing"
    return _short(sensitive.json_text(value, ensure_ascii=False))


def _short(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"
