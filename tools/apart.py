# The commands run here are our own, and found where they belong.
# ruff: noqa: S603
"""Installs what only tests need in an environment of its own.

What pins libraries that others need newer, or a hundred that nobody else
needs, goes below ``build``, at the versions of a lock of its own.
"""

import pathlib
import shutil
import subprocess

_TOOLS = pathlib.Path(__file__).parent
_STAMP = "installed"
_LIMIT_S = 180
_PIP = (
    *("-m", "pip", "--disable-pip-version-check", "install", "--quiet"),
    # Who has no network shall not wait for it.
    *("--retries", "1", "--timeout", "10", "--no-deps"),
)


def install(home: pathlib.Path, lock: pathlib.Path, what: str) -> str | None:
    """Return why there is no environment; ``None``: it is there.

    One that is there at the versions of the lock is kept.

    :param home: where it goes
    :param what: what people call it
    """
    wanted = lock.read_text(encoding="utf-8")
    stamp = home / _STAMP
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return None
    print(f"{what}: installing ...", flush=True)
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
