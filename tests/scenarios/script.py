"""Reads scenarios: YAML in, steps out, each key checked."""

import collections.abc
import dataclasses
import pathlib
import typing

import yaml

from tests.scenarios import shapes

MAKING = ("create", "update")
ACTING = ("delete", "suspend", "resume", "check")
STORING = ("delete snapshot",)
"""Verbs that leave the status as it is."""
ASKING = (
    *(*MAKING, *ACTING, *STORING, "patch", "retry", "cancel", "rollback"),
    *("snapshot", "restore", "leave"),
)
"""Verbs that ask Orch for something."""
OTHER = (
    *("fail", "hold", "release", "forgive", "kill", "wait"),
    *("expect", "remove", "unhealthy", "clear", "held"),
)
_VERBS = frozenset((*ASKING, *OTHER))
_KEYS = {
    "all": {"until", "ends", "refused", "options"},
    "fail": {"times", "how"},
}
_SCENARIO = {"title", "forms", "steps", "calls", "left", "stored"}
ACCEPTED = "accepted"
"""In place of an act: do not wait at all."""
HELD = "held"
"""Before a name and a breakpoint, in place of an act: wait until it is."""
FORMS = ("inprocess", "distributed")


@dataclasses.dataclass(frozen=True, slots=True)
class Act:
    """An act on a thing: ``update D``, ``create B after``."""

    act: str
    name: str
    moment: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One step: a verb, what it is given, and the keys beside it."""

    verb: str
    given: object
    keys: collections.abc.Mapping[str, object]

    @property
    def act(self) -> Act:
        """Return what it is given as an act."""
        return parse_act(str(self.given))

    def text(self, key: str, default: str = "") -> str:
        """Return a key beside the verb as text."""
        return str(self.keys.get(key, default))


@dataclasses.dataclass(frozen=True, slots=True)
class Scenario:
    """One story.

    :ivar name: of its file
    :ivar forms: of :data:`FORMS`: where it is played
    :ivar calls: name to the calls that were made in the end, where it
        matters
    :ivar left: things that stay in the world when the stack is deleted
    :ivar stored: things of which the deletion policy leaves a snapshot, then
    """

    name: str
    title: str
    forms: tuple[str, ...]
    steps: tuple[Step, ...]
    calls: collections.abc.Mapping[str, collections.abc.Sequence[str]]
    left: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()

    @property
    def has_tree(self) -> bool:
        """Answer whether it tells of stacks in a stack."""
        return any(
            thing.inside
            for step in self.steps
            if step.verb in MAKING and isinstance(step.given, dict)
            for thing in step.given.values()
        )


def read(path: pathlib.Path) -> Scenario:
    """Return the scenario in a file.

    :raises ValueError: it says something that no scenario may say
    """
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    try:
        return _scenario(path.stem, given)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path.name}: {error}") from error


def parse_act(text: str) -> Act:
    """Return ``update D after`` in its parts.

    :raises ValueError: it has too few or too many
    """
    words = text.split()
    if len(words) not in (2, 3):
        raise ValueError(f"an act is 'ACT NAME [MOMENT]', not {text!r}")
    return Act(*words)


def _scenario(name: str, given: dict[str, typing.Any]) -> Scenario:
    _check(given.keys(), _SCENARIO, "the scenario")
    forms = tuple(given.get("forms", FORMS[:1]))
    _check(set(forms), set(FORMS), "forms")
    return Scenario(
        name=name,
        title=given["title"],
        forms=forms,
        steps=tuple(_step(each) for each in given["steps"]),
        calls=given.get("calls", {}),
        left=tuple(given.get("left", ())),
        stored=tuple(given.get("stored", ())),
    )


def _step(given: object) -> Step:
    if isinstance(given, str):
        given = {given: None}
    if not isinstance(given, dict):
        raise ValueError(f"a step is a verb or a map, not {given!r}")
    verbs = [key for key in given if key in _VERBS]
    if len(verbs) != 1:
        raise ValueError(f"a step has one verb; this has {verbs}: {given}")
    (verb,) = verbs
    keys = {key: value for key, value in given.items() if key != verb}
    kind = "all" if verb in ASKING else verb
    _check(keys.keys(), _KEYS.get(kind, set()), verb)
    value = given[verb]
    if verb in MAKING:
        value = shapes.parse(value)
    if verb in ("fail", "hold", "clear", "held"):
        parse_act(str(value))
    return Step(verb, value, keys)


def _check(
    given: collections.abc.Set[str],
    known: collections.abc.Set[str],
    where: str,
) -> None:
    if given - known:
        raise ValueError(
            f"{where}: unknown {sorted(given - known)}; known {sorted(known)}"
        )
