"""Workers that die between the world's answer and our commit.

The types with which they do are in ``tests/support/dying``.
"""

import os
import pathlib

import fixtures

PLUGIN = pathlib.Path(__file__).with_name("dying")


class Deaths(fixtures.Fixture):
    """The acts in which a worker dies once, none at first.

    :ivar environment: for the processes that shall die
    """

    environment: dict[str, str]

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self._path = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        python_path = os.environ.get("PYTHONPATH", "")
        self.environment = {
            "ORCH_TEST_DEATHS": str(self._path),
            "PYTHONPATH": f"{PLUGIN}{os.pathsep}{python_path}".rstrip(
                os.pathsep
            ),
        }

    def ask_for(self, act: str) -> None:
        """Let the next act of this kind be a worker's last, per resource."""
        (self._path / act).touch()

    def happened(self) -> list[str]:
        """Return the acts in which one died, ``create.NAME``, sorted."""
        return sorted(
            path.name for path in self._path.iterdir() if "." in path.name
        )
