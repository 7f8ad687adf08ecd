"""What plug-ins that go by rules share: whom they spare, and their verdict."""

import collections.abc
import dataclasses
import fnmatch
import typing

from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation

BRINGING: typing.Final = frozenset({"create", "update", "adopt", "restore"})
"""Requests that bring resources into a stack by a template."""

_MAX_TEXTS: typing.Final = 10


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """Something that a rule has against an operation."""

    ruling: lifecycle.Ruling
    text: str


def make_verdict(
    findings: collections.abc.Iterable[Finding],
) -> lifecycle.Verdict:
    """Return one verdict for all findings; the worst ruling counts."""
    found = list(findings)
    denied = [
        each.text for each in found if each.ruling is lifecycle.Ruling.DENY
    ]
    if denied:
        return lifecycle.deny(_joined(denied))
    if found:
        return lifecycle.warn(_joined([each.text for each in found]))
    return lifecycle.allow()


def is_spared(
    request: lifecycle_operation.OperationRequest,
    roles: collections.abc.Collection[str],
) -> bool:
    """Whether who asks has one of these roles."""
    return not set(roles).isdisjoint(request.roles)


def fits(name: str, globs: collections.abc.Iterable[str]) -> bool:
    """Whether a name fits one of the patterns, case and all."""
    return any(fnmatch.fnmatchcase(name, each) for each in globs)


def has_tag(
    view: lifecycle_operation.StackView, globs: collections.abc.Sequence[str]
) -> bool:
    """Whether a tag of the stack fits; so does no pattern at all."""
    return not globs or any(fits(each, globs) for each in view.tags)


def _joined(told: list[str]) -> str:
    more = len(told) - _MAX_TEXTS
    shown = "; ".join(dict.fromkeys(told[:_MAX_TEXTS]))
    return f"{shown}; and {more} more" if more > 0 else shown
