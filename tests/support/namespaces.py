"""A network of its own for a piece of a test, with addresses of its choice.

Only root can make one: without that, tests are skipped.
"""

import subprocess
import sys
import unittest


def run_apart(addresses: tuple[str, ...], script: str) -> str:
    """Return what a Python script prints in a network namespace.

    :param addresses: of its loopback interface, with the length of the prefix
    :raises unittest.SkipTest: none can be made here
    """
    commands = [
        "ip link set lo up",
        *(f"ip address add {each} dev lo" for each in addresses),
    ]
    try:
        made = _run("sh", "-ec", "\n".join(commands))
    except FileNotFoundError as error:
        raise unittest.SkipTest(f"no network namespace: {error}") from error
    if made.returncode:
        raise unittest.SkipTest(f"no network namespace: {made.stderr}")
    done = _run(
        "sh",
        "-ec",
        "\n".join([*commands, 'exec "$@"']),
        "sh",
        sys.executable,
        "-c",
        script,
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["unshare", "--net", "--", *command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
