"""Lifecycle plug-ins that do what a test says, and what they were called for.

The plug-ins themselves are in ``tests/support/plugin``.
"""

import json
import pathlib

import fixtures
import yaml

from tests.support import rest

VARIABLE = "ORCH_TEST_JOURNAL"
NAMES = tuple(f"orch-test-{number}" for number in range(1, 6))

Json = dict[str, object]
Call = tuple[str, str]
"""Phase and number of the plug-in: ``("pre", "1")``."""


class Plugins(fixtures.Fixture):
    """Some of the recording plug-ins, switched on by a settings file.

    :ivar options: for the configuration of the system
    :ivar environment: for its processes
    """

    options: dict[str, Json]
    environment: dict[str, str]

    def __init__(
        self,
        count: int = 3,
        settings: Json | None = None,
        *,
        inner: frozenset[int] = frozenset(),
        levels: dict[int, str] | None = None,
        **each: object,
    ) -> None:
        """Have so many of them.

        :param settings: sections of further plug-ins
        :param inner: which of them are called for stacks in stacks, too
        :param levels: their enforcement levels, by number
        :param each: further settings of each recording one
        """
        self._names = NAMES[:count]
        self._more = settings or {}
        self._child = inner
        self._levels = levels or {}
        self._each = each

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self._control = self.directory / "control.json"
        self._journal = self.directory / "journal"
        self._journal.touch()
        self.forgive()
        sections = {
            name: {
                "control": str(self._control),
                "journal": str(self._journal),
                **self._each,
                **({"scope": "every"} if number in self._child else {}),
                **(
                    {"enforcement": self._levels[number]}
                    if number in self._levels
                    else {}
                ),
            }
            for number, name in enumerate(self._names, 1)
        }
        path = self.directory / "settings.yaml"
        path.write_text(yaml.safe_dump({**sections, **self._more}))
        self.options = {"lifecycle": {"settings_file": path}}
        self.environment = {VARIABLE: str(self._journal)}

    def order(self, number: int, phase: str, do: str, **more: object) -> None:
        """Have a plug-in do something; what was ordered first comes first.

        :param number: of the plug-in, from 1 on
        :param do: ``allow``, ``warn``, ``deny``, ``hold``, ``raise``,
            ``hang``, ``pause``, ``die``, ``rubbish`` or ``mutate``;
            ``vanish`` is to die with nothing written of the call
        :param more: ``verb``, ``cause``, ``stack``, ``text``, ``decisions``,
            ``deadline_s``, ``needs_other``, ``is_separate``, ``looks``;
            ``once`` names what happens once; ``dies_s`` so many seconds later
            the worker dies; ``after`` is a name that has to be released before
            the call goes on; what
            ``pauses`` first is stored before the next call
        """
        rule = {"plugin": f"orch-test-{number}", "phase": phase, "do": do}
        self._write([*json.loads(self._control.read_text()), rule | more])

    def has_happened(self, once: str) -> bool:
        """Answer whether what happens once did."""
        return (self.directory / f"once-{once}").exists()

    def shut(self) -> None:
        """Let all calls wait before they begin."""
        (self.directory / "shut").touch()

    def open(self) -> None:
        """Let them begin."""
        (self.directory / "shut").unlink()

    def forgive(self) -> None:
        """Have them allow everything."""
        self._write([])

    def release(self, name: str) -> None:
        """Let what hangs on this name go on."""
        (self.directory / name).touch()

    def lines(self, stack: rest.Stack | str | None = None) -> list[Json]:
        """Return the calls, the oldest first.

        :param stack: only those of this one
        """
        name = stack.name if isinstance(stack, rest.Stack) else stack
        found = [
            json.loads(line) for line in self._journal.read_text().splitlines()
        ]
        return [
            each
            for each in found
            if "phase" in each and name in (None, each["stack"])
        ]

    def notes(self, key: str) -> list[Json]:
        """Return the other lines that have a key."""
        return [
            each
            for each in map(json.loads, self._journal.read_text().splitlines())
            if key in each
        ]

    def calls(
        self,
        stack: rest.Stack | str,
        verb: str | None = None,
        attempt: int | None = None,
    ) -> list[Call]:
        """Return phase and number of each call for a stack."""
        return [
            (str(each["phase"]), str(each["plugin"])[-1])
            for each in self.lines(stack)
            if verb in (None, each["verb"])
            and attempt in (None, each["attempt"])
        ]

    def outcomes(
        self, stack: rest.Stack | str, verb: str | None = None
    ) -> list[str]:
        """Return the outcome of each post-op of a stack."""
        return [
            str(each["outcome"])
            for each in self.lines(stack)
            if each["phase"] == "post" and verb in (None, each["verb"])
        ]

    def _write(self, rules: list[Json]) -> None:
        fresh = self._control.with_suffix(".new")
        fresh.write_text(json.dumps(rules))
        fresh.replace(self._control)
