"""Running servers as the users that they insist on."""

import os
import pathlib
import pwd
import shutil
import unittest


def prefix(user: str) -> tuple[str, ...]:
    """Return what to put before a command so that it runs as ``user``.

    Nothing when this process is not root: it then runs as itself.
    """
    if os.geteuid() != 0:
        return ()
    if not has_account(user) or shutil.which("setpriv") is None:
        raise unittest.SkipTest(f"this needs the user {user} and setpriv")
    return (
        "setpriv",
        *("--reuid", user, "--regid", user, "--clear-groups"),
    )


def has_account(user: str) -> bool:
    """Answer whether this machine knows the user."""
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


def give(directory: pathlib.Path, user: str) -> None:
    """Make the directory the user's, when this process is root."""
    if os.geteuid() == 0:
        shutil.chown(directory, user=user, group=user)
