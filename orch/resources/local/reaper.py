"""Reap child processes that end, so that none stays as a zombie."""

import contextlib
import os
import selectors
import subprocess
import threading
import typing

_IDLE_S: typing.Final = 30.0

Child = subprocess.Popen[bytes]


class Reaper:
    """One thread for all children; there is none while there is no child."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._selector: selectors.BaseSelector | None = None

    def watch(self, child: Child, report: int) -> None:
        """Collect the child once it ends, and write down how it did.

        :param report: descriptor that gets the exit code as digits,
            negative for a signal; it belongs to the reaper from now on
        """
        handle = os.pidfd_open(child.pid)
        with self._lock:
            if self._selector is None:
                self._selector = selectors.EpollSelector()
                threading.Thread(
                    target=self._work,
                    args=(self._selector,),
                    name="orch-reaper",
                    daemon=True,
                ).start()
            self._selector.register(
                handle, selectors.EVENT_READ, (child, report)
            )

    def _work(self, selector: selectors.BaseSelector) -> None:
        while True:
            for key, _ in selector.select(_IDLE_S):
                child, report = key.data
                with self._lock:
                    selector.unregister(key.fd)
                os.close(key.fd)
                _collect(child, report)
            with self._lock:
                if not selector.get_map():
                    self._selector = None
                    selector.close()
                    return


def _collect(child: Child, report: int) -> None:
    code = child.wait()
    with contextlib.suppress(OSError):
        os.write(report, str(code).encode())
    os.close(report)
