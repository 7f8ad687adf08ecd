"""Imports modules once, then forks a child for each script to run.

Most of what a start of Orch costs is imports. ``tests.support.forks`` starts
this program and asks it. A child runs the script that an operator would run,
in the state of a new process: arguments, environment, ``sys.path``, streams,
signals, session. It has the seed of hashes in common with its siblings.

It imports nothing of the tests: a child would have it too.
"""

import array
import collections.abc
import contextlib
import gc
import importlib
import json
import os
import pathlib
import runpy
import select
import signal
import socket
import sys
import threading
import typing
import warnings

_LONGEST = 1_000_000
# Two streams, and where to tell how the child ended.
_HANDED_OVER = 3
_POLL_S = 0.5


class Request(typing.NamedTuple):
    """What to run.

    :ivar command: the path of a script, and its arguments
    :ivar streams: descriptors for its output and its errors
    :ivar report_to: where its exit code is written, as decimal digits
    """

    command: list[str]
    environment: dict[str, str]
    directory: str
    streams: tuple[int, int]
    report_to: int

    @classmethod
    def read(cls, text: dict[str, typing.Any], handed: bytes) -> "Request":
        """Return what was asked for, with the descriptors handed over."""
        output, errors, told = array.array("i", handed)
        return cls(
            text["command"],
            text["environment"],
            text["directory"],
            (output, errors),
            told,
        )


def preload(names: collections.abc.Iterable[str]) -> None:
    """Import these modules, for all children.

    What cannot be imported is left to the child that needs it, which meets
    the same error as a new process.

    :raises RuntimeError: one of them started a thread, which no child has
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    _cache_entry_points()
    _find_distributions()
    _follow_closely()
    threads = threading.enumerate()
    if len(threads) > 1:
        raise RuntimeError(f"a fork would lose threads: {threads}")
    gc.collect()
    gc.freeze()


def _cache_entry_points() -> None:
    """Let children find entry points as anywhere, below ``/tmp`` too.

    There stevedore keeps no list of them: each process would read what all
    packages say, which takes longer than all else that a start does.
    """
    known = sys.modules.get("stevedore._cache")
    with contextlib.suppress(AttributeError):
        known._c._disable_caching = False  # type: ignore[union-attr]


def _find_distributions() -> None:
    """Find once which distribution each module is of.

    Cliff says it below the help of a command, which it composes for each
    run: half of all that a run of ``openstack`` computes.
    """
    known = sys.modules.get("cliff.command")
    with contextlib.suppress(AttributeError):
        known._get_distributions_by_modules()  # type: ignore[union-attr]


def _follow_closely() -> None:
    """Let heatclient look for events of a stack twice a second.

    It looks each five seconds, and only ``stack create`` has an option for
    that. Nothing else of it changes.
    """
    known = sys.modules.get("heatclient.common.event_utils")
    with contextlib.suppress(AttributeError):
        action, _, *others = known.poll_for_events.__defaults__
        known.poll_for_events.__defaults__ = (action, _POLL_S, *others)


def serve(asks: socket.socket) -> Request | None:
    """Fork a child for each request; reap one when that is asked for.

    A child that has ended is told of and kept, so that its process id goes
    to no other process before its owner knows.

    :returns: in a child the request; ``None`` once nobody asks any more
    """
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # The descriptor of each child that runs, by process id.
    told: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([asks, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            _report_ended(told)
        if asks not in ready:
            continue
        text, handed = _receive(asks)
        if not text:
            return None
        if "reap" in text:
            pid = os.waitpid(text["reap"], 0)[0]
        else:
            request = Request.read(text, handed)
            pid = os.fork()
            if not pid:
                return request
            told[pid] = request.report_to
            for stream in request.streams:
                os.close(stream)
        asks.send(f"{text['number']} {pid}".encode())


def _receive(asks: socket.socket) -> tuple[dict[str, typing.Any], bytes]:
    """Return what is asked for, and the descriptors that came with it."""
    text = b""
    ancillary: list[tuple[int, int, bytes]] = []
    with contextlib.suppress(ConnectionResetError):
        text, ancillary, _, _ = asks.recvmsg(
            _LONGEST, socket.CMSG_SPACE(_HANDED_OVER * 4)
        )
    handed = b"".join(data for _, _, data in ancillary)
    return json.loads(text) if text else {}, handed


def _report_ended(told: dict[int, int]) -> None:
    """Tell of each child that has ended how it ended."""
    for pid, descriptor in list(told.items()):
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            continue
        is_exit = ended.si_code == os.CLD_EXITED
        code = ended.si_status if is_exit else -ended.si_status
        with contextlib.suppress(BrokenPipeError):
            os.write(descriptor, str(code).encode())
        os.close(told.pop(pid))


def become(request: Request) -> None:
    """Take on all that sets one process apart from another."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stream in enumerate((nothing, *request.streams)):
        os.dup2(stream, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir(request.directory)
    before = os.environ.get("PYTHONPATH", "")
    os.environ.clear()
    os.environ.update(request.environment)
    sys.argv = request.command
    sys.path[:] = [
        str(pathlib.Path(request.command[0]).parent),
        *_entries(request.environment.get("PYTHONPATH", "")),
        *(each for each in sys.path if each not in _entries(before)),
    ]
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()


def _entries(python_path: str) -> list[str]:
    """Return the directories as the interpreter puts them on its path."""
    return [
        str(pathlib.Path(each).absolute())
        for each in python_path.split(os.pathsep)
        if each
    ]


def main() -> None:
    """Serve on the socket that is the standard input."""
    with socket.socket(fileno=os.dup(0)) as asks:
        preload(sys.argv[1:])
        asks.send(b"ready")
        request = serve(asks)
        if request is None:
            return
    become(request)
    runpy.run_path(request.command[0], run_name="__main__")


if __name__ == "__main__":
    main()
