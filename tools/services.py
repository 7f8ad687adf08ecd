# The commands run here are our own, and found on the PATH on purpose.
# ruff: noqa: S603, S607
"""Makes the servers that the tests need listen on localhost.

``python -m tools.services [NAME ...]``; without a name, RabbitMQ, PostgreSQL
and MariaDB. A server that accepts the tests' login is used as it is. One
that listens and refuses them is left alone. For the others, as root on
Debian: the package is installed where it is missing, and the server is
started. Logins are opened only on servers that this script installed.

Exits with 1 when one of them is not usable at the end, and says why.
"""

import collections.abc
import os
import pathlib
import shutil
import subprocess
import sys
import time

from tests.support import services

_START_S = 60


def _run(*command: str, text: str | None = None) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        command,
        input=text,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{' '.join(command)}:\n{done.stdout}", file=sys.stderr)


def _is_installed(package: str) -> bool:
    done = subprocess.run(
        ("dpkg-query", "-W", "-f", "${Status}", package),
        capture_output=True,
        text=True,
        check=False,
    )
    return "ok installed" in done.stdout


def _trust_postgresql() -> None:
    for found in pathlib.Path("/etc/postgresql").glob("*/main/pg_hba.conf"):
        rules = found.read_text(encoding="utf-8")
        rule = "host all postgres 127.0.0.1/32 trust\n"
        found.write_text(rule + rules, encoding="utf-8")
    _run("service", "postgresql", "restart")


def _trust_mariadb() -> None:
    _run(
        "mariadb",
        text="ALTER USER root@localhost IDENTIFIED VIA"
        " mysql_native_password USING PASSWORD('');",
    )


_TRUST = {"PostgreSQL": _trust_postgresql, "MariaDB": _trust_mariadb}


def may_install() -> bool:
    """Answer whether this process may install Debian's packages."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def bring_up(server: services.Server) -> None:
    """Install the server where it is missing, and start it."""
    fresh = not _is_installed(server.package)
    if fresh:
        print(f"{server.name}: installing {server.package} ...", flush=True)
        _run("apt-get", "update", "--quiet")
        _run("apt-get", "install", "--yes", "--quiet", server.package)
    print(f"{server.name}: starting ...", flush=True)
    _run("service", server.unit, "start")
    if fresh and server.name in _TRUST:
        _TRUST[server.name]()


def _wait(server: services.Server) -> str | None:
    limit = time.monotonic() + _START_S
    while True:
        fault = server.find_fault()
        if fault is None or time.monotonic() > limit:
            return fault
        time.sleep(1)


def provide(server: services.Server) -> str | None:
    """Make one server usable; return why it is not, or ``None``."""
    fault = server.find_fault()
    if fault is None:
        return None
    if server.is_listening():
        return f"it listens and refuses {server.login}: {fault}"
    if not may_install():
        return f"{fault}; as root on Debian it would be installed"
    bring_up(server)
    return _wait(server)


def main(names: collections.abc.Sequence[str]) -> int:
    """Provide these servers; return the exit code.

    :param names: empty for all
    """
    code = 0
    for server in services.SERVERS:
        if names and server.name not in names:
            continue
        fault = provide(server)
        print(f"{server.name}: {fault or 'ready'}", flush=True)
        code = code or int(fault is not None)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
