"""One tree of stacks from its creation to its end, at two installations.

Whatever becomes of the workers meanwhile, the world has each physical resource
of the desired tree once, and the same ones where nothing was to change.
"""

import collections.abc
import dataclasses
import random
import threading
import time
import typing

from tests.scenarios import draws
from tests.scenarios import inprocess
from tests.scenarios import shapes
from tests.scenarios import test_trees
from tests.scenarios import trees
from tests.support import rest
from tests.support import waiting

_TRIES = 8
_PATIENCE_S = 60.0
_MAX_DELAY_S = 0.15
_HINDRANCES: typing.Final = (
    ("create", "permanent", "before"),
    ("create", "transient", "after"),
    ("create", "outage", "after"),
    ("update", "permanent", "before"),
    ("delete", "permanent", "before"),
    ("delete", "transient", "after"),
)


class WrongError(AssertionError):
    """The world is not as it must be."""


class Life:
    """A tree that is created, changed, suspended, moved away and deleted.

    :param systems: installations around one world; the tree begins at the
        first one
    """

    def __init__(
        self,
        systems: collections.abc.Sequence[inprocess.System],
        name: str,
        chance: random.Random,
    ) -> None:
        self._systems = list(systems)
        self._world = systems[0].world
        self._name = name
        self._chance = chance
        self._stack = rest.Stack(name, "")
        self._flat: draws.Shape = {}
        self._levels = {
            each: chance.randint(0, len(test_trees.STACKS))
            for each in draws.NAMES
        }
        self._is_at_rest = False
        self._told: list[str] = []

    def play(self, phases: int) -> None:
        """Live through random phases, and end.

        :raises WrongError: the world is not as it must be after one
        """
        self._create()
        for _ in range(phases):
            self._chance.choice(self._fitting())()
        self._delete()

    def _fitting(self) -> list[collections.abc.Callable[[], None]]:
        if self._is_at_rest:
            return [self._resume, self._leave, self._resume]
        return [
            *(self._update, self._update, self._update),
            *(self._suspend, self._leave, self._leave_amid),
        ]

    # What happens to the tree.

    def _create(self) -> None:
        self._flat = _deletable(draws.shape(self._chance))
        self._run("POST", "/stacks", self._body(stack_name=self._name))
        self._check("create")

    def _update(self) -> None:
        self._change()
        self._run("PUT", self._stack.path, self._body())
        self._check("update")

    def _suspend(self) -> None:
        self._act("suspend")
        self._is_at_rest = True
        self._check("suspend")

    def _resume(self) -> None:
        self._act("resume")
        self._is_at_rest = False
        self._check("resume")

    def _leave(self) -> None:
        """Go to the other installation; nothing changes in the world."""
        before = self._ids()
        self._adopt(self._abandon())
        if self._ids() != before:
            raise self._wrong(f"moved away: {before} became {self._ids()}")
        self._check("leave")

    def _leave_amid(self) -> None:
        """Go to the other installation while resources are created.

        Of what is changed a document does not say how far that has come.
        """
        before = self._flat
        for _ in range(2):
            self._flat = _deletable(
                draws.with_another(self._chance, self._flat)
            )
        # In a child stack it could become what others refer to.
        self._levels.update(dict.fromkeys(self._flat.keys() - before, 0))
        self._hinder()
        self._ask("PUT", self._stack.path, self._body())
        self._pause()
        document = self._abandon()
        self._world.forgive(self._name)
        self._adopt(document, adopt_missing="create")
        self._run("PUT", self._stack.path, self._body())
        self._check("leave amid a change")

    def _delete(self) -> None:
        self._run("DELETE", self._stack.path)
        left = self._world.resources_of_tree(self._name)
        if left:
            raise self._wrong(f"left behind: {left}")

    # How that is done.

    def _change(self) -> None:
        self._flat = _deletable(draws.changed(self._chance, self._flat))
        if self._chance.random() < 0.3:
            name = self._chance.choice(draws.NAMES)
            self._levels[name] = self._chance.randint(
                0, len(test_trees.STACKS)
            )

    def _body(self, **more: object) -> rest.Json:
        document = shapes.document(self._shape())
        return {"disable_rollback": True, **document, **more}

    def _shape(self) -> shapes.Shape:
        return shapes.plain(test_trees.nested(self._flat, self._levels))

    def _act(self, action: str) -> None:
        self._run("POST", f"{self._stack.path}/actions", {action: None})

    def _run(
        self, method: str, path: str, body: rest.Json | None = None
    ) -> None:
        """Ask for an operation, kill amid it, and see it through."""
        self._hinder()
        answer = self._ask(method, path, body)
        self._learn(answer)
        self._kill_some()
        self._see_through()

    def _abandon(self) -> object:
        """Return the document; a worker may be killed amid the request."""
        path = f"{self._stack.path}/abandon"
        found: list[object] = []
        asking = threading.Thread(
            target=lambda: found.append(self._ask("DELETE", path))
        )
        asking.start()
        self._kill_some()
        asking.join(_PATIENCE_S)
        if not found:
            raise self._wrong("the abandonment has no answer")
        return found[0]

    def _adopt(self, document: object, **more: object) -> None:
        self._await_end(is_gone=True)
        self._systems.reverse()
        body: rest.Json = {
            "stack_name": self._name,
            "adopt_stack_data": document,
            "disable_rollback": True,
            **more,
        }
        self._run("POST", "/stacks", body)

    def _ask(
        self, method: str, path: str, body: rest.Json | None = None
    ) -> object:
        """Ask until a worker that lives answers."""
        limit = time.monotonic() + _PATIENCE_S
        while True:
            try:
                answer = self._systems[0].client.ask(method, path, body)
            except rest.RefusedError as refused:
                self._told.append(f"{method} {path}: {refused}")
                if refused.status < 500 or time.monotonic() > limit:
                    raise self._wrong(f"{method} {path}: {refused}") from None
                time.sleep(0.1)
            else:
                self._told.append(f"{method} {path}")
                return answer

    def _learn(self, answer: object) -> None:
        if isinstance(answer, dict) and "stack" in answer:
            self._stack = rest.Stack(self._name, str(answer["stack"]["id"]))

    def _hinder(self) -> None:
        for _ in range(self._chance.choice((0, 0, 1, 2))):
            act, how, moment = self._chance.choice(_HINDRANCES)
            name = self._chance.choice(draws.NAMES)
            self._told.append(f"{act} {name} fails: {how} {moment}")
            self._world.order(
                self._name, act, name, how=how, moment=moment, times=1
            )

    def _kill_some(self) -> None:
        for _ in range(self._chance.choice((0, 1, 1, 2))):
            self._pause()
            self._told.append("kill")
            self._systems[0].kill()

    def _pause(self) -> None:
        time.sleep(self._chance.uniform(0, _MAX_DELAY_S))

    def _see_through(self) -> None:
        """Retry what has failed until all is complete."""
        for _ in range(_TRIES):
            status = self._await_end()
            if status.endswith("_COMPLETE"):
                return
            self._told.append(f"{status}: retry")
            self._world.forgive(self._name)
            self._ask("POST", f"{self._stack.path}/actions", {"retry": {}})
        raise self._wrong("stuck")

    def _await_end(self, *, is_gone: bool = False) -> str:
        """Return the status once no operation of the stack is open."""
        pace = waiting.Pace()
        while True:
            shown = self._show()
            status = str(shown["stack_status"])
            if status == "DELETE_COMPLETE" or (
                not is_gone and not status.endswith("IN_PROGRESS")
            ):
                return status
            if pace.waited_s() > _PATIENCE_S:
                raise self._wrong(f"{status} does not end")
            pace.pause()

    def _show(self) -> rest.Json:
        """Return the stack; a deleted one is shown by its id."""
        limit = time.monotonic() + _PATIENCE_S
        while True:
            try:
                return self._systems[0].client.show(self._stack)
            except rest.RefusedError as refused:
                if refused.status < 500 or time.monotonic() > limit:
                    raise
                time.sleep(0.1)

    # Whether it is right.

    def _ids(self) -> set[str]:
        return {each.id for each in self._world.resources_of_tree(self._name)}

    def _check(self, phase: str) -> None:
        """Check the world after a phase.

        :raises WrongError: it is not as it must be
        """
        self._told.append(f"-- {phase}")
        existing = self._world.resources_of_tree(self._name)
        look = shapes.observed_look(existing)
        expected = shapes.expected(trees.flat(self._shape()))
        if look != expected:
            raise self._wrong(
                f"after {phase}:\n  expected {expected}\n  found    {look}"
            )
        if doubles := self._world.doubles():
            raise self._wrong(f"created twice: {doubles}")
        at_rest = {each.rests for each in existing}
        if at_rest - {self._is_at_rest}:
            raise self._wrong(f"after {phase}: suspended is {at_rest}")

    def _wrong(self, what: str) -> WrongError:
        calls = [
            f"{each.act} {each.name} {each.token[:8]}"
            for each in self._world.calls()
            if each.stack == self._name
            or each.stack.startswith(f"{self._name}-")
        ]
        return WrongError("\n  ".join([what, *self._told, "calls:", *calls]))


def _deletable(shape: draws.Shape) -> draws.Shape:
    """Return the shape without deletion policies."""
    return {
        name: dataclasses.replace(each, policy="Delete")
        for name, each in shape.items()
    }
