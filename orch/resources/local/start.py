"""Start a command once, whichever process dies; see ``launcher``."""

import collections.abc
import contextlib
import json
import os
import pathlib
import select
import subprocess
import sys
import typing

from orch import errors
from orch.resources.local import launcher
from orch.resources.local import proc
from orch.resources.local import process_records
from orch.resources.local import reaper
from orch.resources.local import records
from orch.resources.local import root

_LIMIT_S: typing.Final = 10.0
_PASSED_ON: typing.Final = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER")


def start_command(
    files: process_records.ProcessRecords,
    lock: int,
    command: collections.abc.Sequence[str],
    environment: collections.abc.Mapping[str, str],
    place: int,
    collector: reaper.Reaper,
) -> proc.Identity:
    """Start the command; it is recorded before it runs.

    :param lock: from :func:`process_records.lock_records`
    :param place: descriptor of the directory that it starts in
    :raises root.LocalRefused: it cannot be run
    :raises orch.errors.Transient: the machine is too slow
    """
    records.remove_record(
        files.directory, f"{files.token}.{process_records.RECORD}"
    )
    log = files.open(
        process_records.LOG, os.O_WRONLY | os.O_TRUNC | os.O_APPEND
    )
    try:
        order = launcher.Order(
            store=files.directory,
            lock=lock,
            log=log,
            place=place,
            record=f"{files.token}.{process_records.RECORD}",
            boot=proc.boot_id(),
            command=list(command),
            environment=_environment(environment, files.token),
        )
        child = subprocess.Popen(  # noqa: S603 - our own launcher
            [sys.executable, "-I", "-S", str(pathlib.Path(launcher.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(files.directory, lock, log, place),
            start_new_session=True,
        )
    finally:
        os.close(log)
    try:
        problem = _send_order(child, json.dumps(order).encode())
    finally:
        report = files.open(process_records.EXIT, os.O_WRONLY | os.O_TRUNC)
        collector.watch(child, report)
    process = files.find_recorded()
    if problem or process is None:
        raise root.LocalRefused(problem or "the process could not be recorded")
    return process


def _send_order(child: reaper.Child, order: bytes) -> str:
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


def _environment(
    given: collections.abc.Mapping[str, str], token: str
) -> dict[str, str]:
    """Return what the command finds; nothing secret of the worker's."""
    passed_on = {
        name: os.environ[name] for name in _PASSED_ON if name in os.environ
    }
    return {**passed_on, **given, proc.TOKEN: token}
