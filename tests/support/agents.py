"""Agents of servers as fixtures: each a process that nobody speaks to."""

import json
import pathlib
import subprocess
import sys

import fixtures
from testtools import content
from testtools import content_type

from tests.support import agent


class Agent(fixtures.Fixture):
    """A running agent; see :mod:`tests.support.agent`.

    :param place: the one address that it is told
    :param login: how it logs in to poll, where it has to
    """

    def __init__(
        self, place: str, login: dict[str, str] | None = None
    ) -> None:
        super().__init__()
        self._arguments = (
            [place] if login is None else [place, json.dumps(login)]
        )

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self._log = directory / "agent.log"
        self._errors = directory / "agent.err"
        with self._log.open("wb") as output, self._errors.open("wb") as wrong:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.support.agent",
                    *self._arguments,
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=wrong,
                start_new_session=True,
            )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for path in (self._log, self._errors):
            self.addDetail(
                path.name,
                content.Content(
                    content_type.UTF8_TEXT, lambda path=path: [_read(path)]
                ),
            )

    def said(self, word: str) -> list[tuple[object, ...]]:
        """Return what it has said with this word first, without the word."""
        text = self._log.read_text()
        return [said[1:] for said in agent.heard(text) if said[0] == word]


def _read(path: pathlib.Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
