"""One stack in the world: what is asked of it, and whether all is right."""

import collections.abc
import time

from tests.chaos import records
from tests.scenarios import leavings
from tests.scenarios import model
from tests.scenarios import shapes
from tests.scenarios import sight
from tests.support import rest
from tests.support import waiting
from tests.support import world


class Stage(sight.Sight):
    """A stack, what was asked of it so far, and the world around it.

    :ivar left: things that were left behind, as they had to be
    """

    def __init__(self, system: sight.System, name: str) -> None:
        super().__init__(system, name)
        self.left = leavings.Leavings(system.world, name)
        self._stood: set[str] = set()

    # What is asked of Orch.

    def create(
        self, shape: shapes.Shape, options: rest.Json | None = None
    ) -> None:
        """Ask for the stack."""
        self._set_mark()
        shape = shapes.plain(shape)
        body = {**shapes.document(shape), **(options or {})}
        body["stack_name"] = self.name
        self.stack = None
        self._came_at_rest = False
        self._requested.clear()
        self.left.begin_anew()
        self._insist(
            lambda: self.system.client.ask("POST", "/stacks", body),
            lambda _: shape,
        )

    def update(
        self, shape: shapes.Shape, options: rest.Json | None = None
    ) -> None:
        """Ask that the stack becomes another."""
        shape = shapes.plain(shape)
        body = {**shapes.document(shape), **(options or {})}
        self._insist(lambda: self._ask("PUT", "", body), lambda _: shape)

    def patch(
        self,
        things: shapes.Shape | None,
        labels: shapes.Labels,
        cleared: collections.abc.Collection[str] = (),
        options: rest.Json | None = None,
    ) -> None:
        """Ask for what is different alone (:func:`shapes.patched`)."""
        body: rest.Json = {
            "parameters": {
                shapes.parameter(name): label for name, label in labels.items()
            },
            "clear_parameters": [shapes.parameter(name) for name in cleared],
            **(options or {}),
        }
        if things is not None:
            body |= shapes.document(things)
        self._insist(
            lambda: self._ask("PATCH", "", body),
            lambda now: shapes.patched(now.desired, things, labels, cleared),
        )

    def delete(self, options: rest.Json | None = None) -> None:
        """Ask that the stack goes; a deletion under way is not asked anew."""
        self._insist(lambda: self._ask("DELETE", "", options), lambda _: {})

    def act(self, action: str, options: rest.Json | None = None) -> None:
        """Ask for an action that changes nothing of what is declared."""
        self._insist(
            lambda: self._ask("POST", "/actions", {action: options or None}),
            None,
        )

    def retry(self, options: rest.Json | None = None) -> None:
        """Ask that what failed goes on."""
        asked = options or {}
        orphaned = sight.names_of(asked, "orphan")
        named = {*orphaned, *sight.names_of(asked, "skip")}
        rows = [row for row in self._rows() if row["name"] in named]
        self._tried |= named
        self._stood -= {str(row["id"]) for row in rows}
        self._stood |= {
            each.token
            for each in self.world.physical_resources(self.name)
            if each.name in named
        }
        self.left.skip(str(row["id"]) for row in rows)
        self._ask("POST", "/actions", {"retry": asked})
        wanted = {
            str(row["id"])
            for row in rows
            if row["name"] in orphaned and row["status"] != "COMPLETE"
        }
        self._wrong("not recorded as orphans", wanted - self._orphaned())

    def cancel(self, *, with_rollback: bool) -> None:
        """Ask that what is under way ends."""
        verb = "cancel_update" if with_rollback else "cancel_without_rollback"
        self._ask("POST", "/actions", {verb: None})

    def roll_back(self) -> None:
        """Ask that the last change is undone, by a plan of that."""
        answer = self._ask("POST", "/plans", {"action": "rollback"})
        assert isinstance(answer, dict)
        self._ask("POST", f"/plans/{answer['plan']['id']}/apply")

    def snapshot(self) -> None:
        """Ask for a snapshot."""
        self._insist(
            lambda: self._ask("POST", "/snapshots", {"name": "s"}), None
        )

    def leave(self, options: rest.Json | None = None) -> None:
        """Abandon the stack, and adopt it from the document of that.

        What it was asked for last is what the adopted one declares.
        """
        now = self.expected_state()
        wanted, self._came_at_rest = now.desired, now.rests
        assert self.stack is not None
        document = self._ask("DELETE", "/abandon")
        pace = waiting.Pace()
        while self.status() != "DELETE_COMPLETE":
            if pace.waited_s() > sight.PATIENCE_S:
                raise sight.WrongError("the abandonment does not end")
            pace.pause()
        body: rest.Json = {
            "stack_name": self.name,
            "adopt_stack_data": document,
            **(options or {}),
        }
        self.stack = None
        self._requested.clear()
        self.left.begin_anew()
        self._insist(
            lambda: self.system.client.ask("POST", "/stacks", body),
            lambda _: wanted,
        )

    def restore(self, snapshot_id: str) -> None:
        """Ask that the stack becomes what it was at a snapshot."""
        kept = self.world.stored_resources(snapshot_id)
        self._insist(
            lambda: self._ask("POST", f"/snapshots/{snapshot_id}/restore"),
            lambda now: shapes.restored(now.snapshots[snapshot_id], kept),
        )

    def delete_snapshot(self, snapshot_id: str) -> None:
        """Ask that a snapshot goes."""
        self._again(
            lambda: self._ask("DELETE", f"/snapshots/{snapshot_id}"),
            lambda: snapshot_id not in self.snapshots(),
        )

    def take_away(self, name: str) -> None:
        """Let somebody else take a thing out of the world.

        Nothing can be said of it until something else is wanted.
        """
        self._taken[name] = len(self.expected_state().targets)
        self.world.remove(self.name, name)

    def clear(self, name: str, breakpoint_: str) -> None:
        """Let what waits at a breakpoint go on, once it does."""
        self.await_hold(name, breakpoint_)
        body: rest.Json = {"unset_hook": breakpoint_}
        self._again(
            lambda: self._ask("POST", f"/resources/{name}/signal", body),
            lambda: False,
        )

    def mark_unhealthy(self, name: str) -> None:
        """Say that a resource is not well."""
        body: rest.Json = {"mark_unhealthy": True}
        self._ask("PATCH", f"/resources/{name}", body)

    # Whether it is right.

    def check(self) -> None:
        """Check everything that holds whenever nothing is under way.

        :raises WrongError: what does not
        """
        things = self.world.physical_resources(self.name)
        rows = [row for row in self._rows() if not is_gone(row)]
        owned = self._owned(rows, things)
        ours = [each for each in things if each.token in owned]
        now = self.expected_state()
        self.left.expect(now.targets)
        surely = self._orphaned("COMPLETE") & self._stood
        self.left.orphan(self._orphaned(), surely)
        self._wrong("left or removed", self.left.check(things, owned))
        self.check_history()
        self._check_snapshots()
        if now.shape is not None:
            self._check_world(now, ours, things)
            self._check_rows(now, ours, rows)
            self._check_rest(now, ours)
            if not now.skipped:
                self.left.begin(now.targets, owned)

    def _owned(
        self,
        rows: collections.abc.Iterable[records.Row],
        things: collections.abc.Iterable[world.PhysicalResource],
    ) -> set[str]:
        """Return the tokens of what rows know; adopted rows know the id."""
        known = {str(row["id"]) for row in rows}
        ids = {str(row["physical_id"]) for row in rows}
        return known | {each.token for each in things if each.id in ids}

    def check_history(self) -> None:
        """Check what may never have happened.

        :raises WrongError: what did
        """
        told = self.world.calls(self.name)
        made = [each.token for each in told if each.act == "made"]
        self._wrong("made twice", {x for x in made if made.count(x) > 1})
        self._wrong(
            "torn or dangling",
            [
                (each.name, each.act)
                for each in told
                if each.act == "dangling"
                or (
                    each.act.startswith("torn-")
                    and not self.left.may_be_torn(each.act)
                )
            ],
        )

    def finish(self) -> None:
        """Delete the stack, and check that nothing is left of it.

        :raises WrongError: something is
        """
        self.world.forgive(self.name)
        self.settle()
        self.delete()
        if self.settle() != "DELETE_COMPLETE":
            self.retry()
            self.settle()
        self._same("status", "DELETE_COMPLETE", self.status())
        self.check()
        self._same("rows", [], self._rows())
        self._check_snapshots()

    def _check_snapshots(self) -> None:
        """Check that nothing is kept that no snapshot knows of."""
        kept = set(self.world.snapshots(self.name))
        known = self.left.may_be_stored | set(self.snapshots())
        self._wrong("nobody's snapshots", kept - known)

    def _check_world(
        self,
        now: model.ExpectedState,
        ours: collections.abc.Sequence[world.PhysicalResource],
        things: collections.abc.Sequence[world.PhysicalResource],
    ) -> None:
        assert now.shape is not None
        left = [each for each in things if each.name in now.skipped]
        self._same(
            "world",
            shapes.expected(now.shape, now.skipped),
            shapes.observed_look([*left, *ours], now.skipped),
        )

    def _check_rows(
        self,
        now: model.ExpectedState,
        things: collections.abc.Sequence[world.PhysicalResource],
        rows: collections.abc.Sequence[records.Row],
    ) -> None:
        assert now.shape is not None
        ids = {each.name: each.id for each in things}
        self._same(
            "rows",
            [
                (name, True, None, each.policy)
                for name, each in sorted(now.shape.items())
                if name not in now.skipped
            ],
            [
                (
                    row["name"],
                    row["physical_id"] == ids.get(str(row["name"])),
                    row["replaced_by"],
                    row["deletion_policy"],
                )
                for row in rows
                if row["name"] not in now.skipped
            ],
        )

    def _check_rest(
        self,
        now: model.ExpectedState,
        things: collections.abc.Sequence[world.PhysicalResource],
    ) -> None:
        if now.rests is None:
            return
        unsure = now.unrested | now.skipped
        self._wrong(
            f"to be at rest is {now.rests}, is not so",
            [
                each.name
                for each in things
                if each.rests != now.rests and each.name not in unsure
            ],
        )

    def _ask(
        self, method: str, path: str, body: rest.Json | None = None
    ) -> object:
        assert self.stack is not None
        self._set_mark()
        return self.system.client.ask(method, self.stack.path + path, body)

    def _set_mark(self) -> None:
        calls = self.world.calls(self.name)
        self._mark = calls[-1].number if calls else self._mark

    def _insist(
        self,
        ask: collections.abc.Callable[[], object],
        wish: model.Request,
    ) -> None:
        """Ask until it is accepted, once.

        What is under way already, or done, is not begun anew.
        """
        before = self._count()
        self._again(ask, lambda: self._count() > before)
        self._requested.extend([wish] * (self._count() - before))

    def _again(
        self,
        ask: collections.abc.Callable[[], object],
        is_done: collections.abc.Callable[[], bool],
    ) -> None:
        """Ask again as long as the answer is that nobody answers.

        A worker may have died after it accepted and before it said so.
        """
        limit = time.monotonic() + sight.PATIENCE_S
        while True:
            try:
                ask()
                break
            except rest.RefusedError as refused:
                if refused.status < 500 or time.monotonic() > limit:
                    raise
            if is_done():
                break
        if self.stack is None:
            self.stack = self._find()


def is_gone(row: records.Row) -> bool:
    """Answer whether a row only tells that a resource was removed."""
    return row["action"] == "DELETE" and row["status"] == "COMPLETE"
