"""Limit the duration of a whole request, however its parts arrive."""

import socket
import threading
import time
import types
import typing


class Deadline:
    """Breaks the connections of a request that has taken too long.

    It counts from when it is entered. The lookup of a name is waited for, as
    it cannot be interrupted.
    """

    def __init__(self, max_s: float) -> None:
        """Count nothing yet."""
        self._lock = threading.Lock()
        self._watched: list[socket.socket] = []
        self._is_over = False
        self._max_s = max_s
        self._ends_at = 0.0
        self._timer = threading.Timer(max_s, self._end)
        self._timer.daemon = True

    @property
    def is_over(self) -> bool:
        """Whether the time was up before it was left."""
        return self._is_over

    @property
    def left_s(self) -> float:
        """Return the seconds that are left, at least 0."""
        return max(0.0, self._ends_at - time.monotonic())

    def watch(self, connected: socket.socket) -> None:
        """Break this connection when the time is up; at once if it is.

        TLS takes the socket away from whoever has opened it, so that a
        duplicate is kept.
        """
        with self._lock:
            self._watched.append(connected.dup())
            if self._is_over:
                self._break()

    def __enter__(self) -> typing.Self:
        """Begin to count."""
        self._ends_at = time.monotonic() + self._max_s
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        """Break nothing any more."""
        self._timer.cancel()
        with self._lock:
            for each in self._watched:
                each.close()
            self._watched.clear()

    def _end(self) -> None:
        with self._lock:
            self._is_over = True
            self._break()

    def _break(self) -> None:
        for each in self._watched:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                # The other side was quicker.
                continue
