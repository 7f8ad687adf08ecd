"""What was before an operation, as its post-ops see it after a worker died."""

import json
import typing

from orch.engine import credentials
from tests.functional import lifecycle
from tests.functional import test_lifecycle_restarts as restarts
from tests.support import lifecycle as plugins
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

Json = dict[str, typing.Any]


def _labelled(outputs: Json, **resources: Json) -> Json:
    return {
        **world_templates.template(**resources),
        "parameters": {"label": {"type": "string"}},
        "outputs": {name: {"value": value} for name, value in outputs.items()},
    }


_LABEL: typing.Final = {"get_param": "label"}
_FILES: typing.Final = {
    "kid.yaml": json.dumps(
        _labelled(
            {"label": {"get_attr": ["deep", "label"]}},
            deep={"type": "deep.yaml", "properties": {"label": _LABEL}},
        )
    ),
    "deep.yaml": json.dumps(
        _labelled(
            {"label": {"get_attr": ["d", "label"]}},
            d=world_templates.declare_resource(label=_LABEL),
            e=world_templates.declare_resource("d", label=_LABEL),
        )
    ),
}
_ROOT: typing.Final = _labelled(
    {
        "own": {"get_attr": ["a", "label"]},
        "below": {"get_attr": ["kid", "label"]},
    },
    a=world_templates.declare_resource(label=_LABEL),
    kid={
        "type": "kid.yaml",
        "depends_on": ["a"],
        "properties": {"label": _LABEL},
    },
)
_PATHS: typing.Final = ["a", "kid/deep/d", "kid/deep/e"]


class BeforeTestCase(restarts.RestartsTestCase):
    """A tree of three stacks, with a resource in the first and the last.

    The second plug-in is called for each stack.
    """

    more: typing.ClassVar[Json] = {}

    def setUp(self) -> None:
        super(restarts.RestartsTestCase, self).setUp()
        self.world = self.useFixture(world.World())
        self.plugins = self.useFixture(
            plugins.Plugins(2, inner=frozenset({2}))
        )
        self.system = self.make(
            {**serving.options(), **self.plugins.options, **self.more},
            {**self.world.environment, **self.plugins.environment},
        )
        self.client = self.system.client

    def make_tree(self) -> rest.Stack:
        """Return a complete tree whose label is old."""
        stack = self.client.create(
            "s", _ROOT, files=_FILES, parameters={"label": "old"}
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        self.deep = next(
            each.stack
            for each in self.world.calls()
            if (each.act, each.name) == ("made", "d")
        )
        return stack

    def change(self, stack: rest.Stack) -> None:
        """Give a stack another label; return while ``e`` is updated.

        By then ``d`` has the new label, and so has ``a`` in an update of the
        root.
        """
        self.world.order(self.deep, "update", "e")
        self.client.ask("PATCH", stack.path, {"parameters": {"label": "new"}})
        waiting.wait_for(
            lambda: any(
                (each.act, each.name) == ("update", "e")
                for each in self.world.calls()
            ),
            "e is updated",
        )

    def finish(self, stack: rest.Stack) -> None:
        self.world.release(self.deep)
        self.client.wait(stack, "UPDATE_COMPLETE", timeout_s=90)

    def lines_of(
        self, number: int, phase: str = "post", verb: str = "update"
    ) -> dict[str, Json]:
        """Return what a plug-in saw of updates, by path of their stack."""
        return {
            each["path"]: each
            for each in self.plugins.lines()
            if each["plugin"] == f"orch-test-{number}"
            and (each["verb"], each["phase"]) == (verb, phase)
        }

    def look(self, number: int, *phases: str) -> None:
        for phase in phases:
            self.plugins.order(number, phase, "", verb="update", looks=True)

    def assert_before(self, line: Json, *below: str) -> None:
        """Fail unless all labels were old before the operation, and are new.

        :param below: the paths of the resources
        """
        shown = {
            side: {
                path: line[side]["resources"][path]["properties"]["label"]
                for path in below
            }
            for side in ("before", "after")
        }
        self.assertEqual(dict.fromkeys(below, "old"), shown["before"])
        self.assertEqual(dict.fromkeys(below, "new"), shown["after"])


class KillTests(BeforeTestCase):
    """Everything is killed amid the changes, and starts again."""

    def test_a_tree_is_shown_as_pre_ops_saw_it(self) -> None:
        stack = self.make_tree()
        self.look(1, "pre", "post")

        self.change(stack)
        self.kill()
        self.finish(stack)

        (pre,) = self.lines_of(1, "pre").values()
        (post,) = self.lines_of(1).values()
        self.assertEqual(pre["before"], post["before"])
        self.assert_before(post, *_PATHS)
        self.assertEqual("old", post["before"]["parameters"]["label"])
        self.assertEqual(
            {"own": "old", "below": "old"}, post["before"]["outputs"]
        )

    def test_each_child_stack_is_shown_as_it_was(self) -> None:
        stack = self.make_tree()
        self.look(2, "post")

        self.change(stack)
        self.kill()
        self.finish(stack)

        found = self.lines_of(2)
        self.assertEqual({"", "kid", "kid/deep"}, set(found))
        self.assert_before(found[""], *_PATHS)
        for path in ("kid", "kid/deep"):
            self.assert_before(found[path], *_PATHS[1:])
            self.assertEqual(
                {"label": "old"}, found[path]["before"]["outputs"]
            )

    def test_the_root_is_shown_for_an_operation_of_a_child(self) -> None:
        self.make_tree()
        ((child_id,),) = lifecycle.rows(
            self.system, "SELECT id FROM stacks WHERE name = ?", self.deep
        )
        child = rest.Stack(self.deep, str(child_id))
        self.look(1, "post")

        self.change(child)
        self.kill()
        self.finish(child)

        (post,) = self.lines_of(1).values()
        self.assert_before(post, *_PATHS[1:])
        self.assertEqual("s", post["before"]["name"])
        self.assertEqual(
            {"own": "old", "below": "old"}, post["before"]["outputs"]
        )

    def test_it_is_stored_until_the_operation_ends(self) -> None:
        stack = self.make_tree()
        self.change(stack)

        during = self.stored()
        self.finish(stack)

        # One for each stack of the tree.
        self.assertEqual(3, len(during))
        self.assertEqual([], self.stored())

    def stored(self) -> list[tuple[object, ...]]:
        return lifecycle.rows(
            self.system,
            "SELECT tree_before FROM lifecycle_runs"
            " WHERE tree_before IS NOT NULL",
        )


class CancelTests(BeforeTestCase):
    """An update is cancelled amid its changes, and no process is killed."""

    def test_post_ops_of_the_cancellation_are_shown_the_same(self) -> None:
        stack = self.make_tree()
        self.plugins.order(1, "post", "", verb="cancel", looks=True)
        # Stored before those of the cancellation.
        for number in (1, 2):
            self.plugins.order(
                number, "post", "", verb="update", looks=True, pauses=True
            )
        self.change(stack)

        self.client.ask(
            "POST", f"{stack.path}/actions", {"cancel_without_rollback": None}
        )
        self.world.release(self.deep)
        self.client.wait(stack, "UPDATE_FAILED", timeout_s=90)

        (post,) = self.lines_of(1).values()
        (cancelling,) = self.lines_of(1, verb="cancel").values()
        self.assertEqual("old", post["before"]["parameters"]["label"])
        self.assertEqual(post["before"], cancelling["before"])
        self.assertEqual(
            [],
            lifecycle.rows(
                self.system,
                "SELECT tree_before FROM lifecycle_runs"
                " WHERE tree_before IS NOT NULL",
            ),
        )


class EncryptedTests(KillTests):
    """It is encrypted, as other columns that may hold a secret."""

    more: typing.ClassVar[Json] = {
        "DEFAULT": {"encrypt_parameters_and_properties": True},
        "credentials": {"encryption_keys": credentials.new_key()},
    }

    def stored(self) -> list[tuple[object, ...]]:
        found = super().stored()
        for (value,) in found:
            self.assertEqual(b"orch1:", bytes(value)[:6])
        return found


class TakeoverTests(BeforeTestCase):
    """Of two workers one dies, and the other takes over."""

    def make(self, options: Json, environment: dict[str, str]) -> object:
        options = {**options, "api": {"rpc_timeout": 5}}
        fixture = running.Distributed(options, environment)
        return self.useFixture(fixture).system

    def test_another_worker_shows_what_was_before(self) -> None:
        stack = self.make_tree()
        self.look(1, "post")

        self.change(stack)
        (dying,) = {
            each["pid"]
            for each in self.plugins.lines(stack)
            if (each["plugin"], each["verb"]) == ("orch-test-1", "update")
        }
        (holder,) = [x for x in self.system.engines if x.pid == dying]
        holder.kill()
        self.finish(stack)

        (post,) = self.lines_of(1).values()
        self.assertNotEqual(dying, post["pid"])
        self.assert_before(post, *_PATHS)
        self.assertEqual(
            {"own": "old", "below": "old"}, post["before"]["outputs"]
        )
