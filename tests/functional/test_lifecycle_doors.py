"""Plug-ins of the default scope judge each verb, at each address of it."""

import collections.abc
import importlib
import inspect
import typing

from orch.plugin import lifecycle_operation
from tests.functional import doors
from tests.functional import observing
from tests.functional import test_lifecycle_requests
from tests.support import waiting

Json = dict[str, typing.Any]


def _suspended(case: doors.DoorsTestCase, tree: doors.Tree) -> None:
    case.act(tree.at, "suspend")
    case.client.wait(tree.at, "SUSPEND_COMPLETE")


def _planned(case: doors.DoorsTestCase, tree: doors.Tree) -> None:
    case.client.post(
        f"{tree.at.path}/plans",
        "plan",
        action="update",
        template=doors.CHANGED,
    )


def _failed(case: doors.DoorsTestCase, tree: doors.Tree) -> None:
    case.world.order(
        tree.at.name, "create", "extra", how="permanent", moment="before"
    )
    case.client.ask("PUT", tree.at.path, {"template": doors.CHANGED})
    case.client.wait(tree.at, "UPDATE_FAILED")
    case.world.forgive(tree.at.name)


def _action(
    name: str,
) -> collections.abc.Callable[[doors.DoorsTestCase, doors.Tree], None]:
    return doors.new_request("POST", "{at}/actions", {name: {}})


OPERATIONS: typing.Final[Json] = {
    "update": (
        doors.prepare_nothing,
        doors.new_request(
            "PUT", "{at}", {"template": doors.CHANGED, "tags": "three"}
        ),
    ),
    "partial update": (
        doors.prepare_nothing,
        doors.new_request("PATCH", "{at}", {"tags": "three"}),
    ),
    "update of a plan": (
        _planned,
        doors.new_request("POST", "{at}/plans/{plan}/apply"),
    ),
    "delete": (doors.prepare_nothing, doors.new_request("DELETE", "{at}")),
    "suspend": (doors.prepare_nothing, _action("suspend")),
    "resume": (_suspended, _action("resume")),
    "check": (doors.prepare_nothing, _action("check")),
    "snapshot": (
        doors.prepare_nothing,
        doors.new_request("POST", "{at}/snapshots", {"name": "other"}),
    ),
    "restore": (
        doors.save_snapshot,
        doors.new_request("POST", "{at}/snapshots/{snapshot}/restore"),
    ),
    "retry": (_failed, _action("retry")),
}
"""Requests at the address of a stack, and what each needs before."""

ELSEWHERE: typing.Final = {
    "create": "test_lifecycle.TestLifecycle",
    "adopt": "test_lifecycle_adoption.TestAdoption",
    # A child stack cannot be abandoned.
    "abandon": "test_lifecycle_adoption.TestAdoption",
    "move": "test_lifecycle_moves.TestMoves",
    "answer_outcome": "test_lifecycle_other_doors.OutcomeTests",
    "update_deployment": "test_lifecycle_other_doors.DeploymentTests",
    "delete_deployment": "test_lifecycle_other_doors.DeploymentTests",
    "release": "test_adopt_released.ReleaseTests",
    "rollback": "test_lifecycle_doors.StopTests",
    "cancel": "test_lifecycle_doors.StopTests",
}
"""Verbs that are in neither table, and the tests of their doors."""


class OperationTests(doors.DoorsTestCase):
    """Operations that begin at a child stack belong to its root."""

    def test_each_verb_at_the_address_of_a_child_is_denied(self) -> None:
        self.check_each_is_denied("child")

    def test_each_verb_at_the_address_of_a_root_is_denied(self) -> None:
        self.check_each_is_denied("root")

    def check_each_is_denied(self, door: str) -> None:
        """Check that each request is denied, and so is its retry."""
        for verb, (prepare, ask) in OPERATIONS.items():
            with self.subTest(verb=verb):
                self.plugins.forgive()
                tree = self.tree(door)
                prepare(self, tree)
                before = self.shown(tree)
                acts = len(self.world.calls())
                count = len(self.operations(tree.at)) - (verb == "retry")
                self.deny()

                ask(self, tree)
                found = [self.ended(tree.at, count)]
                self.act(tree.at, "retry", {})
                found.append(self.ended(tree.at, count, found[0]["attempt"]))

                for each in found:
                    self.assertEqual("FAILED", each["state"])
                    self.assertIn("denied the", str(each["reason"]))
                    self.assertIn("frozen", str(each["reason"]))
                self.assertEqual([], self.changes_since(acts))
                # A snapshot that failed stays in the list.
                but = f"/{door}/snapshots" if verb == "snapshot" else ""
                self.assert_unchanged(before, tree, but)

    def test_each_verb_is_in_a_table(self) -> None:
        tables = {name.partition(" ")[0] for name in OPERATIONS}
        tables |= {
            verb for verb, _, _ in test_lifecycle_requests.REQUESTS.values()
        }
        tables -= {"partial", "retry"}

        self.assertEqual(lifecycle_operation.VERBS, tables | ELSEWHERE.keys())
        for verb, place in ELSEWHERE.items():
            module, _, name = place.partition(".")
            found = importlib.import_module(f"tests.functional.{module}")
            tests = inspect.getsource(getattr(found, name))
            self.assertIn(f'"{verb}"', tests, place)

    def test_plug_ins_see_the_root_and_the_path_of_what_changes(self) -> None:
        tree = self.tree()
        self.plugins.order(1, "pre", "allow", verb="update", looks=True)
        self.plugins.order(1, "post", "", verb="update", looks=True)

        self.client.ask("PUT", tree.child.path, {"template": doors.CHANGED})
        self.client.wait(tree.child, "UPDATE_COMPLETE")

        found = [
            (
                each["phase"],
                each["paths"],
                "kid/extra" in each["after"]["resources"],
            )
            for each in self.plugins.lines(tree.root)
            if each["verb"] == "update"
        ]
        self.assertEqual(
            [("pre", ["kid"], True), ("post", ["kid"], True)], found
        )

    def test_scaling_by_a_signal_is_denied(self) -> None:
        tree = self.tree()
        group = self.child_of(tree.root, "g")
        before = self.shown(tree)
        self.deny()

        self.client.ask("POST", f"{tree.root.path}/resources/up/signal", {})
        found = self.ended(group, 1)

        self.assertIn("frozen", str(found["reason"]))
        self.assert_unchanged(before, tree)

    def test_the_observer_s_repair_of_a_child_is_denied(self) -> None:
        tree = self.tree()
        observing.set_policy(self.client, tree.root, {"stack": "repair"})
        inner = self.holder("inner")
        count = len(self.operations(tree.root))
        self.deny()

        self.world.relabel(inner, "inner", "drifted")
        found = self.ended(tree.root, count)

        self.assertIn("frozen", str(found["reason"]))
        self.assertEqual("drifted", self.labels()["inner"])

    def test_an_operation_of_the_root_asks_them_once(self) -> None:
        tree = self.tree()

        self.change(
            tree.root,
            {"kid": {"type": "inner.yaml"}},
            files={"inner.yaml": doors.CHANGED},
        )

        found = [
            (each["phase"], each["paths"])
            for each in self.plugins.lines()
            if each["verb"] == "update"
            and str(each["stack"]).startswith(self.name)
        ]
        self.assertEqual([("pre", []), ("post", [])], found)

    def test_a_preview_at_the_address_of_a_child_shows_the_denial(
        self,
    ) -> None:
        tree = self.tree()
        self.deny()

        found = typing.cast(
            Json,
            self.client.ask(
                "PUT",
                f"{tree.child.path}/preview",
                {"template": doors.CHANGED},
            ),
        )

        (verdict,) = found["plan"]["verdicts"]
        self.assertEqual(
            ("deny", "frozen"), (verdict["ruling"], verdict["text"])
        )


class StopTests(doors.DoorsTestCase):
    """An update of a child stack is cancelled at its own address."""

    def in_progress(self) -> doors.Tree:
        """Return a tree whose child stack creates a resource."""
        tree = self.tree()
        self.world.order(tree.child.name, "create", "extra")
        self.client.ask("PUT", tree.child.path, {"template": doors.CHANGED})
        waiting.wait_for(
            lambda: any(
                each.act == "create" and each.name == "extra"
                for each in self.world.calls()
            ),
            "the creation has begun",
        )
        return tree

    def calls(
        self, tree: doors.Tree, verb: str
    ) -> list[tuple[object, object]]:
        return [
            (each["phase"], each["paths"])
            for each in self.plugins.lines(tree.root)
            if each["verb"] == verb
        ]

    def test_a_rollback_is_judged_for_the_root(self) -> None:
        tree = self.in_progress()

        self.act(tree.child, "cancel_update")
        self.world.forgive(tree.child.name)
        self.client.wait(tree.child, "ROLLBACK_COMPLETE")

        self.assertEqual(
            [("pre", ["kid"]), ("post", ["kid"])],
            self.calls(tree, "rollback"),
        )

    def test_a_denied_rollback_lets_the_update_continue(self) -> None:
        tree = self.in_progress()
        self.plugins.order(1, "pre", "deny", verb="rollback", text="frozen")

        self.act(tree.child, "cancel_update")
        self.world.forgive(tree.child.name)
        self.client.wait(tree.child, "UPDATE_COMPLETE")

        self.assertEqual([("pre", ["kid"])], self.calls(tree, "rollback"))
        self.assertIn("extra", self.client.resources(tree.child))

    def test_a_cancellation_is_reported_for_the_root(self) -> None:
        tree = self.in_progress()

        self.act(tree.child, "cancel_without_rollback")
        self.client.wait(tree.child, "UPDATE_FAILED")

        self.assertEqual(
            [("pre", ["kid"]), ("post", ["kid"])], self.calls(tree, "cancel")
        )
