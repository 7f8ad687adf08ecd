"""Plays Orch on this machine: ``python -m tools.demo [--distributed]``.

Embedded: one ``orch-all`` on SQLite. Distributed: ``orch-api``, two
``orch-engine`` and ``orch-search`` on the RabbitMQ and the PostgreSQL of
localhost. All that it prints is either what it does (lines with ``$``) or
read back from the REST API. It works in a directory of its own, which goes at
the end.
"""

import argparse
import importlib
import pathlib
import sys
import tempfile
import time

from tools import acts


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
    with (
        tempfile.TemporaryDirectory(prefix="orch-demo-") as directory,
        stage.opened(pathlib.Path(directory)) as system,
    ):
        acts.Demo(system).play()
    print(f"\nplayed in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
