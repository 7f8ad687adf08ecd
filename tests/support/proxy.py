"""A TCP proxy that a test switches off and on: a broker that goes away."""

import socket
import threading

import fixtures


class Proxy(fixtures.Fixture):
    """Forwards connections to ``target`` until :meth:`cut`.

    The port stays the same, so that whoever was connected finds it again.
    """

    def __init__(self, host: str, port: int) -> None:
        super().__init__()
        self._target = (host, port)
        self._listener: socket.socket | None = None
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._is_flowing = threading.Event()
        self.port = 0

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.restore()
        self.addCleanup(self.cut)

    def restore(self) -> None:
        """Accept connections (again)."""
        self.thaw()
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(
            target=self._accept, args=(listener,), daemon=True
        ).start()

    def freeze(self) -> None:
        """Keep all connections, accept more, and pass nothing on."""
        self._is_flowing.clear()

    def thaw(self) -> None:
        """Pass on what came meanwhile, and what comes."""
        self._is_flowing.set()

    def cut(self) -> None:
        """End all connections and refuse new ones."""
        self.thaw()
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        with self._lock:
            ended = list(self._open)
            self._open.clear()
        for end in ended:
            _close(end)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
                far = socket.create_connection(self._target)
            except OSError:
                return
            with self._lock:
                self._open.update((near, far))
            if self._listener is not listener:
                _close(near)
                _close(far)
            for ends in ((near, far), (far, near)):
                threading.Thread(
                    target=self._forward, args=ends, daemon=True
                ).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                self._is_flowing.wait()
                sink.sendall(data)
        except OSError:
            return
        finally:
            _close(source)
            _close(sink)


def _close(end: socket.socket) -> None:
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
    finally:
        end.close()
