"""Processes as Linux shows them, safe against a number that is used again."""

import collections.abc
import contextlib
import os
import pathlib
import re
import signal
import time
import typing

_PROC: typing.Final = pathlib.Path("/proc")
_DEAD: typing.Final = "ZX"
_STOPPED: typing.Final = "Tt"
_BUSY: typing.Final = "RD"
TOKEN: typing.Final = "ORCH_TOKEN"  # noqa: S105 - a name, no secret
"""The variable by which a process and its children are known again."""


class Identity(typing.NamedTuple):
    """One process, never another that gets its number later.

    :ivar started: when it began, in clock ticks since the boot
    """

    pid: int
    started: int

    def __str__(self) -> str:
        """Return the form in which it is a physical id."""
        return f"{self.pid}:{self.started}"


def parse_identity(text: str) -> Identity | None:
    """Return the process that a physical id names, in its one spelling.

    Who owns it is known by that text alone.
    """
    found = re.fullmatch(r"([1-9]\d*):(0|[1-9]\d*)", text, re.ASCII)
    return None if found is None else Identity(*map(int, found.groups()))


def boot_id() -> str:
    """Return what tells this run of this machine from every other."""
    path = _PROC / "sys/kernel/random/boot_id"
    return path.read_text(encoding="ascii").strip()


def is_alive(process: Identity) -> bool:
    """Whether the process runs; a zombie does not."""
    facts = _facts(process.pid)
    return (
        facts is not None
        and facts[0] not in _DEAD
        and int(facts[19]) == process.started
    )


def is_stopped(process: Identity) -> bool:
    """Whether the process stands still (SIGSTOP)."""
    facts = _facts(process.pid)
    return facts is not None and facts[0] in _STOPPED


def is_busy(process: Identity) -> bool:
    """Whether the process computes, or waits for a processor or a disk."""
    facts = _facts(process.pid)
    return facts is not None and facts[0] in _BUSY


def age_s(process: Identity) -> float:
    """Return how many seconds ago the process began."""
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    since_boot_s = time.clock_gettime(time.CLOCK_BOOTTIME)
    return since_boot_s - process.started / ticks_per_s


def send_signal(process: Identity, number: signal.Signals) -> None:
    """Send a signal to the process and its group; gone is success."""
    with contextlib.suppress(ProcessLookupError):
        if is_alive(process):
            os.killpg(process.pid, number)


def list_children(process: Identity, token: str) -> list[int]:
    """Return the other processes of its session; they may outlive it."""
    mark = f"{TOKEN}={token}".encode()
    pids = (
        int(entry.name) for entry in os.scandir(_PROC) if entry.name.isdigit()
    )
    return [
        pid
        for pid in pids
        if (facts := _facts(pid)) is not None
        and facts[0] not in _DEAD
        and int(facts[3]) == process.pid
        and pid != process.pid
        and mark in _environment(pid)
    ]


def send_all(
    pids: collections.abc.Iterable[int], number: signal.Signals
) -> None:
    """Send a signal to each process; gone is success."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _facts(pid: int) -> list[str] | None:
    """Return the fields of ``stat`` from the state (field 3 there) on."""
    try:
        text = (_PROC / str(pid) / "stat").read_text("ascii", "replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def _environment(pid: int) -> list[bytes]:
    try:
        return (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
