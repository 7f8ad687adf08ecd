"""Lifecycle plug-ins that write down each call and do what a file says.

They are off unless the settings have a section for them: ``control`` and
``journal`` are paths, ``scope`` is ``every`` for inner stacks too. The tests'
side is ``tests.support.lifecycle``.
"""

import collections.abc
import json
import os
import pathlib
import signal
import threading
import time
import typing

import orch_test_world

from orch.plugin import call_context
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values

VARIABLE = "ORCH_TEST_JOURNAL"
SHUT = "shut"
"""A file of this name beside the control file is a door: all calls wait."""
PAUSE_S = 0.1
"""For a slow call: the engine stores the answers of those at once."""
"""A call that takes so long is stored before the next one."""

Json = dict[str, typing.Any]


def _append(path: str, line: Json) -> None:
    data = (json.dumps(line, sort_keys=True) + "\n").encode()
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)


class Recording(lifecycle.LifecyclePlugin):
    """Writes down what it is called with, then does what it was told."""

    needs_settings = True
    supports_preview = True

    def __init__(self, name: str, settings: Json) -> None:
        super().__init__(name, settings)
        if settings.get("scope") == "every":
            self.scope = lifecycle.Scope.EVERY_STACK
        if "time_limit_s" in settings:
            self.time_limit_s = settings["time_limit_s"]

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> object:
        """Answer as the control file says; allow where it says nothing."""
        self._wait_outside()
        rule = self._call("pre", operation, None)
        act = str(rule.get("do", "allow"))
        text, decided = rule.get("text", ""), rule.get("decisions", {})
        if act == "rubbish":
            return 7
        self._act(act, text, operation)
        match act:
            case "warn":
                return lifecycle.warn(text, decided)
            case "deny":
                return lifecycle.deny(text)
            case "hold":
                return lifecycle.hold(
                    *(text, rule.get("deadline_s"), decided),
                    needs_other=rule.get("needs_other", False),
                    is_separate=rule.get("is_separate", False),
                )
        return lifecycle.allow(decided)

    def post_operation(
        self,
        operation: lifecycle_operation.LifecycleOperation,
        ended: lifecycle.OperationResult,
    ) -> None:
        """Do as the control file says."""
        self._wait_outside()
        rule = self._call("post", operation, ended)
        self._act(str(rule.get("do", "")), rule.get("text", ""), operation)

    def _call(
        self,
        phase: str,
        operation: lifecycle_operation.LifecycleOperation,
        ended: lifecycle.OperationResult | None,
    ) -> Json:
        stack = operation.after or operation.before
        name = stack.name if stack else ""
        line: Json = {
            "plugin": self.name,
            "phase": phase,
            "verb": operation.request.verb,
            "action": operation.request.action,
            "operation": operation.request.operation_id,
            "attempt": operation.request.attempt,
            "is_preview": operation.request.is_preview,
            "user": operation.request.user_name or operation.request.user_id,
            "cause": operation.request.cause,
            "policy_user": operation.request.policy_user_id,
            "stack": name,
            "path": stack.path if stack else "",
            "paths": list(operation.request.paths),
            "pid": os.getpid(),
            "at": time.time(),
        }
        if ended is not None:
            line["outcome"] = ended.outcome.value
            line["reason"] = ended.reason
            line["failures"] = read_only_values.thaw(ended.failures)
        rule = self._rule(phase, operation.request, name)
        if rule.get("do") == "vanish":
            os.kill(os.getpid(), signal.SIGKILL)
        if "dies_s" in rule:
            threading.Timer(
                rule["dies_s"], os.kill, (os.getpid(), signal.SIGKILL)
            ).start()
        if rule.get("looks"):
            line["before"] = _shown(operation.before)
            line["after"] = _shown(operation.after)
            line["plan"] = read_only_values.thaw(operation.plan)
            line["decisions"] = read_only_values.thaw(operation.decisions)
        _append(self.settings["journal"], line)
        if rule.get("pauses"):
            time.sleep(PAUSE_S)
        if "after" in rule:
            self._wait_for(rule["after"])
        return rule

    def _wait_for(self, name: str) -> None:
        """Return once a test has released that name."""
        released = pathlib.Path(self.settings["control"]).with_name(name)
        while not released.exists():
            time.sleep(0.01)

    def _rule(
        self,
        phase: str,
        request: lifecycle_operation.OperationRequest,
        stack: str,
    ) -> Json:
        control = pathlib.Path(self.settings["control"])
        for rule in json.loads(control.read_text() or "[]"):
            wanted = (
                ("plugin", self.name),
                ("phase", phase),
                ("verb", request.verb),
                ("cause", request.cause),
                ("stack", stack),
            )
            if any(rule.get(key) not in (None, is_) for key, is_ in wanted):
                continue
            if "once" in rule:
                mark = control.with_name(f"once-{rule['once']}")
                try:
                    mark.open("x").close()
                except FileExistsError:
                    continue
            return typing.cast(Json, rule)
        return {}

    def _wait_outside(self) -> None:
        """Return once the door is open."""
        door = pathlib.Path(self.settings["control"]).with_name(SHUT)
        while door.exists():
            time.sleep(0.01)

    def _act(
        self,
        act: str,
        text: str,
        operation: lifecycle_operation.LifecycleOperation,
    ) -> None:
        if act == "raise":
            raise RuntimeError(text)
        if act == "hang":
            self._wait_for(text)
        if act == "pause":
            time.sleep(PAUSE_S)
        if act == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if act == "mutate":
            _append(
                self.settings["journal"],
                {"plugin": self.name, "mutations": _mutations(operation)},
            )


def _shown(stack: lifecycle_operation.StackView | None) -> Json | None:
    if stack is None:
        return None
    return {
        "name": stack.name,
        "parameters": read_only_values.thaw(stack.parameters),
        "outputs": read_only_values.thaw(stack.outputs),
        "status": f"{stack.action}_{stack.status}",
        "resources": {
            each.path: {
                "type": each.type_name,
                "properties": read_only_values.thaw(each.properties),
                "physical_id": each.physical_id,
                "requires": list(each.requires),
            }
            for each in stack.walk()
        },
    }


def _mutations(operation: lifecycle_operation.LifecycleOperation) -> list[str]:
    """Return the errors of all that a plug-in may try to change."""
    stack = operation.after or operation.before
    assert stack is not None
    first = next(iter(stack.resources.values()))
    tried: list[collections.abc.Callable[[], object]] = [
        lambda: setattr(operation, "request", None),
        lambda: setattr(operation.request, "verb", "x"),
        lambda: setattr(stack, "name", "x"),
        lambda: setattr(first, "physical_id", "x"),
        lambda: stack.resources.__setitem__("x", first),
        lambda: first.properties.__setitem__("label", "x"),
        lambda: setattr(first.properties, "label", "x"),
        lambda: first.properties["refs"].append("x"),
        lambda: stack.template["resources"].__setitem__("x", {}),
        lambda: stack.parameters.__setitem__("x", "y"),
        lambda: operation.plan.__setitem__("x", "y"),
        lambda: operation.plan["changes"].append("x"),
    ]
    found = []
    for attempt in tried:
        try:
            attempt()
        except (AttributeError, TypeError) as error:
            found.append(type(error).__name__)
        else:
            found.append("was possible")
    return found


class Quiet(lifecycle.LifecyclePlugin):
    """Does nothing: what it costs is what a call costs."""

    needs_settings = True


class Racks(lifecycle.LifecyclePlugin):
    """Gives each thing that wants one a rack; stays with what it gave.

    Things whose value is ``together`` go to one rack, those whose value is
    ``apart`` to one each.
    """

    needs_settings = True
    ordinal = 50

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict | None:
        """Place all things of the tree, or deny."""
        racks = list(self.settings["racks"])
        if operation.after is None:
            return None
        placed = [
            each
            for each in operation.after.walk()
            if each.type_name == Placed.type_name
        ]
        apart = [x for x in placed if x.properties["value"] == "apart"]
        together = [x for x in placed if x.properties["value"] == "together"]
        if len(apart) > len(racks):
            return lifecycle.deny(
                f"{len(apart)} things on racks of their own, and there are"
                f" {len(racks)} racks"
            )
        kept = operation.decisions.get(self.name, {})
        free = [
            rack
            for rack in racks
            if rack
            not in {kept[x.path]["rack"] for x in apart if x.path in kept}
        ]
        found = {x.path: {"rack": racks[0]} for x in together}
        for each in apart:
            if each.path in kept:
                found[each.path] = read_only_values.thaw(kept[each.path])
            else:
                found[each.path] = {"rack": free.pop(0)}
        return lifecycle.allow(found)


class Placed(orch_test_world.WorldResource):
    """A thing that keeps where it was put: its label is the rack."""

    type_name = "Test::World::Placed"

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Write the decisions down, then the row."""
        _append(
            os.environ[VARIABLE],
            {
                "placed": context.name,
                "stack": context.stack_name,
                "decisions": dict(context.decisions),
            },
        )
        return super().create(context)
