"""Become the process of an ``Orch::Local::Process``; runs as a script.

It is told what to run on its standard input and becomes just that, under
the same process id. Before, it writes down who it is, while it holds a lock
that ends when it becomes the command: so at every moment either the lock is
held, or a record names a process, or nothing was started. It knows the
standard library only, and starts without the site packages.
"""

import json
import os
import signal
import sys
import typing

_FAILED: typing.Final = 127
_UMASK: typing.Final = 0o022
"""What commands begin with, whatever the worker has for its own files."""


class Order(typing.TypedDict):
    """What to run, as JSON; the numbers are open descriptors.

    ``store``: the directory of the records; ``lock``: the lock; ``log``:
    what becomes output and errors; ``place``: the directory to start in;
    ``record``: name of the record; ``boot``: the run of the machine.
    """

    store: int
    lock: int
    log: int
    place: int
    record: str
    boot: str
    command: list[str]
    environment: dict[str, str]


def main() -> typing.NoReturn:
    """Read the order, write the record, become the command.

    What goes wrong is written to the standard output, which is closed
    without a word once the command runs.
    """
    try:
        order: Order = json.load(sys.stdin)
    except ValueError:
        # Whoever gave the order died while he gave it.
        sys.exit(_FAILED)
    try:
        _record(order)
        report = _prepare(order)
    except OSError as error:
        os.write(1, f"it cannot be prepared: {error.strerror}".encode())
        os._exit(_FAILED)
    command = order["command"]
    try:
        os.execvpe(command[0], command, order["environment"])  # noqa: S606 - no shell is wanted
    except (OSError, ValueError) as error:
        os.unlink(order["record"], dir_fd=order["store"])
        why = getattr(error, "strerror", None) or str(error)
        text = f"the command {command[0]} cannot be run: {why}"
        os.write(report, text.encode())
        os._exit(_FAILED)


def _record(order: Order) -> None:
    name, store = order["record"], order["store"]
    record = {
        "pid": os.getpid(),
        "started": _started(),
        "boot": order["boot"],
        "command": order["command"],
    }
    number = os.open(
        f"{name}.new",
        os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW,
        0o600,
        dir_fd=store,
    )
    os.write(number, json.dumps(record).encode())
    os.fsync(number)
    os.close(number)
    os.rename(f"{name}.new", name, src_dir_fd=store, dst_dir_fd=store)


def _prepare(order: Order) -> int:
    """Set up what the command finds.

    :returns: descriptor of what was the standard output; it ends when the
        command begins
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(_UMASK)
    os.fchdir(order["place"])
    report = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(order["log"], 1)
    os.dup2(order["log"], 2)
    for number in (
        order["store"],
        order["lock"],
        order["log"],
        order["place"],
    ):
        os.set_inheritable(number, False)
    return report


def _started() -> int:
    """Return when this process began, in clock ticks since the boot."""
    number = os.open("/proc/self/stat", os.O_RDONLY)
    text = os.read(number, 4096).decode("ascii", "replace")
    os.close(number)
    return int(text.rpartition(")")[2].split()[19])


if __name__ == "__main__":
    main()
