"""Plug-in settings: the lifecycle plug-ins and settings that workers share."""

import dataclasses
import typing

from orch import clock

NOT_LOADED: typing.Final = -1
"""Number of a worker that has not loaded the plug-in settings in force."""

_SHOWN_DIGITS: typing.Final = 12


@dataclasses.dataclass(frozen=True, slots=True)
class PluginSettings:
    """The plug-in settings in force.

    :ivar number: one more with each activation; the first is 1
    :ivar fingerprint: of the plug-ins and their settings
    """

    number: int
    fingerprint: str
    activated_at: clock.Timestamp


@dataclasses.dataclass(frozen=True, slots=True)
class LoadReport:
    """What a worker says of the plug-in settings that it has.

    :ivar number: of those in force, if it has loaded them
    :ivar loaded: the fingerprint of those that it has loaded
    :ivar loadable: the fingerprint of those that it finds, and loads once
        they are activated; ``None`` where they are wrong
    :ivar error: why it cannot load what it finds
    """

    number: int | None = None
    loaded: str | None = None
    loadable: str | None = None
    error: str | None = None


def find_trouble(
    active: PluginSettings | None, report: LoadReport
) -> str | None:
    """Return why a worker takes no operations; ``None`` where it does."""
    if active is None or report.loaded is None:
        return None
    if report.number == active.number:
        return None
    name = f"number {active.number} of the plug-in settings"
    if active.fingerprint in (report.loaded, report.loadable):
        return f"it is about to load {name}"
    reason = f"it cannot load {name} ({shorten(active.fingerprint)}): "
    if report.error is not None:
        return reason + report.error
    return (
        f"{reason}it has {shorten(report.loadable or report.loaded)}. Install"
        " the same lifecycle plug-ins and settings on all workers, then run"
        " `orch-manage lifecycle activate`"
    )


def shorten(fingerprint: str | None) -> str:
    """Return the part of a fingerprint that people compare."""
    return "-" if fingerprint is None else fingerprint[:_SHOWN_DIGITS]
