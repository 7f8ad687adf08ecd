"""Runs scripts as forks of a process that has imported what they need.

A start of Orch by this costs a tenth of one by the interpreter. What comes of
it is a process of its own with a session of its own, as
``processes.execute`` makes: it can be frozen and killed, and its exit code is
known.

A server of forks belongs to this process and ends with it. Should it end
before, whatever asks it or waits for a child of it fails.
"""

import atexit
import collections.abc
import contextlib
import functools
import importlib.metadata
import itertools
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import threading
import typing

_PROGRAM = pathlib.Path(__file__).with_name("fork_server.py")
_PRELOAD_S = 120
_START_S = 30
Groups = collections.abc.Mapping[str, tuple[str, ...]]

# Where the modules are named that a program imports when it starts:
# distribution to beginnings of groups of its entry points.
_ORCH: Groups = {
    "orch": ("console_scripts", "oslo.", "orch.", "taskflow."),
    "orch-lifecycle-policies": ("orch.",),
    "orch-search-heat": ("orch.",),
    "python-orchclient": ("console_scripts", "openstack."),
}
_CLIENTS: Groups = {
    "cliff": ("cliff.formatter.",),
    "python-heatclient": ("heatclient.",),
    "python-openstackclient": ("console_scripts",),
}
# The commands and the logins of all that is installed: it loads them all.
_OF_ALL = ("keystoneauth1.", "openstack.")
# What is imported when a connection or an index is opened.
_ORCH_LATER = (
    "kombu.transport.pyamqp",
    "orch.search.index.shared.index",
    "orch.search.index.sqlite.index",
    "oslo_messaging._drivers.impl_rabbit",
    "psycopg2.extras",
    "pymysql",
    "sqlalchemy.dialects.mysql.pymysql",
    "sqlalchemy.dialects.postgresql.psycopg2",
    "sqlalchemy.dialects.sqlite.pysqlite",
)
_CLIENTS_LATER = ("heatclient.v1.client", "keystoneauth1.loading")


class LostError(Exception):
    """The server of forks has ended, and what it knew is lost."""


class Child:
    """A process that a server forked; it answers as ``Popen`` does.

    :ivar pid: its process id, which no other process has before the exit
        code was asked for
    """

    def __init__(
        self,
        pid: int,
        told: typing.BinaryIO,
        reap: collections.abc.Callable[[int], object],
    ) -> None:
        """Take over the stream that its exit code will be told by."""
        self.pid = pid
        self._reports = told
        self._reap = reap
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, ``None`` while it runs."""
        return self._code if self._has_ended(0) else None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code once it has ended.

        :raises subprocess.TimeoutExpired: it has not, in so many seconds
        """
        if not self._has_ended(timeout):
            assert timeout is not None
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        assert self._code is not None
        return self._code

    def _has_ended(self, timeout_s: float | None) -> bool:
        if self._code is not None:
            return True
        if not select.select([self._reports], [], [], timeout_s)[0]:
            return False
        with self._reports:
            code = self._reports.read()
        if not code:
            raise LostError(f"nobody knows how process {self.pid} ended")
        self._code = int(code)
        with contextlib.suppress(LostError):
            self._reap(self.pid)
        return True


class Server:
    """A process that has imported modules, and forks.

    :param names: the modules
    """

    def __init__(self, names: collections.abc.Iterable[str]) -> None:
        """Start it; return once it has imported them.

        :raises LostError: it could not; its errors say why
        """
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._environment = dict(os.environ)
        self._socket, its = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET
        )
        with its:
            # -P: its own directory is nothing that a child may import of.
            self._process = subprocess.Popen(
                (sys.executable, "-P", str(_PROGRAM), *names),
                stdin=its,
                stdout=2,
                start_new_session=True,
            )
        self._hear(_PRELOAD_S)

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def launch(
        self,
        command: collections.abc.Sequence[str],
        environment: collections.abc.Mapping[str, str],
        output: typing.IO[bytes],
        errors: typing.IO[bytes] | None = None,
        directory: pathlib.Path | None = None,
    ) -> Child:
        """Run a script of Python in a child, with nothing to read.

        :param command: the path of the script, and its arguments
        :param environment: all of it
        :param errors: where these go, if not to the output
        :param directory: where it runs, by default where this process does
        :raises LostError: the server has ended
        :raises ValueError: the environment sets what the interpreter only
            reads when it starts
        """
        self._check(environment)
        request = {
            "command": list(command),
            "environment": dict(environment),
            "directory": str(directory or pathlib.Path.cwd()),
        }
        reader, writer = os.pipe()
        told = os.fdopen(reader, "rb", buffering=0)
        try:
            pid = self._ask(
                request, output.fileno(), (errors or output).fileno(), writer
            )
        finally:
            os.close(writer)
        return Child(pid, typing.cast(typing.BinaryIO, told), self._reap)

    def _reap(self, pid: int) -> None:
        self._ask({"reap": pid})

    def _ask(
        self,
        request: collections.abc.Mapping[str, object],
        *descriptors: int,
    ) -> int:
        """Return the process id that the server answers with.

        An answer that an earlier caller did not wait for is left out.

        :raises LostError: the server has ended
        """
        with self._lock:
            number = next(self._numbers)
            text = json.dumps({"number": number, **request}).encode()
            try:
                socket.send_fds(self._socket, [text], list(descriptors))
            except OSError as error:
                raise LostError(f"cannot ask for a fork: {error}") from error
            while True:
                answered, pid = self._hear(_START_S).split()
                if int(answered) == number:
                    return int(pid)

    def close(self) -> None:
        """End it; its children go on, and nobody hears of them."""
        self._socket.close()
        try:
            self._process.wait(_START_S)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def _hear(self, timeout_s: float) -> bytes:
        said = b""
        if select.select([self._socket], [], [], timeout_s)[0]:
            with contextlib.suppress(ConnectionResetError):
                said = self._socket.recv(64)
        if not said:
            raise LostError(
                f"the server of forks gave no answer; {self._process.poll()=}"
            )
        return said

    def _check(self, environment: collections.abc.Mapping[str, str]) -> None:
        for name in environment.keys() | self._environment.keys():
            if not name.startswith("PYTHON") or name == "PYTHONPATH":
                continue
            if environment.get(name) != self._environment.get(name):
                raise ValueError(f"a fork cannot heed {name}")


@functools.cache
def orch() -> Server:
    """Return this process's server of forks of Orch's executables."""
    return _start(_ORCH, _ORCH_LATER)


@functools.cache
def clients() -> Server:
    """Return this process's server of forks of ``openstack``."""
    commands = {
        point.module
        for each in importlib.metadata.distributions()
        for point in each.entry_points
        if point.group.startswith(_OF_ALL)
    }
    return _start(_CLIENTS, (*sorted(commands), *_CLIENTS_LATER))


def _start(groups: Groups, more: tuple[str, ...]) -> Server:
    names = {
        point.module
        for name, beginnings in groups.items()
        for point in importlib.metadata.distribution(name).entry_points
        if point.group.startswith(beginnings)
    }
    server = Server([*sorted(names), *more])
    atexit.register(server.close)
    return server


def launch(
    command: collections.abc.Sequence[str],
    environment: collections.abc.Mapping[str, str],
    output: typing.IO[bytes],
    errors: typing.IO[bytes] | None = None,
) -> Child:
    """Run one of Orch's scripts; for more see :meth:`Server.launch`."""
    return orch().launch(command, environment, output, errors)
