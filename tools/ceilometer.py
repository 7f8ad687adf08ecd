"""Installs Ceilometer for the tests, apart from all else.

``python -m tools.ceilometer``. It goes below ``build/ceilometer``, at the
versions of ``tools/ceilometer.lock``; one that is there at these versions is
kept. Exits with 1 where it cannot be had, and says why. Where
``ORCH_CEILOMETER`` names a Python that has it nothing is installed.
"""

import pathlib
import sys

from tests.support import ceilometer
from tools import apart

_LOCK = pathlib.Path(__file__).parent / "ceilometer.lock"
NAME = "Ceilometer"


def provide() -> str | None:
    """Return why there is no Ceilometer; ``None``: it is there."""
    if ceilometer.is_named():
        return None
    return apart.install(ceilometer.HOME, _LOCK, NAME)


if __name__ == "__main__":
    told = provide()
    if told is not None:
        sys.exit(f"{NAME} cannot be installed: {told}")
