"""Asks for random things of one stack, whatever is under way there."""

import collections
import random
import typing

from tests.scenarios import draws
from tests.scenarios import shapes
from tests.scenarios import stage
from tests.support import rest

_TRIES = 8
"""Retries until a stack is complete: more than failures were ordered."""
_REFUSED = (400, 404, 409)
_ACTS = ("create", "update", "delete")
_OTHER_ACTS = ("suspend", "resume", "check", "snapshot")
_PASSING = ("transient", "busy", "outage", "quota", "slow")
VERBS: typing.Final = (
    *("update", "change", "patch", "delete", "retry", "retry leaving out"),
    *("cancel with rollback", "cancel without rollback", "roll back"),
    *("suspend", "resume", "check", "snapshot", "delete snapshot"),
    *("restore", "mark unhealthy"),
)
"""What may be asked of a stack that is there."""


_WEIGHTS: typing.Final = {
    **dict.fromkeys(VERBS, 1),
    "update": 3,
    "change": 5,
    "patch": 2,
    "delete": 2,
    "retry": 2,
    "snapshot": 3,
    "restore": 2,
}
_CANCELS = ("cancel with rollback", "cancel without rollback")
_FITTING: typing.Final = {
    "IN_PROGRESS": _CANCELS,
    "FAILED": ("retry", "retry leaving out", "retry leaving out", "roll back"),
    "COMPLETE": (
        *("change", "change", "update", "suspend", "check"),
        *("snapshot", "restore", "delete snapshot"),
    ),
}


class Actor:
    """Asks for things of one stack; what does not fit its state is refused.

    :ivar accepted: how often each verb was accepted
    :ivar healed: how often a last update was needed to say what stands
    """

    def __init__(
        self, on: stage.Stage, chance: random.Random, slow: float = 0.0
    ) -> None:
        self.on = on
        self.chance = chance
        self.accepted: collections.Counter[str] = collections.Counter()
        self.healed = 0
        self.is_alive = False
        self._slow = slow

    def create(self, shape: shapes.Shape | None = None) -> None:
        """Ask for the stack, once what was there before is gone."""
        self.see_through()
        self.on.create(shape or self._draw(), self._options())
        self.is_alive = True

    def draw(self) -> str:
        """Return a verb, every other time one that fits the state."""
        if self.chance.random() < 0.5:
            return self.draw_fitting()
        (verb,) = self.chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))
        return verb

    def draw_fitting(self) -> str:
        """Return a verb that fits the state."""
        return self.chance.choice(self._fitting())

    def ask(self, verb: str) -> bool:
        """Ask for one of :data:`VERBS`; answer whether it was accepted."""
        try:
            self._ask(verb)
        except rest.RefusedError as refused:
            if refused.status not in _REFUSED and refused.status < 500:
                raise
            return False
        self.accepted[verb] += 1
        return True

    def order(self, act: str, name: str, how: str, moment: str) -> None:
        """Let a call go wrong, in a way that tells no lie.

        An answer that got lost is an error which says that it may pass; one
        that says more tells a lie if the thing stands.
        """
        if how in ("busy", "quota") and moment == "after":
            moment = "before"
        is_made = act in ("create", "snapshot") and moment == "after"
        if how == "permanent" and is_made:
            how = "transient"
        self.on.world.order(
            self.on.name, act, name, how=how, moment=moment, times=1
        )

    def hinder(self) -> None:
        """Let a random call go wrong."""
        acts = _ACTS if self.chance.random() < 0.7 else _OTHER_ACTS
        how = "permanent"
        if self.chance.random() < 0.5:
            how = self.chance.choice(_PASSING)
        names = draws.NAMES
        if self.on.stack is not None and self.chance.random() < 0.7:
            names = "".join(self.on.expected_state().desired) or names
        self.order(
            self.chance.choice(acts),
            self.chance.choice(names),
            how,
            self.chance.choice(("before", "after", "watch")),
        )

    def see_through(self) -> None:
        """Retry what fails until all of it is complete, and check.

        Where what came last wanted nothing, while something before it had
        failed, that is asked for once more.
        """
        if self.on.stack is None:
            return
        self._retry_all()
        if self.is_alive and self.on.desired_shape() is None:
            self.healed += 1
            self._heal()
        self.on.check()

    def _retry_all(self) -> str:
        for _ in range(_TRIES):
            status = self.on.settle()
            if not status.endswith("FAILED"):
                return status
            self.on.check()
            self.on.world.forgive(self.on.name)
            self.ask("retry")
        return self.on.settle()

    def _heal(self) -> None:
        self.on.world.forgive(self.on.name)
        wanted = self.on.expected_state().desired
        if self.on.settle().startswith(("SUSPEND", "RESUME")):
            self.on.act("resume")
            status = self._retry_all()
            assert status == "RESUME_COMPLETE", self.on.reason()
        self.on.update(wanted, {"disable_rollback": True})
        status = self._retry_all()
        assert status == "UPDATE_COMPLETE", f"{status}: {self.on.reason()}"

    def _ask(self, verb: str) -> None:
        on, chance = self.on, self.chance
        match verb:
            case "update":
                on.update(self._draw(), self._options())
            case "change":
                on.update(self._change(), self._options())
            case "patch":
                self._patch()
            case "delete":
                on.delete()
                self.is_alive = False
            case "retry":
                on.retry({"keep_going": chance.random() < 0.3})
            case "retry leaving out":
                self._leave_out()
            case "cancel with rollback" | "cancel without rollback":
                on.cancel(with_rollback="without" not in verb)
            case "roll back":
                on.roll_back()
            case "snapshot":
                on.snapshot()
            case "delete snapshot":
                on.delete_snapshot(self._some_snapshot())
            case "restore":
                on.restore(self._some_snapshot("COMPLETE"))
            case "mark unhealthy":
                names = "".join(on.expected_state().desired) or draws.NAMES
                on.mark_unhealthy(chance.choice(names))
            case _:
                on.act(verb)

    def _fitting(self) -> tuple[str, ...]:
        """Return verbs that are not refused in the stack's state."""
        action, status = self.on.stored_status()
        if action == "SUSPEND" and status != "IN_PROGRESS":
            return ("resume",)
        if action == "UPDATE" and status == "FAILED":
            return ("roll back", "retry", "retry leaving out")
        if action != "UPDATE" and status == "IN_PROGRESS":
            return ("cancel without rollback", "change")
        return _FITTING[status]

    def _patch(self) -> None:
        names = self.chance.sample(draws.NAMES, 2)
        wanted = self.on.expected_state().desired
        things = self._change() if self.chance.random() < 0.3 else None
        known = [name for name in names if name in (things or wanted)]
        labels = {name: self.chance.choice(draws.LABELS) for name in known[:1]}
        self.on.patch(things, labels, known[1:], self._options())

    def _leave_out(self) -> None:
        unfinished = self.on.unfinished()
        if not unfinished:
            raise rest.RefusedError(409, "everything is complete")
        how = self.chance.choice(("skip", "orphan"))
        self.on.retry({how: [self.chance.choice(unfinished)]})

    def _some_snapshot(self, status: str = "") -> str:
        found = self.on.snapshots(status)
        if not found:
            raise rest.RefusedError(404, "there is no snapshot")
        return self.chance.choice(found)

    def _draw(self) -> shapes.Shape:
        return draws.shape(self.chance, self._slow)

    def _change(self) -> shapes.Shape:
        """Return what is wanted, changed, or what was wanted once."""
        now = self.on.expected_state()
        earlier = [each for each in now.targets if each]
        if earlier and self.chance.random() < 0.2:
            return shapes.plain(self.chance.choice(earlier))
        return draws.changed(self.chance, now.desired)

    def _options(self) -> rest.Json:
        return {
            "disable_rollback": self.chance.random() < 0.6,
            "keep_going": self.chance.random() < 0.3,
        }
