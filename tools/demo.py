"""Plays Orch on this machine: ``python -m tools.demo [--distributed]``.

Embedded: one ``orch-all`` on SQLite. Distributed: ``orch-api``, two
``orch-engine`` and ``orch-search`` on the RabbitMQ and the PostgreSQL of
localhost. All that it prints is either what it does (lines with ``$``) or
read back from the REST API. It works in a directory of its own, which goes at
the end.

Its servers have two minutes to answer. Where one does not, or ends, the last
line says what is wrong in a sentence, and where the log is: ``build/demo``.
"""

import argparse
import collections.abc
import contextlib
import importlib
import pathlib
import shutil
import sys
import tempfile
import time

import requests

from tests.support import processes
from tools import acts

_LOGS = pathlib.Path("build/demo")


def main() -> int:
    """Play; return the exit code."""
    parser = argparse.ArgumentParser(description="Show Orch at work.")
    parser.add_argument(
        "--distributed",
        action="store_true",
        help="an API and two workers on RabbitMQ and PostgreSQL",
    )
    form = "distributed" if parser.parse_args().distributed else "embedded"
    # The distributed form needs the libraries of the tests, the embedded
    # one does without.
    stage = importlib.import_module(f"tools.stage_{form}")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="orch-demo-") as directory:
        place = pathlib.Path(directory)
        with explained(place), stage.opened(place) as system:
            acts.Demo(system).play()
    print(f"\nplayed in {time.monotonic() - started:.0f} s")
    return 0


@contextlib.contextmanager
def explained(directory: pathlib.Path) -> collections.abc.Iterator[None]:
    """End the process with a sentence where a server does not answer.

    :param directory: with the servers' logs, which are stored then
    :raises SystemExit: the sentence
    """
    try:
        yield
    except (processes.NotReadyError, requests.RequestException) as error:
        _store_logs(directory)
        sys.exit(f"\nThe demo failed: {_sentence(error)}.")


def _store_logs(directory: pathlib.Path) -> None:
    shutil.rmtree(_LOGS, ignore_errors=True)
    _LOGS.mkdir(parents=True)
    for log in directory.glob("*.log"):
        shutil.copy(log, _LOGS)


def _sentence(
    error: processes.NotReadyError | requests.RequestException,
) -> str:
    if isinstance(error, requests.RequestException):
        return (
            f"the server does not answer ({type(error).__name__}),"
            f" see the logs in {_LOGS}"
        )
    log = _LOGS / error.log.name
    if error.timeout_s is not None:
        return (
            f"{error.program} did not answer within {error.timeout_s:.0f} s,"
            f" see {log}"
        )
    said = error.last_line or "nothing"
    return f"{error.program} ended and said: {said}; see {log}"


if __name__ == "__main__":
    sys.exit(main())
