"""What tests of drift on a real control plane share."""

import os
import pathlib
import re
import typing

from tests.cloud import cases
from tests.functional import observing
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]

_REQUEST: typing.Final = re.compile(r'"(POST|PUT|PATCH|DELETE) (\S+)" status')


class DriftTestCase(cases.RigTestCase):
    """Somebody changes things behind the engine's back."""

    def observe(self, stack: rest.Stack) -> Json:
        """Return the drift of a stack, looked at after this call."""
        self.here.ask("POST", f"{stack.path}/actions", {"observe": None})
        waiting.wait_for(
            lambda: not observing.read(self.here, stack)["in_progress"],
            "the look",
            limit_s=60,
        )
        return observing.read(self.here, stack)

    def drifted(self, drift: Json) -> dict[str, list[str] | None]:
        """Return the names of properties that drifted, by resource.

        ``None`` for all of what is gone.
        """
        return {
            thing["path"]: None
            if thing["is_vanished"]
            else sorted(each["property"] for each in thing["differences"])
            for each_stack in drift["stacks"]
            for thing in each_stack["resources"]
            if thing["state"] == "drifted"
        }

    def plan(self, stack: rest.Stack, resources: Json) -> list[str]:
        """Return what an update would do: ``kind name`` of each change."""
        found = typing.cast(
            Json,
            self.here.ask(
                "PUT",
                f"{stack.path}/preview",
                {"template": cases.template(resources), "converge": True},
            ),
        )
        return [
            f"{each['kind']} {each['resource_name']}"
            for each in found["plan"]["changes"]
        ]


class Log:
    """The requests that a service has answered since this was made."""

    def __init__(self, service: str) -> None:
        place = pathlib.Path(os.environ["ORCH_CLOUD_DIR"])
        self._file = place / "log" / f"{service}.log"
        self._start = self._file.stat().st_size

    def writes(self, *parts: str) -> list[str]:
        """Return those that change something, and what they asked for.

        :param parts: of paths; one of them is in each
        """
        with self._file.open("rb") as file:
            file.seek(self._start)
            text = file.read().decode("utf-8", "replace")
        return [
            f"{method} {path}"
            for method, path in _REQUEST.findall(text)
            if any(part in path for part in parts)
        ]
