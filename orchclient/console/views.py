"""Which way progress is shown."""

import typing

from orchclient.console import json_lines
from orchclient.console import live_tree
from orchclient.console import plain
from orchclient.console import progress_events

FORMATS: typing.Final = ("auto", "live", "plain", "json")


def view_of(chosen: str, out: typing.TextIO) -> progress_events.View:
    """Return the view of a format; ``auto`` is live on a terminal only."""
    if chosen == "json":
        return json_lines.View(out)
    if chosen == "live" or (chosen == "auto" and out.isatty()):
        return live_tree.View(out)
    return plain.View(out)
