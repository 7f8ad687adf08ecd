"""Another user of the machine, who is no friend of ours.

Only root can become another one: without that, tests are skipped.
"""

import os
import pathlib
import subprocess
import sys
import typing
import unittest

UID: typing.Final = 65534

_BECOME = f"""
import encodings.idna, os, socket, sys
# All that is needed is imported: the new user may not read the files.
os.setgroups([])
os.setgid({UID})
os.setuid({UID})
"""
_SEND = """
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as peer:
    peer.sendall(sys.stdin.buffer.read())
    while piece := peer.recv(65536):
        sys.stdout.buffer.write(piece)
"""
_SLEEP = """
print("up", flush=True)
sys.stdin.read()
"""


def check_root() -> None:
    """Return only if this process can act as another user.

    :raises unittest.SkipTest: it is not root's
    """
    if os.geteuid():
        raise unittest.SkipTest("only root can act as another user")


def give(path: pathlib.Path) -> None:
    """Make a file or directory the other user's."""
    check_root()
    os.chown(path, UID, UID)


def send(port: int, request: bytes) -> bytes:
    """Return all that a server of this machine answers the other user.

    :param request: asks for the connection to be closed
    """
    check_root()
    done = subprocess.run(
        [sys.executable, "-c", _BECOME + _SEND, str(port)],
        input=request,
        capture_output=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def start_process() -> subprocess.Popen[str]:
    """Return a process of the other user's that leads a session.

    Whoever gets it closes its standard input, which ends it.
    """
    check_root()
    started = subprocess.Popen(
        [sys.executable, "-c", _BECOME + _SLEEP],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert started.stdout is not None
    started.stdout.readline()
    return started
