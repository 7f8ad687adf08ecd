# The commands run here are our own, installed beside Python.
# ruff: noqa: S603
"""Checks style, types, imports and documents: ``python -m tools.lint``.

All checks run, so that one failure does not hide another. Exits with 1 when
one of them fails.
"""

import collections.abc
import pathlib
import subprocess
import sys

_SOURCES = ("orch", "orchclient", "contrib", "tests", "tools", "doc", "bench")
CHECKS = (
    ("ruff", "check", *_SOURCES),
    ("ruff", "format", "--check", *_SOURCES),
    ("mypy",),
    ("lint-imports",),
    ("python", "-m", "tools.house"),
    ("python", "-m", "tools.client_values", "--check"),
    ("doc8", "doc/source", "releasenotes"),
)


def run(
    checks: collections.abc.Iterable[collections.abc.Sequence[str]],
) -> int:
    """Run each check; return how many fail.

    :param checks: commands of this Python's environment, and arguments
    """
    failed = 0
    for program, *arguments in checks:
        print(f"lint: {program} {' '.join(arguments)}", flush=True)
        path = pathlib.Path(sys.executable).with_name(program)
        failed += bool(subprocess.call((str(path), *arguments)))
    return failed


if __name__ == "__main__":
    sys.exit(min(run(CHECKS), 1))
