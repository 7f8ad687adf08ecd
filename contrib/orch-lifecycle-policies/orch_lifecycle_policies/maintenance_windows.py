"""Lets stacks be changed at some times only."""

import collections.abc
import dataclasses
import datetime
import typing
import zoneinfo

from orch import clock
from orch import errors
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_settings
from orch_lifecycle_policies import rule_base

DAYS: typing.Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_DAY: typing.Final = "(mon|tue|wed|thu|fri|sat|sun)"
_MINUTES: typing.Final = 24 * 60

# YAML reads 22:00 as 1320, and 08:00 as a text.
_TIME: typing.Final[dict[str, object]] = {
    "oneOf": [
        {
            "type": "string",
            "pattern": "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
        },
        {"type": "integer", "minimum": 0, "maximum": _MINUTES},
    ]
}

SCHEMA: typing.Final[dict[str, object]] = {
    **lifecycle_settings.mapping(
        {
            "zone": lifecycle_settings.TEXT,
            "verbs": lifecycle_settings.VERBS,
            "tags": lifecycle_settings.TEXTS,
            "windows": {
                "type": "array",
                "minItems": 1,
                "items": lifecycle_settings.mapping(
                    {
                        "days": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "string",
                                "pattern": f"^{_DAY}(-{_DAY})?$",
                            },
                        },
                        "from": _TIME,
                        "to": _TIME,
                    }
                ),
            },
            "freezes": {
                "type": "array",
                "minItems": 1,
                "items": lifecycle_settings.mapping(
                    {
                        "from": lifecycle_settings.TEXT,
                        "to": lifecycle_settings.TEXT,
                        "text": lifecycle_settings.TEXT,
                    },
                    ["from", "to"],
                ),
            },
            "outside": {"enum": ["deny", "hold"]},
            "deadline": lifecycle_settings.SECONDS,
            "exempt_roles": lifecycle_settings.TEXTS,
        }
    ),
    "anyOf": [{"required": ["windows"]}, {"required": ["freezes"]}],
}

_PASSING: typing.Final = frozenset(
    {"check", "snapshot", "rollback", "cancel", "signal", "revoke_addresses"}
)
"""Verbs that pass unless the settings name them."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Window:
    """Hours of some days; they may go on into the next one."""

    days: frozenset[int]
    begins: int
    ends: int

    def is_open(self, moment: datetime.datetime) -> bool:
        """Whether a moment, in the zone of the window, is in it."""
        today = moment.date()
        return any(
            self._is_within(day, moment)
            for day in (today, today - datetime.timedelta(days=1))
            if day.weekday() in self.days
        )

    def _is_within(
        self, day: datetime.date, moment: datetime.datetime
    ) -> bool:
        begins = _moment(day, self.begins, moment.tzinfo)
        later = _MINUTES if self.ends <= self.begins else 0
        ends = _moment(day, self.ends + later, moment.tzinfo)
        return begins <= moment.astimezone(datetime.UTC) < ends


@dataclasses.dataclass(frozen=True, slots=True)
class _Freeze:
    begins: datetime.datetime
    ends: datetime.datetime
    text: str


class MaintenanceWindows(lifecycle.LifecyclePlugin):
    """Denies or holds what is asked for outside the windows, or in a freeze.

    Rollbacks and cancels pass unless the settings name them: they lead back
    to what stood before.
    """

    supports_preview = True
    needs_settings = True

    def __init__(
        self,
        name: str,
        settings: object,
        moments: clock.Clock | None = None,
    ) -> None:
        """Read the windows.

        :param moments: what tells the time; ``None`` for the machine's
        :raises orch.errors.Invalid: the settings are wrong
        """
        super().__init__(name, settings)
        given = lifecycle_settings.check(_written(settings), SCHEMA)
        self._moments = moments or clock.SystemClock()
        self._zone = _zone(given.get("zone", "UTC"))
        self._tags = lifecycle_settings.texts(given.get("tags", []))
        self._exempt = lifecycle_settings.texts(given.get("exempt_roles", []))
        self._holds = given.get("outside") == "hold"
        self._deadline_s: float | None = given.get("deadline")
        self._windows = [_window(each) for each in given.get("windows", ())]
        self._freezes = [
            self._freeze(each) for each in given.get("freezes", ())
        ]
        self._open = ", ".join(
            _describe_window(each) for each in given.get("windows", ())
        )
        self.verbs = frozenset(
            given.get("verbs", lifecycle_operation.VERBS - _PASSING)
        )

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        """Look at the clock."""
        if rule_base.is_spared(
            operation.request, self._exempt
        ) or not rule_base.has_tag(operation.stack, self._tags):
            return lifecycle.allow()
        text = self._reason()
        if not text:
            return lifecycle.allow()
        if self._holds:
            return lifecycle.hold(text, self._deadline_s)
        return lifecycle.deny(text)

    def _reason(self) -> str:
        """Return why this is not the time; empty when it is."""
        moment = datetime.datetime.fromtimestamp(
            self._moments.now(), self._zone
        )
        for each in self._freezes:
            if each.begins <= moment < each.ends:
                until = each.ends.strftime("%Y-%m-%d %H:%M")
                told = f": {each.text}" if each.text else ""
                return f"nothing changes until {until} {self._zone}{told}"
        if self._windows and not any(
            each.is_open(moment) for each in self._windows
        ):
            return (
                f"it is {moment:%a %H:%M} {self._zone}, and changes are made"
                f" {self._open}"
            )
        return ""

    def _freeze(self, given: collections.abc.Mapping[str, str]) -> _Freeze:
        begins, _ = self._bound(given["from"])
        end, is_day = self._bound(given["to"])
        if is_day:
            # The last day is part of it.
            end = self._bound(
                (end.date() + datetime.timedelta(days=1)).isoformat()
            )[0]
        if end <= begins:
            raise errors.Invalid(
                f"freezes: {given['to']} is not after {given['from']}"
            )
        return _Freeze(begins, end, given.get("text", ""))

    def _bound(self, text: str) -> tuple[datetime.datetime, bool]:
        """Return a moment, and whether a text names a day and no time.

        :raises orch.errors.Invalid: it names neither
        """
        try:
            found = datetime.datetime.fromisoformat(text)
        except ValueError as error:
            raise errors.Invalid(
                f"freezes: {text!r} is no day such as 2026-12-24, nor a"
                " moment such as 2026-12-24 18:00"
            ) from error
        if found.tzinfo is None:
            found = found.replace(tzinfo=self._zone)
        return found, len(text) <= len("2026-12-24")


def _moment(
    day: datetime.date, minute: int, zone: datetime.tzinfo | None
) -> datetime.datetime:
    """Return a minute of a day, by the clock on the wall there."""
    day += datetime.timedelta(days=minute // _MINUTES)
    hour, minute = divmod(minute % _MINUTES, 60)
    return datetime.datetime.combine(
        day, datetime.time(hour, minute), zone
    ).astimezone(datetime.UTC)


def _window(given: collections.abc.Mapping[str, typing.Any]) -> _Window:
    days: set[int] = set()
    for each in given.get("days", ["mon-sun"]):
        first, _, last = each.partition("-")
        begin = DAYS.index(first)
        count = (DAYS.index(last or first) - begin) % len(DAYS)
        days.update((begin + more) % len(DAYS) for more in range(count + 1))
    return _Window(
        frozenset(days),
        _minutes(given.get("from", 0)),
        _minutes(given.get("to", _MINUTES)),
    )


def _describe_window(given: collections.abc.Mapping[str, typing.Any]) -> str:
    """Return a window for people."""
    days = ", ".join(given.get("days", ["mon-sun"]))
    begins, ends = _minutes(given.get("from", 0)), _minutes(given.get("to", 0))
    clock_ = "-".join(
        f"{each // 60:02}:{each % 60:02}"
        for each in (begins, ends or _MINUTES)
    )
    return f"{days} {clock_}"


def _minutes(given: str | int) -> int:
    if isinstance(given, int):
        return given
    hours, minutes = given.split(":")
    return int(hours) * 60 + int(minutes)


def _zone(name: str) -> zoneinfo.ZoneInfo:
    """Return a time zone.

    :raises orch.errors.Invalid: it is unknown here
    """
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise errors.Invalid(
            f"zone: {name!r} is no time zone such as Europe/Berlin"
        ) from error


def _written(value: object) -> object:
    """Return settings with days as texts: YAML makes objects of them."""
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _written(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_written(each) for each in value]
    return value
