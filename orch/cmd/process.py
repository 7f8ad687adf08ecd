"""The common parts of all processes: options, logs, signals, exit.

One process a unit, its signals handled in the main thread, no fork: a kill
hits the real worker, and systemd supervises it.
"""

import collections.abc
import gc
import logging
import os
import signal
import socket
import sys
import types
import typing

from oslo_config import cfg
from oslo_log import log

from orch import errors
from orch.cmd import log_lines
from orch.conf import load

_VARIABLE = "NOTIFY_SOCKET"


def notify_systemd(*lines: str) -> bool:
    """Send the lines to the service manager.

    :returns: whether one listens; without one nothing is sent
    """
    address = os.environ.get(_VARIABLE)
    if not address:
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        try:
            sender.sendto("\n".join(lines).encode(), address)
        except OSError:
            return False
    return True


LOG = log.getLogger(__name__)

_SIGNALS = (signal.SIGTERM, signal.SIGINT)

# An operation on 10,000 resources makes a million objects that live as long
# as it does. With Python's own thresholds looking through all of them again
# and again took a fifth of its CPU time; so seldom it takes a twentieth, for
# a quarter more memory.
_GARBAGE = (10_000, 20, 10)

_UMASK = 0o077

Stop = collections.abc.Callable[[], object]


class Failure(Exception):  # noqa: N818 - it names how a command ends
    """The command cannot do its work; the text says why."""


def read_options(
    prog: str, args: collections.abc.Sequence[str]
) -> cfg.ConfigOpts:
    """Return the options of a service, and start its log.

    :raises Failure: the options are wrong
    """
    try:
        conf = load.load(args, prog=prog)
    except cfg.Error as error:
        raise Failure(str(error)) from error
    log_lines.start_log(conf, prog)
    return conf


class Signals:
    """Waits for the signals that end a process.

    The interpreter itself writes to a pipe: the system may hand a signal to
    any thread, and a handler in Python only runs once the main thread, which
    waits for that pipe, has something to do. A second signal ends at once.
    """

    def __init__(self) -> None:
        """Handle the signals from now on."""
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        self._count = 0
        for number in _SIGNALS:
            signal.signal(number, self._note)

    def wait(self) -> None:
        """Return when a signal has come, if need be long ago."""
        while os.read(self._reader, 1)[0] not in _SIGNALS:
            LOG.debug("a signal came that is no reason to end")

    def _note(self, number: int, frame: types.FrameType | None) -> None:
        self._count += 1
        if self._count > 1:
            os._exit(128 + number)


def serve_until_signal(
    signals: Signals, parts: collections.abc.Sequence[Stop], said: str
) -> None:
    """Serve until a signal comes, then stop the parts, in order.

    :param parts: what to call to stop them, none of which may raise
    :param said: what the log and systemd hear once all is up
    """
    # What is loaded by now lives as long as the process. A collection before
    # would take 0.1 s.
    gc.freeze()
    LOG.info("%s", said)
    notify_systemd("READY=1", f"STATUS={said}")
    signals.wait()
    notify_systemd("STOPPING=1")
    LOG.info("stopping")
    for stop in parts:
        stop()
    LOG.info("stopped")


def run_command(
    command: collections.abc.Callable[[], int | None],
) -> typing.NoReturn:
    """Run a command and leave with its exit code.

    The files that it makes are its user's alone, unless it says otherwise.
    The way out waits for no thread: a library's thread may wait for a broker
    that is away, and everything of ours is stopped by now.
    """
    gc.set_threshold(*_GARBAGE)
    os.umask(_UMASK)
    code = 1
    try:
        code = command() or 0
    except (Failure, errors.OrchError) as error:
        print(f"{_name()}: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except SystemExit as error:
        code = _code_of(error)
    except Exception:
        LOG.exception("failed")
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _code_of(error: SystemExit) -> int:
    """Return the exit code as the interpreter would find it."""
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)
    return 1


def _name() -> str:
    return os.path.basename(sys.argv[0])  # noqa: PTH119 - a name, no path
