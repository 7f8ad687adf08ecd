"""Times that come again, as lines of a crontab write them.

Five columns say minute, hour, day of the month, month and day of the week;
a sixth says the second and a seventh the year.
"""

import dataclasses
import re

_MONTHS = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_NAMED = frozenset(
    {"annually", "daily", "hourly", "midnight", "monthly", "weekly", "yearly"}
)
_PART = re.compile(r"(\*|\w+(?:-\w+)?)(?:/(\d+))?", re.ASCII)
_DAY_OF_MONTH = re.compile(r"(\w+)#([1-5])", re.ASCII)


@dataclasses.dataclass(frozen=True)
class _Column:
    """What one column may say.

    :ivar names: words for the numbers
    :ivar has_days: it may leave the day open, or name the last one
    """

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    has_days: bool = False

    def check(self, text: str) -> None:
        """Refuse what is no list of numbers and ranges.

        :raises ValueError: a part of it is wrong
        """
        for part in text.split(","):
            if self.has_days and self._is_day(part):
                continue
            match = _PART.fullmatch(part)
            if match is None:
                raise ValueError(f"[{part}] is no {self.name}")
            if match[2] is not None and not int(match[2]):
                raise ValueError(f"[{part}] has a step of 0")
            if match[1] != "*":
                for word in match[1].split("-"):
                    self._check_number(word)

    def _is_day(self, part: str) -> bool:
        if part == "?":
            return True
        if not self.names:
            return part == "l"
        match = _DAY_OF_MONTH.fullmatch(part)
        if match is None and not re.fullmatch("l[0-7]", part):
            return False
        self._check_number(match[1] if match else part[1:])
        return True

    def _check_number(self, word: str) -> None:
        if word in self.names:
            return
        if not word.isdecimal() or not self.low <= int(word) <= self.high:
            raise ValueError(
                f"[{word}] is no {self.name}, which is from {self.low} to"
                f" {self.high}"
            )


_COLUMNS = (
    _Column("minute", 0, 59),
    _Column("hour", 0, 23),
    _Column("day of the month", 1, 31, has_days=True),
    _Column("month", 1, 12, tuple(_MONTHS)),
    _Column("day of the week", 0, 7, tuple(_DAYS), has_days=True),
    _Column("second", 0, 59),
    _Column("year", 1970, 2099),
)
_MIN_COLUMNS = 5


def check_crontab(text: str) -> None:
    """Refuse what is no line of a crontab.

    :raises ValueError: it says why
    """
    line = text.strip().lower()
    if line.startswith("@") and line[1:] in _NAMED:
        return
    parts = line.split()
    if not _MIN_COLUMNS <= len(parts) <= len(_COLUMNS):
        raise ValueError("it needs 5, 6 or 7 columns")
    for column, part in zip(_COLUMNS, parts, strict=False):
        column.check(part)
