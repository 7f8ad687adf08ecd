"""Run a program with limits on its time and its output."""

import collections.abc
import contextlib
import dataclasses
import os
import selectors
import signal
import subprocess
import typing

from orch import clock

_MAX_BYTES: typing.Final = 1024 * 1024
_CHUNK: typing.Final = 65536


class Overdue(Exception):  # noqa: N818 - it names what happened
    """A program exceeded its time limit and was killed."""


class TooMuch(Exception):  # noqa: N818 - it names what happened
    """A program exceeded its output limit and was killed."""


@dataclasses.dataclass(frozen=True, slots=True)
class Ended:
    """The exit of a program.

    :ivar code: negative for a signal
    :ivar errors: what came on the standard error
    """

    code: int
    output: bytes
    errors: bytes


def run(
    argv: collections.abc.Sequence[str],
    given: bytes,
    *,
    limit_s: float,
    directory: str,
    environment: collections.abc.Mapping[str, str],
    moments: clock.Clock,
) -> Ended:
    """Return how a program has ended that was given a text.

    It leads a group of its own. What of that still runs when this returns,
    or raises, is killed.

    :raises Overdue: the time is over
    :raises TooMuch: it writes more than a megabyte
    :raises OSError: it cannot be run
    """
    ends = moments.monotonic() + limit_s
    with subprocess.Popen(  # noqa: S603 - the operator names it; no shell
        list(argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=directory,
        env=dict(environment),
        start_new_session=True,
    ) as process:
        try:
            found = _Talk(process, given).hold(ends, moments)
            _wait(process.pid, ends, moments)
        finally:
            # Its exit code is not read yet, so the id is still its own.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return Ended(process.returncode, *found)


def _wait(pid: int, ends: float, moments: clock.Clock) -> None:
    """Return when a child has ended; its code is still to be asked for.

    :raises Overdue: the time is over
    """
    handle = os.pidfd_open(pid)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(handle, selectors.EVENT_READ)
            if not selector.select(max(ends - moments.monotonic(), 0)):
                raise Overdue
    finally:
        os.close(handle)


class _Talk:
    """Writes to a program and reads from it at the same time."""

    def __init__(self, process: subprocess.Popen[bytes], given: bytes) -> None:
        assert process.stdin and process.stdout and process.stderr
        self._input = process.stdin
        self._rest = memoryview(given)
        self._found = {
            process.stdout.fileno(): bytearray(),
            process.stderr.fileno(): bytearray(),
        }

    def hold(self, ends: float, moments: clock.Clock) -> tuple[bytes, bytes]:
        """Return all that it has written, on both ways.

        :raises Overdue: the time is over
        :raises TooMuch: it writes more than a megabyte
        """
        with selectors.DefaultSelector() as selector:
            os.set_blocking(self._input.fileno(), False)
            selector.register(self._input.fileno(), selectors.EVENT_WRITE)
            for number in self._found:
                selector.register(number, selectors.EVENT_READ)
            while selector.get_map():
                left_s = ends - moments.monotonic()
                if left_s <= 0:
                    raise Overdue
                for key, _ in selector.select(left_s):
                    if not self._go_on(key.fd):
                        selector.unregister(key.fd)
                        self._leave(key.fd)
        output, told = self._found.values()
        return bytes(output), bytes(told)

    def _go_on(self, number: int) -> bool:
        """Whether there may be more to write or read there."""
        if number not in self._found:
            return self._write(number)
        piece = os.read(number, _CHUNK)
        self._found[number] += piece
        if len(self._found[number]) > _MAX_BYTES:
            raise TooMuch(f"wrote more than {_MAX_BYTES} bytes")
        return bool(piece)

    def _write(self, number: int) -> bool:
        try:
            count = os.write(number, self._rest[:_CHUNK])
        except BrokenPipeError:
            # It need not read what it does not want to know.
            count = len(self._rest)
        self._rest = self._rest[count:]
        return bool(self._rest)

    def _leave(self, number: int) -> None:
        """Let the program know that nothing more comes."""
        if number not in self._found:
            # Popen closes it again at its end, which does nothing then.
            self._input.close()
