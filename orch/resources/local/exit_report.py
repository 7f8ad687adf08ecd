"""What people are told of a process: how it ended, what it said."""

import typing

from orch.resources.local import process_records

_LINES: typing.Final = 10


def write_exit_report(
    files: process_records.ProcessRecords, when: str, max_bytes: int
) -> str:
    """Return how a process ended, and its last words.

    :param when: such as ``before it served``
    :param max_bytes: bytes of its log that may be quoted
    """
    code = files.find_exit_code()
    how = "it ended"
    if code is not None and code < 0:
        how = f"it was ended by signal {-code}"
    elif code is not None:
        how = f"it ended with exit code {code}"
    return f"{how}{when and f' {when}'}{last_words(files, max_bytes)}"


def last_words(files: process_records.ProcessRecords, max_bytes: int) -> str:
    """Return the end of its log as the end of a sentence, or nothing."""
    lines = last_lines(files, max_bytes)
    return f"; its last lines: {' | '.join(lines)}" if lines else ""


def last_lines(
    files: process_records.ProcessRecords, max_bytes: int
) -> list[str]:
    """Return the last lines that it printed."""
    return files.read(process_records.LOG, max_bytes).splitlines()[-_LINES:]
