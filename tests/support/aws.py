"""Where the unmodified ``aws`` command is.

It pins libraries that others need newer, so it lives in an environment of
its own: ``tools/aws`` makes one below ``build``.
"""

import os
import pathlib
import shutil
import typing

HOME: typing.Final = pathlib.Path(__file__).parents[2] / "build" / "aws"
_NAME = "ORCH_AWS"


def find() -> str | None:
    """Return the command; ``None``: there is none.

    What ``ORCH_AWS`` names comes first, then the one below ``build``, then
    that of the path.
    """
    own = HOME / "bin" / "aws"
    if named := os.environ.get(_NAME):
        return named
    return str(own) if own.exists() else shutil.which("aws")


def is_named() -> bool:
    """Answer whether whoever runs the tests says where it is."""
    return bool(os.environ.get(_NAME))
