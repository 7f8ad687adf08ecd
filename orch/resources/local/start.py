"""Start a command once, whichever process dies; see ``launcher``."""

import collections.abc
import contextlib
import json
import os
import pathlib
import select
import subprocess
import sys
import threading
import typing

from orch import errors
from orch.resources.local import launcher
from orch.resources.local import proc
from orch.resources.local import process_records
from orch.resources.local import records
from orch.resources.local import root

_LIMIT_S: typing.Final = 10.0
_PASSED_ON: typing.Final = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER")
_UMASK: typing.Final = 0o022
"""What commands begin with, whatever the worker has for its own files."""


def start_command(
    files: process_records.ProcessRecords,
    lock: int,
    command: object,
    environment: collections.abc.Mapping[str, str],
    place: int,
) -> proc.Identity:
    """Start the command; it is recorded before it runs.

    :param lock: descriptor of the lock of the records, which is held
    :param place: descriptor of the directory that it starts in
    :raises root.LocalRefused: it cannot be run
    :raises orch.errors.Transient: the machine is too slow
    """
    record = files.name(process_records.RECORD)
    records.remove_record(files.directory, record)
    passed_on = {
        name: os.environ[name] for name in _PASSED_ON if name in os.environ
    }
    order = {
        "store": files.directory,
        "lock": lock,
        "record": record,
        "boot": proc.boot_id(),
        "command": command,
        "environment": {**passed_on, **environment, proc.TOKEN: files.token},
    }
    log = files.open(
        process_records.LOG, os.O_WRONLY | os.O_TRUNC | os.O_APPEND
    )
    with os.fdopen(log, "wb"):
        child = subprocess.Popen(  # noqa: S603 - our own launcher
            [sys.executable, "-I", "-S", str(pathlib.Path(launcher.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=f"/proc/self/fd/{place}",
            pass_fds=(files.directory, lock),
            start_new_session=True,
            umask=_UMASK,
        )
    report = files.open(process_records.EXIT, os.O_WRONLY | os.O_TRUNC)
    threading.Thread(
        target=_collect, args=(child, report), name="orch-reaper", daemon=True
    ).start()
    problem = _send_order(child, json.dumps(order).encode())
    process = files.find_recorded()
    if problem or process is None:
        raise root.LocalRefused(problem or "the process could not be recorded")
    return process


def _send_order(child: subprocess.Popen[bytes], order: bytes) -> str:
    """Give the launcher its order.

    :returns: what went wrong, empty when the command runs
    :raises orch.errors.Transient: the launcher did not come to an end
    """
    assert child.stdin is not None
    assert child.stdout is not None
    with contextlib.suppress(BrokenPipeError), child.stdin:
        child.stdin.write(order)
    with child.stdout:
        ready, _, _ = select.select([child.stdout], [], [], _LIMIT_S)
        if not ready:
            child.kill()
            raise errors.Transient(
                f"the process was not started within {_LIMIT_S:g} seconds;"
                " the machine may be overloaded, retry"
            )
        return child.stdout.read().decode("utf-8", "replace")


def _collect(child: subprocess.Popen[bytes], report: int) -> None:
    """Write down how a child ends, so that it is no zombie then.

    :param report: descriptor that gets the exit code as digits, negative for
        a signal; it is closed
    """
    code = child.wait()
    with contextlib.suppress(OSError), os.fdopen(report, "wb") as stream:
        stream.write(str(code).encode())
