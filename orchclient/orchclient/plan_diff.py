"""Formats plans for users: what will change, as text."""

import collections.abc
import typing

from orchclient import plans
from orchclient import sensitive

_SIGNS: typing.Final[collections.abc.Mapping[str, str]] = {
    "create": "+",
    "adopt": "+",
    "update": "~",
    "replace": "-/+",
    "delete": "-",
    "gone": "-",
    "retain": "-",
    "forget": "-",
    "read": "<",
}
_VERDICT_TEXTS: typing.Final[collections.abc.Mapping[str, str]] = {
    "warn": "warns",
    "deny": "denies it",
    "hold": "holds it until it is approved",
}
_INDENT: typing.Final = "    "
_MAX_LENGTH: typing.Final = 200
_LATER: typing.Final[object] = {"known_later": True}


def plan_lines(plan: plans.Plan, depth: int = 0) -> list[str]:
    """Format a plan as lines: each change, and below it its properties.

    Signs are ``+`` (comes), ``-`` (goes), ``-/+`` (is replaced), ``~``
    (changes in place), ``<`` (is read). A ``?`` behind marks what only the
    run can tell. ``(sensitive)`` stands for what the service does not send.

    :param depth: of the stack in its tree, for the indent
    """
    found: list[str] = []
    indent = _INDENT * depth
    for change in plan.changes:
        if not change.name:
            continue
        found.append(indent + _title(change))
        found.extend(
            f"{indent}{_INDENT}{line}"
            for name, each in sorted(change.properties.items())
            for line in _property_lines(name, each)
        )
        if change.child_plan is not None:
            found.extend(plan_lines(change.child_plan, depth + 1))
    return found


def plan_summary(plan: plans.Plan) -> str:
    """Format the number of changes of each kind, in one line."""
    counts = plan.counts()
    if not counts:
        return "Nothing to do."
    counted = ", ".join(
        f"{number} to {kind}" for kind, number in counts.items()
    )
    return f"{plan.action.capitalize()}: {counted}."


def plan_text(plan: plans.Plan) -> str:
    """Format a plan as text: changes, warnings, objections and summary."""
    return "\n".join(
        [
            *plan_lines(plan),
            *plan_warnings(plan),
            *plan_objections(plan),
            plan_summary(plan),
        ]
    )


def plan_warnings(plan: plans.Plan) -> list[str]:
    """Format what could not be read for a plan, a line each."""
    return [f"! {' '.join(each.split())}" for each in plan.all_warnings()]


def plan_objections(plan: plans.Plan) -> list[str]:
    """Format the objections of lifecycle plug-ins to a plan, a line each.

    Those that allow it are left out.
    """
    found = []
    for each in plan.verdicts:
        if each.ruling in _VERDICT_TEXTS:
            said = " ".join(each.text.split())
            found.append(
                f"! {each.plugin} {_VERDICT_TEXTS[each.ruling]}"
                f"{each.note}: {said}"
            )
    return found


def _title(change: plans.Change) -> str:
    kind = "replace" if change.replaces else change.kind
    sign = _SIGNS.get(kind, "*")
    doubt = "" if change.is_certain else "?"
    reason = f"  # {change.reason}" if change.reason else ""
    return f"{sign}{doubt} {kind} {change.name} ({change.type}){reason}"


def _property_lines(name: str, change: plans.PropertyChange) -> list[str]:
    """Format the change of a property; of long values only what differs."""
    is_long = any(
        len(sensitive.json_text(each)) > _MAX_LENGTH
        for each in (change.old, change.new)
        if each is not plans.ABSENT
    )
    if not (is_long and change.places):
        return [_property(name, change)]
    forces = "  # forces replacement" if change.needs_replacement else ""
    lines = [f"{name}:{forces}"]
    for each in change.places:
        value = f"{_value(each.old)} -> {_value(each.new)}"
        if each.kind == "removed":
            value = f"- {_value(each.old)}"
        elif each.kind == "added":
            value = f"+ {_value(each.new)}"
        lines.append(f"{_INDENT}{each.place}: {value}")
    return lines


def _property(name: str, change: plans.PropertyChange) -> str:
    forces = "  # forces replacement" if change.needs_replacement else ""
    if change.old is plans.ABSENT:
        return f"{name}: {_value(change.new)}{forces}"
    if change.new is plans.ABSENT:
        return f"{name}: {_value(change.old)} -> nothing{forces}"
    return f"{name}: {_value(change.old)} -> {_value(change.new)}{forces}"


def _value(value: object) -> str:
    if value == _LATER:
        return "(known later)"
    written = sensitive.json_text(value)
    if len(written) > _MAX_LENGTH:
        return f"{written[:_MAX_LENGTH]}…"
    return written
