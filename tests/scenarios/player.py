"""Plays a scenario on a system, and checks it as it goes."""

import collections.abc
import dataclasses
import typing

from tests.scenarios import script
from tests.scenarios import shapes
from tests.scenarios import sight
from tests.scenarios import stage
from tests.scenarios import trees
from tests.support import rest


def play(scenario: script.Scenario, system: sight.System, name: str) -> int:
    """Play a scenario to its end; then delete the stack and look.

    :param name: of the stack, which nobody has used in that world
    :returns: how many steps were taken
    :raises AssertionError: what is not as it must be
    """
    taken = 0
    kind = trees.Stage if scenario.has_tree else stage.Stage
    player = Player(kind(system, name))
    for number, step in enumerate(scenario.steps, 1):
        try:
            player.step(step)
        except AssertionError as error:
            raise AssertionError(
                f"step {number}, {step.verb} {step.given}: {error}"
            ) from error
        taken = number
    player.end(scenario)
    return taken


class Player:
    """Takes one step after the other on a stage."""

    def __init__(self, on: stage.Stage) -> None:
        self._stage = on
        self._held: dict[tuple[str, str], str] = {}

    def step(self, step: script.Step) -> None:
        """Take a step, and wait for what it says.

        :raises AssertionError: it did not come out as it says
        """
        if step.verb in script.ASKING:
            self._ask(step)
            return
        actions: dict[str, collections.abc.Callable[[], None]] = {
            "fail": lambda: self._order(step, "permanent", "before", 1),
            "hold": lambda: self._order(step, "hold", "watch", 1 << 30),
            "release": self._release,
            "forgive": lambda: self._stage.world.forgive(self._stage.name),
            "kill": self._stage.system.kill,
            "wait": lambda: self._wait(str(step.given)),
            "expect": lambda: self._expect(step.given),
            "remove": lambda: self._stage.take_away(str(step.given)),
            "unhealthy": lambda: self._stage.mark_unhealthy(str(step.given)),
            "clear": lambda: self._stage.clear(step.act.act, step.act.name),
            "held": lambda: self._stage.await_hold(
                step.act.act, step.act.name
            ),
        }
        actions[step.verb]()

    def end(self, scenario: script.Scenario) -> None:
        """Check the end, then delete the stack and look for remains.

        :raises AssertionError: something is wrong
        """
        self._stage.settle()
        self._stage.check()
        for name, calls in scenario.calls.items():
            _same(f"calls for {name}", list(calls), self._stage.calls(name))
        self._stage.finish()
        _same(
            "left in the world", sorted(scenario.left), self._stage.left.names
        )
        _same(
            "kept by policy",
            sorted(scenario.stored),
            self._stage.stored_names(),
        )

    def _ask(self, step: script.Step) -> None:
        # A retry ends with the action that had failed.
        before = self._stage.status() if self._stage.stack else ""
        if "refused" in step.keys:
            self._refused(step)
            return
        self._begin(step)
        if step.text("until") == script.ACCEPTED:
            return
        words = step.text("until").split()
        if words[:1] == [script.HELD]:
            self._stage.await_hold(*words[1:])
            return
        if "until" in step.keys:
            self._await(script.parse_act(step.text("until")))
            return
        self._wait(step.text("ends") or _usual_end(step, before))

    def _refused(self, step: script.Step) -> None:
        try:
            self._begin(step)
        except rest.RefusedError as refused:
            _same("refused", step.keys["refused"], refused.status)
        else:
            raise AssertionError("it was accepted")

    def _begin(self, step: script.Step) -> None:
        options = typing.cast(rest.Json, step.keys.get("options") or {})
        on, given = self._stage, typing.cast(typing.Any, step.given)
        match step.verb:
            case "create":
                on.create(given, options)
            case "update":
                on.update(given, options)
            case "retry":
                on.retry(given)
            case "cancel":
                on.cancel(with_rollback=given == "with rollback")
            case "snapshot":
                on.snapshot()
            case "restore":
                on.restore(on.snapshots()[-1])
            case "delete snapshot":
                on.delete_snapshot(on.snapshots()[-1])
            case "patch":
                self._patch(given, options)
            case "rollback":
                on.roll_back()
            case "delete":
                on.delete(options)
            case "leave":
                on.leave(options)
            case _:
                on.act(step.verb, given)

    def _patch(self, given: dict[str, typing.Any], options: rest.Json) -> None:
        unknown = given.keys() - {"things", "labels", "clear"}
        if unknown:
            raise AssertionError(f"patch: unknown {sorted(unknown)}")
        things = given.get("things")
        self._stage.patch(
            None if things is None else shapes.parse(things),
            given.get("labels") or {},
            given.get("clear") or (),
            options,
        )

    def _await(self, act: script.Act) -> None:
        moment = self._held.get((act.act, act.name), act.moment)
        self._stage.await_act(dataclasses.replace(act, moment=moment))

    def _release(self) -> None:
        self._held.clear()
        self._stage.world.release(self._stage.name)

    def _order(
        self, step: script.Step, how: str, moment: str, times: int
    ) -> None:
        act = step.act
        if how == "hold":
            self._held[act.act, act.name] = act.moment or moment
        self._stage.world.order(
            self._stage.name,
            act.act,
            act.name,
            how=step.text("how", how),
            moment=act.moment or moment,
            times=int(step.text("times", str(times))),
        )

    def _wait(self, status: str) -> None:
        found = self._stage.settle()
        _same(f"status {self._stage.reason()}", status, found)
        self._stage.check()

    def _expect(self, given: object) -> None:
        assert isinstance(given, dict)
        shown = self._stage.resources()
        for name, status in given.items():
            _same(name, status, shown.get(name, "none"))


def _usual_end(step: script.Step, before: str) -> str:
    if step.verb == "retry":
        return f"{before.rpartition('_')[0]}_COMPLETE"
    if step.verb == "cancel":
        is_back = step.given == "with rollback"
        action = before.rpartition("_")[0].removesuffix("_IN")
        return "ROLLBACK_COMPLETE" if is_back else f"{action}_FAILED"
    if step.verb in script.STORING:
        return before
    verb = {"patch": "update", "leave": "adopt"}.get(step.verb, step.verb)
    return f"{verb.upper()}_COMPLETE"


def _same(what: str, expected: object, found: object) -> None:
    if expected != found:
        raise AssertionError(f"{what}: expected {expected}, found {found}")
