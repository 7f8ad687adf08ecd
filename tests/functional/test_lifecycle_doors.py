"""Plug-ins of the default scope are asked at every door, for every verb."""

import collections.abc
import dataclasses
import typing

from tests.functional import lifecycle
from tests.functional import observing
from tests.functional import test_groups
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]

CHILD: typing.Final = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string, default: l}
resources:
  inner:
    type: Test::World::Listed
    properties: {value: v, label: {get_param: label}}
  handle:
    type: OS::Heat::WaitConditionHandle
"""
CHANGED: typing.Final = f"""{CHILD}
  extra:
    type: Test::World::Thing
"""
_MOVING: typing.Final = frozenset(
    {
        "stack_status",
        "stack_status_reason",
        "updated_time",
        "operation",
        "operation_id",
        "verdicts",
        "lifecycle",
        "revision",
        "stack_action",
        "drift",
        "failed_resources",
    }
)
"""What a denial may change of a stack: the state of its last operation."""


@dataclasses.dataclass(frozen=True)
class Tree:
    """A root stack and its child stack."""

    root: rest.Stack
    child: rest.Stack

    def __getitem__(self, name: str) -> rest.Stack:
        return typing.cast(rest.Stack, getattr(self, name))


Prepare = collections.abc.Callable[[Tree], str]


class DoorsTestCase(lifecycle.LifecycleTestCase, test_groups.GroupsTestCase):
    """One plug-in of the default scope, which denies all when told to."""

    count = 1
    options: typing.ClassVar[Json] = {
        "DEFAULT": {
            "enable_stack_adopt": True,
            "enable_stack_abandon": True,
        },
        "observer": observing.OPTIONS,
    }

    def tree(self) -> Tree:
        """Return a complete tree: a child stack, a group and its policy."""
        self.take_name()
        scaling = test_groups.ScalingTests.resources(
            typing.cast(typing.Any, self)
        )
        root = self.make(
            {
                "kid": {"type": "inner.yaml"},
                "own": observing.listed(),
                "handle": {"type": "OS::Heat::WaitConditionHandle"},
                **scaling,
            },
            files={"inner.yaml": CHILD},
            tags="one,two",
        )
        return Tree(root, self.child_of(root, "kid"))

    def assert_unchanged(
        self, before: Json, tree: Tree, but: str = ""
    ) -> None:
        """Fail if anything is shown that was not, or otherwise.

        A group whose size was restored was updated.

        :param but: what a place that does not matter starts with
        """
        after = self.shown(tree)
        changed = {
            place: (before.get(place), after.get(place))
            for place in sorted(before.keys() | after.keys())
            if before.get(place) != after.get(place)
            and not (but and place.startswith(but))
            and not place.endswith("/updated_time")
        }
        self.assertEqual({}, changed)

    def changes_since(self, count: int) -> list[str]:
        """Return what was called for behind so many calls, but no looks."""
        return [
            each.act
            for each in self.world.calls()[count:]
            if each.act not in ("list", "read", "show")
        ]

    def deny(self) -> None:
        self.plugins.order(1, "pre", "deny", text="frozen")

    def shown(self, tree: Tree) -> Json:
        """Return all that exists, but not the states of operations.

        :returns: values by where they are shown
        """
        found: Json = {
            "world": [
                dataclasses.astuple(each) for each in self.physical_resources()
            ]
        }
        for name in ("root", "child"):
            stack = tree[name]
            shown = typing.cast(Json, self.client.get(stack.path, "stack"))
            found[name] = {
                "stack": {
                    key: value
                    for key, value in shown.items()
                    if key not in _MOVING
                },
                **{
                    each: self.client.ask("GET", f"{stack.path}/{each}")
                    for each in (
                        "template",
                        "environment",
                        "files",
                        "snapshots",
                        "drift/policy",
                        "resources?nested_depth=5",
                    )
                },
            }
        return dict(_flat("", found))

    def holder(self, name: str) -> str:
        """Return the name of the stack that made a physical resource."""
        (found,) = {
            each.stack
            for each in self.world.calls()
            if each.act == "made"
            and each.name == name
            and each.stack.startswith(self.name)
        }
        return found

    def ended(self, stack: rest.Stack, count: int) -> Json:
        """Return the operation of a stack behind so many others."""

        def newest() -> Json | None:
            found = self.operations(stack)
            is_over = len(found) > count and found[0]["state"] in (
                "FAILED",
                "COMPLETE",
            )
            return found[0] if is_over else None

        waiting.wait_for(lambda: newest() is not None, "an operation")
        found = newest()
        assert found is not None
        return found


def _flat(
    place: str, value: object
) -> collections.abc.Iterator[tuple[str, object]]:
    """Yield the values in a JSON value, with their places."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(f"{place}/{key}", each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _flat(f"{place}/{index}", each)
    else:
        yield place, value


def _nothing(case: "OperationTests", tree: Tree) -> None:
    """Prepare nothing."""


def _suspended(case: "OperationTests", tree: Tree) -> None:
    case.act(tree.child, "suspend")
    case.client.wait(tree.child, "SUSPEND_COMPLETE")


def _snapshot(case: "OperationTests", tree: Tree) -> None:
    case.client.ask("POST", f"{tree.child.path}/snapshots", {"name": "s"})
    case.client.wait(tree.child, "SNAPSHOT_COMPLETE")


def _failed(case: "OperationTests", tree: Tree) -> None:
    case.world.order(
        tree.child.name, "create", "extra", how="permanent", moment="before"
    )
    case.client.ask("PUT", tree.child.path, {"template": CHANGED})
    case.client.wait(tree.child, "UPDATE_FAILED")
    case.world.forgive(tree.child.name)


def _ask(
    method: str, path: str, body: Json | None = None
) -> collections.abc.Callable[["DoorsTestCase", Tree], None]:
    """Return a request; ``{root}`` and ``{child}`` are the stacks' paths."""

    def ask(case: "DoorsTestCase", tree: Tree) -> None:
        filled = path.format(
            root=tree.root.path,
            child=tree.child.path,
            snapshot=_snapshot_id(case, tree) if "{snapshot}" in path else "",
        )
        case.client.ask(method, filled, body)

    return ask


def _snapshot_id(case: "DoorsTestCase", tree: Tree) -> str:
    found = case.client.get(f"{tree.child.path}/snapshots", "snapshots")
    return str(typing.cast(list[Json], found)[0]["id"])


def _action(
    name: str,
) -> collections.abc.Callable[["DoorsTestCase", Tree], None]:
    return _ask("POST", "{child}/actions", {name: {}})


OPERATIONS: typing.Final[Json] = {
    "update": (
        _nothing,
        _ask("PUT", "{child}", {"template": CHANGED, "tags": "three"}),
    ),
    "partial update": (
        _nothing,
        _ask("PATCH", "{child}", {"parameters": {"label": "other"}}),
    ),
    "delete": (_nothing, _ask("DELETE", "{child}")),
    "suspend": (_nothing, _action("suspend")),
    "resume": (_suspended, _action("resume")),
    "check": (_nothing, _action("check")),
    "snapshot": (
        _nothing,
        _ask("POST", "{child}/snapshots", {"name": "other"}),
    ),
    "restore": (
        _snapshot,
        _ask("POST", "{child}/snapshots/{snapshot}/restore"),
    ),
    "retry": (_failed, _action("retry")),
}
"""Requests at the child's own address, and what each needs before."""


class OperationTests(DoorsTestCase):
    """Operations that begin at a child stack belong to its root."""

    def test_each_verb_at_the_address_of_a_child_is_denied(self) -> None:
        for verb, (prepare, ask) in OPERATIONS.items():
            with self.subTest(verb=verb):
                self.plugins.forgive()
                tree = self.tree()
                prepare(self, tree)
                before = self.shown(tree)
                acts = len(self.world.calls())
                count = len(self.operations(tree.child)) - (verb == "retry")
                self.deny()

                ask(self, tree)
                found = self.ended(tree.child, count)

                self.assertEqual("FAILED", found["state"])
                self.assertIn("denied the", str(found["reason"]))
                self.assertIn("frozen", str(found["reason"]))
                self.assertEqual([], self.changes_since(acts))
                # A snapshot that failed stays in the list.
                but = "/child/snapshots" if verb == "snapshot" else ""
                self.assert_unchanged(before, tree, but)

    def test_plug_ins_see_the_root_and_the_path_of_what_changes(self) -> None:
        tree = self.tree()
        self.plugins.order(1, "pre", "allow", verb="update", looks=True)
        self.plugins.order(1, "post", "", verb="update", looks=True)

        self.client.ask("PUT", tree.child.path, {"template": CHANGED})
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
            files={"inner.yaml": CHANGED},
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
                "PUT", f"{tree.child.path}/preview", {"template": CHANGED}
            ),
        )

        (verdict,) = found["plan"]["verdicts"]
        self.assertEqual(
            ("deny", "frozen"), (verdict["ruling"], verdict["text"])
        )


def _drifted(stack: str) -> collections.abc.Callable[..., None]:
    """Return what lets a resource of one of the stacks drift."""

    def prepare(case: "RequestTests", tree: Tree) -> None:
        name = "own" if stack == "root" else "inner"
        case.world.relabel(case.holder(name), name, "drifted")
        waiting.wait_for(
            lambda: observing.drifted(case.client, tree.root) != [], "drift"
        )

    return prepare


def _accepted(stack: str) -> collections.abc.Callable[..., None]:
    """Return what lets drift of one of the stacks be accepted."""

    def prepare(case: "RequestTests", tree: Tree) -> None:
        _drifted(stack)(case, tree)
        case.client.ask(
            "POST", f"{tree.root.path}/actions", {"accept_drift": None}
        )

    return prepare


REQUESTS: typing.Final[Json] = {
    f"{name} of the {stack}": (name.split()[-1], prepare, _ask(*request))
    for stack in ("root", "child")
    for name, prepare, request in (
        (
            "mark_unhealthy",
            _nothing,
            (
                "PATCH",
                f"{{{stack}}}/resources/handle",
                {"mark_unhealthy": True},
            ),
        ),
        (
            "signal",
            _nothing,
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
    )
} | {
    "snapshot of the child": (
        "delete_snapshot",
        _snapshot,
        _ask("DELETE", "{child}/snapshots/{snapshot}"),
    ),
    "drift policy": (
        "drift_policy",
        _nothing,
        _ask("PUT", "{root}/drift/policy", {"policy": {"stack": "repair"}}),
    ),
}
"""Requests that have no operation: verb, what each needs, the request."""


class RequestTests(DoorsTestCase):
    """Requests without an operation are judged while they are accepted."""

    def refused_at(
        self, ask: collections.abc.Callable[..., None], tree: Tree
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

    def test_each_that_is_allowed_is_told_of_once(self) -> None:
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

    def test_what_changes_nothing_asks_nobody(self) -> None:
        tree = self.tree()

        self.mark(tree.root, "own", mark_unhealthy=False)

        self.assertEqual(
            [],
            [
                each
                for each in self.plugins.lines(tree.root)
                if each["verb"] == "mark_unhealthy"
            ],
        )
