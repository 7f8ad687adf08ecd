"""Plug-ins judge requests without an operation, of each stack of a tree."""

import collections.abc
import typing

from tests.functional import doors
from tests.functional import holding
from tests.functional import observing
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]


def _drifted(stack: str) -> collections.abc.Callable[..., None]:
    """Return what lets a resource of one of the stacks drift."""

    def prepare(case: doors.DoorsTestCase, tree: doors.Tree) -> None:
        name = "own" if stack == "root" else "inner"
        case.world.relabel(case.holder(name), name, "drifted")
        waiting.wait_for(
            lambda: observing.drifted(case.client, tree.root) != [], "drift"
        )

    return prepare


def _accepted(stack: str) -> collections.abc.Callable[..., None]:
    """Return what lets drift of one of the stacks be accepted."""

    def prepare(case: doors.DoorsTestCase, tree: doors.Tree) -> None:
        _drifted(stack)(case, tree)
        case.client.ask(
            "POST", f"{tree.root.path}/actions", {"accept_drift": None}
        )

    return prepare


def _at_breakpoint(stack: str) -> collections.abc.Callable[..., None]:
    """Return what lets one of the stacks wait at a breakpoint."""

    def prepare(case: doors.DoorsTestCase, tree: doors.Tree) -> None:
        found = typing.cast(
            Json, case.client.ask("GET", f"{tree[stack].path}/template")
        )
        found["resources"]["extra"] = {"type": "Test::World::Thing"}
        case.client.ask(
            "PATCH",
            tree[stack].path,
            {
                "template": found,
                "environment": holding.hooks(extra="pre-create"),
            },
        )
        case.wait_until_held(tree[stack])

    return prepare


REQUESTS: typing.Final[Json] = {
    f"{name} of the {stack}": (
        name.split()[-1],
        prepare,
        doors.new_request(*request),
    )
    for stack in ("root", "child")
    for name, prepare, request in (
        (
            "mark_unhealthy",
            doors.prepare_nothing,
            (
                "PATCH",
                f"{{{stack}}}/resources/handle",
                {"mark_unhealthy": True},
            ),
        ),
        (
            "signal",
            doors.prepare_nothing,
            ("POST", f"{{{stack}}}/resources/handle/signal", {"id": "1"}),
        ),
        (
            "accept_drift",
            _drifted(stack),
            ("POST", f"{{{stack}}}/actions", {"accept_drift": {}}),
        ),
        (
            "undo accept_drift",
            _accepted(stack),
            ("POST", f"{{{stack}}}/actions", {"undo_accept_drift": {}}),
        ),
        (
            "clear_breakpoint",
            _at_breakpoint(stack),
            (
                "POST",
                f"{{{stack}}}/resources/extra/signal",
                {"unset_hook": "pre-create"},
            ),
        ),
        (
            "revoke_addresses",
            doors.prepare_nothing,
            ("DELETE", f"{{{stack}}}/resources/handle/signal"),
        ),
    )
} | {
    "snapshot of the child": (
        "delete_snapshot",
        doors.save_snapshot,
        doors.new_request("DELETE", "{at}/snapshots/{snapshot}"),
    ),
    "drift policy": (
        "drift_policy",
        doors.prepare_nothing,
        doors.new_request(
            "PUT", "{root}/drift/policy", {"policy": {"stack": "repair"}}
        ),
    ),
}
"""Requests that have no operation: verb, what each needs, the request."""


class RequestTests(doors.DoorsTestCase):
    """Requests without an operation are judged while they are accepted."""

    def refused_at(
        self, ask: collections.abc.Callable[..., None], tree: doors.Tree
    ) -> rest.RefusedError:
        before = self.shown(tree)
        events = [len(self.client.events(tree[x])) for x in ("root", "child")]
        acts = len(self.world.calls())

        error = self.assertRaises(rest.RefusedError, ask, self, tree)

        self.assertEqual([], self.changes_since(acts))
        self.assert_unchanged(before, tree)
        self.assertEqual(
            events,
            [len(self.client.events(tree[x])) for x in ("root", "child")],
        )
        return error

    def test_each_is_denied_with_plug_in_and_text(self) -> None:
        for name, (verb, prepare, ask) in REQUESTS.items():
            with self.subTest(name):
                self.plugins.forgive()
                tree = self.tree()
                prepare(self, tree)
                self.deny()

                error = self.refused_at(ask, tree)

                self.assertEqual(403, error.status)
                self.assertEqual(
                    "Lifecycle plug-in orch-test-1 denied the"
                    f" {verb.replace('_', ' ')}: frozen",
                    error.message,
                )

    def test_each_that_is_to_be_held_is_refused(self) -> None:
        for name, (_, prepare, ask) in REQUESTS.items():
            with self.subTest(name):
                self.plugins.forgive()
                tree = self.tree()
                prepare(self, tree)
                self.plugins.order(1, "pre", "hold", text="ask Ann")

                error = self.refused_at(ask, tree)

                self.assertEqual(409, error.status)
                self.assertIn("ask Ann", error.message)

    def test_each_that_is_allowed_gets_one_post_op(self) -> None:
        for name, (verb, prepare, ask) in REQUESTS.items():
            with self.subTest(name):
                tree = self.tree()
                prepare(self, tree)
                before = len(self.plugins.lines(tree.root))

                ask(self, tree)

                found = [
                    (each["phase"], each.get("outcome"))
                    for each in self.plugins.lines(tree.root)[before:]
                    if each["verb"] == verb
                ]
                self.assertEqual([("pre", None), ("post", "complete")], found)

    def test_what_changes_nothing_calls_no_plug_in(self) -> None:
        tree = self.tree()

        self.mark(tree.root, "own", mark_unhealthy=False)
        for _ in range(2):
            self.client.ask(
                "DELETE", f"{tree.root.path}/resources/handle/signal"
            )

        self.assertEqual(
            ["revoke_addresses"],
            [
                each["verb"]
                for each in self.plugins.lines(tree.root)
                if each["phase"] == "pre"
                and each["verb"] in ("mark_unhealthy", "revoke_addresses")
            ],
        )
