"""Installs the ``aws`` command for the tests, apart from all else.

``python -m tools.aws``. It goes below ``build/aws``, at the versions of
``tools/aws.lock``; one that is there at these versions is kept. Exits with 1
where it cannot be had, and says why. Where ``ORCH_AWS`` names a command
nothing is installed.
"""

import pathlib
import sys

from tests.support import aws
from tools import apart

_LOCK = pathlib.Path(__file__).parent / "aws.lock"
NAME = "the aws command"


def provide() -> str | None:
    """Return why there is no command; ``None``: it is there."""
    if aws.is_named():
        return None
    return apart.install(aws.HOME, _LOCK, NAME)


if __name__ == "__main__":
    told = provide()
    if told is not None:
        sys.exit(f"{NAME} cannot be installed: {told}")
