"""Log lines that no caller can forge.

Names, paths and reasons come from outside. One with a line break would begin
a line of its own, which looks like any other.
"""

import logging

from oslo_config import cfg
from oslo_log import log

_LINES = "\n\t"
"""What divides and indents the lines of a traceback."""
_MARK = "  | "
"""Begins each line of a record but its first."""


class OneLineRecord(logging.LogRecord):
    """A record whose message is one line, whatever it contains."""

    def getMessage(self) -> str:  # noqa: N802 - the name that logging calls
        """Return the message, with escapes for what cannot be printed."""
        return escape(super().getMessage())


class MarkedFormatter(logging.Formatter):
    """Formats by another formatter, and escapes what it has added.

    Of a traceback, and of what an error says in it, the lines stay, each
    with a mark: no more than one line of a record looks like one.
    """

    def __init__(self, inner: logging.Formatter) -> None:
        """Format by ``inner``."""
        super().__init__()
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        text = escape(self._format(record), _LINES)
        return text.replace("\n", f"\n{_MARK}")

    def _format(self, record: logging.LogRecord) -> str:
        """Return what the other formatter makes of a record alone.

        oslo.log adds the text of the error that is being handled, which may
        be secret, but that of a ValueError.
        """
        try:
            raise ValueError
        except ValueError:
            return self._inner.format(record)


def escape(text: str, allowed: str = "") -> str:
    """Return a text with escapes in place of what cannot be printed."""
    if text.isprintable():
        return text
    return "".join(
        each
        if each.isprintable() or each in allowed
        else each.encode("unicode_escape").decode()
        for each in text
    )


def start_log(conf: cfg.ConfigOpts, prog: str) -> None:
    """Start the log of a process, by its options."""
    logging.setLogRecordFactory(OneLineRecord)
    log.setup(conf, prog)
    for handler in logging.getLogger().handlers:
        inner = handler.formatter or logging.Formatter()
        handler.setFormatter(MarkedFormatter(inner))
