"""Become the process of an ``Orch::Local::Process``; runs as a script.

It is told what to run on its standard input and becomes just that, under
the same process id. Before, it writes down who it is, while it holds a lock
that ends when it becomes the command: so at every moment either the lock is
held, or a record names a process, or nothing was started. What goes wrong is
written to the standard output, which is closed without a word once the
command runs. It knows the standard library only, and starts without the site
packages.

The order is JSON: ``store`` and ``lock``, numbers of the open directory of
the records and of the open lock; ``record``, the name of the record; ``boot``,
the run of the machine; ``command`` and ``environment``.
"""

import json
import os
import pathlib
import signal
import sys
import typing

_FAILED: typing.Final = 127


def main() -> typing.NoReturn:
    """Read the order, write the record, become the command."""
    order = json.load(sys.stdin)
    store, name, command = order["store"], order["record"], order["command"]
    report = os.dup(1)
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (store, order["lock"]):
        os.set_inheritable(number, False)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        _write_record(store, name, command, order["boot"])
        os.execvpe(command[0], command, order["environment"])  # noqa: S606 - no shell is wanted
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        text = f"the command {command[0]} cannot be run: {why}"
        os.write(report, text.encode())
        os.unlink(name, dir_fd=store)
        sys.exit(_FAILED)


def _write_record(
    store: int, name: str, command: list[str], boot: str
) -> None:
    facts = pathlib.Path("/proc/self/stat").read_text("ascii", "replace")
    started = int(facts.rpartition(")")[2].split()[19])
    record = {
        "pid": os.getpid(),
        "started": started,
        "boot": boot,
        "command": command,
    }
    number = os.open(
        f"{name}.new",
        os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW,
        0o600,
        dir_fd=store,
    )
    os.write(number, json.dumps(record).encode())
    os.fsync(number)
    os.rename(f"{name}.new", name, src_dir_fd=store, dst_dir_fd=store)


if __name__ == "__main__":
    main()
