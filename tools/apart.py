# The commands run here are our own, and found where they belong.
# ruff: noqa: S603
"""Installs what only tests need in environments of its own.

``python -m tools.apart [NAME ...]``, of ``aodh``, ``aws``, ``ceilometer`` and
``zaqar``; without one, all of them. Each goes below ``build``, at the versions
of ``tools/NAME.lock``; one that is there at these versions is kept. Exits with
1 where one cannot be had, and says why. Where ``ORCH_NAME`` names a command
nothing is installed.
"""

import pathlib
import shutil
import subprocess
import sys

from tests.support import apart

_TOOLS = pathlib.Path(__file__).parent
_STAMP = "installed"
_LIMIT_S = 180
_PIP = (
    *("-m", "pip", "--disable-pip-version-check", "install", "--quiet"),
    # Who has no network shall not wait for it.
    *("--retries", "1", "--timeout", "10", "--no-deps"),
)


def provide(program: apart.Program) -> str | None:
    """Return why there is no such program; ``None``: it is there."""
    if program.is_named():
        return None
    home = program.home
    lock = _TOOLS / f"{program.name}.lock"
    wanted = lock.read_text(encoding="utf-8")
    stamp = home / _STAMP
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return None
    print(f"{program.title}: installing ...", flush=True)
    shutil.rmtree(home, ignore_errors=True)
    python = str(home / "bin" / "python")
    for command in (
        (str(_TOOLS / "venv"), str(home)),
        (python, *_PIP, "--requirement", str(lock)),
    ):
        fault = _run(command)
        if fault is not None:
            shutil.rmtree(home, ignore_errors=True)
            return fault
    stamp.write_text(wanted, encoding="utf-8")
    return None


def _run(command: tuple[str, ...]) -> str | None:
    """Return why a command failed."""
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)[:300]
    if not done.returncode:
        return None
    lines = [each for each in done.stdout.splitlines() if "ERROR" in each]
    return (lines or [done.stdout.strip()])[0][:300]


def main(names: list[str]) -> int:
    """Install programs; return the exit code.

    :param names: empty for all
    """
    known = {each.name: each for each in apart.ALL}
    unknown = set(names) - set(known)
    if unknown:
        print(f"no such program: {', '.join(sorted(unknown))}")
        return 2
    faults = [
        f"{known[name].title} cannot be installed: {fault}"
        for name in names or known
        if (fault := provide(known[name])) is not None
    ]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
