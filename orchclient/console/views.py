"""Which way progress is shown."""

import typing

from orchclient.console import happenings
from orchclient.console import json_lines
from orchclient.console import lines
from orchclient.console import live

FORMATS: typing.Final = ("auto", "live", "plain", "json")


def of(chosen: str, out: typing.TextIO) -> happenings.View:
    """Return the view of a format; ``auto`` is live on a terminal only."""
    if chosen == "json":
        return json_lines.View(out)
    if chosen == "live" or (chosen == "auto" and out.isatty()):
        return live.View(out)
    return lines.View(out)
