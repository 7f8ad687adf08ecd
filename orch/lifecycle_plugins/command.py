"""Get verdicts from a program on the worker's machine.

It reads a call from its standard input and writes its verdict to the standard
output; no shell is used.
"""

import collections.abc
import os
import pathlib
import typing

from orch import clock
from orch import errors
from orch.lifecycle_plugins import processes
from orch.lifecycle_plugins import remote_base
from orch.plugin import lifecycle_settings

SCHEMA: typing.Final = lifecycle_settings.mapping(
    {
        **remote_base.PROPERTIES,
        "argv": {
            "type": "array",
            "minItems": 1,
            "items": lifecycle_settings.TEXT,
        },
        "directory": lifecycle_settings.TEXT,
        "environment": {
            "type": "object",
            "additionalProperties": {"type": "string"},
        },
    },
    ["argv"],
)

_INHERITED: typing.Final = ("PATH", "LANG", "LC_ALL", "TZ")
_MAX_SHOWN: typing.Final = 300


class Failed(errors.Permanent):
    """A program could not be run, or reported a failure."""

    code = "orch.lifecycle.command_failed"


class Command(remote_base.RemotePlugin):
    """Runs a program for each call; every worker needs the program.

    Of the worker's environment it gets ``PATH``, the language and the time
    zone. When its time is over it is killed with all that it has started.
    """

    def __init__(
        self,
        name: str,
        settings: object,
        moments: clock.Clock | None = None,
    ) -> None:
        """Read the settings.

        :param moments: what tells the time; ``None`` for the machine's
        :raises orch.errors.Invalid: they are wrong
        """
        super().__init__(name, settings, SCHEMA)
        self._moments = moments or clock.SystemClock()
        self._argv: list[str] = self._given["argv"]
        if not pathlib.Path(self._argv[0]).is_absolute():
            raise errors.Invalid(
                f"argv: {self._argv[0]!r} has to be a whole path"
            )
        self._directory: str = self._given.get("directory", "/")
        self._environment = {
            **_inherited(),
            **self._given.get("environment", {}),
        }

    def ask(self, call: bytes, call_id: str) -> bytes:
        """Return what the program writes.

        :raises Failed: it cannot be run, takes too long, writes too much,
            or ends with another code than 0
        """
        try:
            ended = processes.run(
                self._argv,
                call,
                limit_s=self._limit_s,
                directory=self._directory,
                environment={**self._environment, "ORCH_CALL_ID": call_id},
                moments=self._moments,
            )
        except processes.Overdue as error:
            raise Failed(
                f"{self._argv[0]} was killed after {self._limit_s:g} s"
            ) from error
        except processes.TooMuch as error:
            raise Failed(f"{self._argv[0]} {error}") from error
        except OSError as error:
            raise Failed(f"{self._argv[0]} cannot be run: {error}") from error
        if ended.code:
            told = " ".join(ended.errors.decode("utf-8", "replace").split())
            raise Failed(
                f"{self._argv[0]} ended with code {ended.code}:"
                f" {told[-_MAX_SHOWN:] or 'it says nothing'}"
            )
        return ended.output


def _inherited() -> collections.abc.Mapping[str, str]:
    return {
        name: os.environ[name] for name in _INHERITED if name in os.environ
    }
