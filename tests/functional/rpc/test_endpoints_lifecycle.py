"""Lifecycle plug-ins and holds, asked about and answered over RPC."""

import dataclasses
import threading
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.db import functions
from orch.db.repositories import decisions
from orch.db.repositories import leases
from orch.db.repositories import lifecycle as stored
from orch.db.repositories import operations
from orch.engine import active_plugins
from orch.engine import endpoints
from orch.model import lifecycle as model
from orch.model import operation
from orch.model import states
from orch.plugin import lifecycle
from orch.plugin import lifecycle_order
from orch.rpc import contract
from orch.rpc import proxy
from tests.functional.rpc import worker
from tests.unit.engine import fakes

_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {"web": {"type": fakes.Server.type_name}},
}
_WARNED = model.Call(
    plugin="counts",
    phase=model.PRE,
    ruling="warn",
    text="more than 100 servers",
    began_at=clock.Timestamp(1.0),
    seconds=0.25,
)
_ALLOWED = model.Call(
    plugin="names",
    phase=model.PRE,
    ruling="allow",
    began_at=clock.Timestamp(2.0),
)
_HELD = model.Call(
    plugin="freeze",
    phase=model.PRE,
    ruling="hold",
    text="it is Friday",
    began_at=clock.Timestamp(3.0),
)

_LEVEL = ("mandatory", None, "")
"""The level of a plug-in, and no override."""


class _Early(lifecycle.LifecyclePlugin):
    """Is called for few requests, and first."""

    ordinal = 5
    before = ("late",)
    scope = lifecycle.Scope.EVERY_STACK
    verbs = frozenset({"update", "create"})
    supports_preview = True


class _Case(worker.TestCase):
    """A worker, and a stack whose creation a plug-in holds."""

    def start(self, **given: object) -> None:
        super().start(**given)
        self.lifecycle = proxy.proxy(
            contract.Lifecycle,
            worker.Direct(endpoints.build_endpoints(self.deps)),
        )

    def hold(self, **changed: typing.Any) -> ids.StackId:
        """Return a stack that is held, as a run leaves it."""
        stack_id = self.create(_TEMPLATE)
        found = self.operation(stack_id)
        now = self.now()
        begun = model.Hold(
            plugin="freeze",
            text="it is Friday",
            requested_at=now,
            deadline_at=clock.Timestamp(now + 3600),
            left_s=900.0,
        )
        hold = dataclasses.replace(begun, **changed)
        run = model.Run(
            operation_id=found.id,
            attempt=found.attempt,
            verb="create",
            stack_id=stack_id,
            project_id="demo",
            chain=("counts", "names", "freeze", "last"),
            ahead=3,
            passed=2,
            calls=(_WARNED, _ALLOWED, _HELD),
            hold=hold,
            began_at=now,
        )
        with self.database.write() as connection:
            (taken,) = leases.claim(connection, ids.WorkerId("w"), 60, 1)
            stored.save(connection, run)
            stored.save_hold(connection, run, hold)
            leases.park(
                connection,
                taken.id,
                taken.fence,
                reason="freeze holds it",
                pause_s=3600,
                options={},
            )
        self.set_stack(stack_id, status_reason="freeze holds it")
        return stack_id

    def now(self) -> clock.Timestamp:
        with self.database.read() as connection:
            return functions.read_clock(connection)

    def operation(self, stack_id: ids.StackId) -> operation.Operation:
        with self.database.read() as connection:
            return operations.list_(connection, stack_id)[-1]

    def shown(self, stack_id: ids.StackId) -> contract.OperationFacts:
        found = self.operation(stack_id)
        return self.operations.show(self.ann, stack_id, found.id)

    def refused(
        self, ctxt: request.RequestContext, stack_id: str, *given: str
    ) -> errors.OrchError:
        return self.assertRaises(
            errors.OrchError, self.lifecycle.approve, ctxt, stack_id, *given
        )


class ListTest(_Case):
    def test_no_plug_in_is_no_line(self) -> None:
        self.assertEqual([], self.lifecycle.list(self.ann))

    def test_plug_ins_are_told_in_the_order_of_their_calls(self) -> None:
        late = lifecycle.LifecyclePlugin("late", None)
        found = lifecycle_order.PluginOrder.of(
            [late, _Early("early", None)], time_limit_s=7, fail_open=["late"]
        )
        self.start(plugins=active_plugins.FixedPlugins(found))

        early, second = self.lifecycle.list(self.ann)

        self.assertEqual(
            {
                "name": "early",
                "ordinal": 5,
                "before": ["late"],
                "after": [],
                "scope": "every stack",
                "verbs": ["create", "update"],
                "supports_preview": True,
                "time_limit_s": 7,
                "is_fail_open": False,
                "is_legacy": False,
                "load_error": None,
                "enforcement": "mandatory",
                "settings_number": 0,
            },
            early,
        )
        self.assertEqual("late", second["name"])
        self.assertIsNone(second["verbs"])
        self.assertTrue(second["is_fail_open"])


class ShownTest(_Case):
    def test_an_operation_tells_its_calls_and_its_hold(self) -> None:
        stack_id = self.hold()

        shown = self.shown(stack_id)
        (listed,) = self.operations.list(self.ann, stack_id)

        self.assertEqual(
            {
                "plugin": "counts",
                "attempt": 1,
                "verb": "create",
                "phase": "pre",
                "ruling": "warn",
                "text": "more than 100 servers",
                "error": None,
                "began_at": 1.0,
                "seconds": 0.25,
                "is_repeat": False,
                "enforcement": "mandatory",
                "overridden_by": None,
                "override_reason": "",
            },
            shown["lifecycle"][0],
        )
        hold = shown["hold"]
        assert hold is not None
        self.assertEqual("freeze", hold["plugin"])
        self.assertEqual("it is Friday", hold["text"])
        self.assertIsNone(hold["answer"])
        self.assertEqual(3600, hold["deadline_at"] - hold["requested_at"])
        for key in ("lifecycle", "hold"):
            self.assertEqual(shown[key], listed[key])

    def test_an_operation_tells_what_is_held_in_its_stack(self) -> None:
        middle = self.hold()
        inner = self.create(_TEMPLATE, "inner")
        outer = self.create(_TEMPLATE, "outer")
        self.set_stack(
            inner, parent_id=outer, root_id=outer, parent_resource="group"
        )
        self.set_stack(
            middle, parent_id=inner, root_id=outer, parent_resource="0"
        )

        found = {
            name: self.shown(each)["child_holds"]
            for name, each in (
                *(("outer", outer), ("inner", inner)),
                ("middle", middle),
            )
        }

        (held,) = found["outer"]
        self.assertEqual(["group", "0"], held["path"])
        self.assertEqual(middle, held["stack"]["stack_id"])
        self.assertEqual("freeze", held["hold"]["plugin"])
        self.assertEqual(["0"], found["inner"][0]["path"])
        self.assertEqual([], found["middle"])
        self.lifecycle.approve(self.ann, middle)
        self.assertEqual([], self.shown(outer)["child_holds"])

    def test_a_stack_tells_all_verdicts_but_allow(self) -> None:
        shown = self.stacks.show(self.ann, self.hold())

        self.assertEqual(
            [
                ("counts", "warn", "more than 100 servers", *_LEVEL),
                ("freeze", "hold", "it is Friday", *_LEVEL),
            ],
            [tuple(each.values()) for each in shown["verdicts"]],
        )

    def test_who_gives_no_answer_is_told_to_deny(self) -> None:
        stack_id = self.create(_TEMPLATE)
        found = self.operation(stack_id)
        broken = model.Call(
            plugin="names",
            phase=model.PRE,
            error="ValueError: no",
            began_at=clock.Timestamp(1.0),
        )
        with self.database.write() as connection:
            stored.save(
                connection,
                model.Run(
                    operation_id=found.id,
                    attempt=1,
                    verb="create",
                    stack_id=stack_id,
                    project_id="demo",
                    chain=("names",),
                    calls=(broken,),
                    is_refused=True,
                    began_at=clock.Timestamp(1.0),
                ),
            )

        shown = self.stacks.show(self.ann, stack_id)

        self.assertEqual(
            [("names", "deny", "ValueError: no", *_LEVEL)],
            [tuple(each.values()) for each in shown["verdicts"]],
        )

    def test_what_nobody_was_asked_about_has_none(self) -> None:
        stack_id = self.create(_TEMPLATE)

        shown = self.shown(stack_id)

        self.assertEqual(([], None), (shown["lifecycle"], shown["hold"]))
        told = self.stacks.show(self.ann, stack_id)
        self.assertEqual([], told["verdicts"])


class DecisionTest(_Case):
    def decide(self, stack_id: ids.StackId, plugin: str, path: str) -> None:
        stack = self.get_stack(stack_id)
        with self.database.write() as connection:
            decisions.save(
                connection,
                stack,
                self.operation(stack_id),
                plugin,
                {path: {"rack": f"of {path}"}},
            )

    def test_a_resource_tells_what_was_decided_for_it(self) -> None:
        stack_id = self.create(_TEMPLATE)
        self.put_resource(stack_id, "web")
        self.decide(stack_id, "racks", "web")
        self.decide(stack_id, "rooms", "web")
        self.decide(stack_id, "racks", "other")

        shown = self.resources.show(self.ann, stack_id, "web", [])

        decided = {"rack": "of web"}
        self.assertEqual(
            {"racks": decided, "rooms": decided}, shown["decisions"]
        )

    def test_in_inner_stacks_the_path_from_the_root_counts(self) -> None:
        outer = self.create(_TEMPLATE)
        inner = self.create(_TEMPLATE, "inner")
        self.set_stack(
            inner, parent_id=outer, root_id=outer, parent_resource="front"
        )
        self.put_resource(inner, "web")
        self.decide(outer, "racks", "front/web")
        self.decide(outer, "racks", "web")

        shown = self.resources.show(self.ann, inner, "web", [])

        self.assertEqual(
            {"racks": {"rack": "of front/web"}}, shown["decisions"]
        )


class AnswerTest(_Case):
    def test_what_is_approved_goes_on(self) -> None:
        stack_id = self.hold()

        accepted = self.lifecycle.approve(self.ann, stack_id, "looks good")

        found = self.operation(stack_id)
        self.assertEqual(found.id, accepted["operation_id"])
        self.assertEqual(states.OperationState.WAITING, found.state)
        hold = self.shown(stack_id)["hold"]
        assert hold is not None
        self.assertEqual(
            ("approved", "ann", "looks good"),
            (hold["answer"], hold["answered_by"], hold["answer_text"]),
        )
        self.assertNotIn("holds", self.get_stack(stack_id).status_reason)

    def test_what_is_rejected_is_a_workers_to_end(self) -> None:
        stack_id = self.hold()

        self.lifecycle.reject(self.ann, stack_id, "not today")

        found = self.operation(stack_id)
        self.assertEqual(states.OperationState.WAITING, found.state)
        hold = self.shown(stack_id)["hold"]
        assert hold is not None
        self.assertEqual("rejected", hold["answer"])

    def test_of_two_answers_at_once_one_counts(self) -> None:
        stack_id = self.hold()
        both = threading.Barrier(2)
        done: list[str] = []

        def answer(how: str) -> None:
            both.wait()
            try:
                getattr(self.lifecycle, how)(self.ann, stack_id)
                done.append(how)
            except errors.Conflict as error:
                done.append(error.code)

        threads = [
            threading.Thread(target=answer, args=(how,))
            for how in ("approve", "reject")
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

        self.assertIn("orch.operation.not_held", done)
        (winner,) = set(done) - {"orch.operation.not_held"}
        hold = self.shown(stack_id)["hold"]
        assert hold is not None
        words = {"approve": "approved", "reject": "rejected"}
        self.assertEqual(words[winner], hold["answer"])

    def test_the_second_answer_is_told_of_the_first(self) -> None:
        stack_id = self.hold()
        self.lifecycle.reject(self.ann, stack_id)

        error = self.refused(self.ann, stack_id)

        self.assertEqual("orch.operation.not_held", error.code)
        self.assertIn("by freeze was rejected by ann", error.message)

    def test_what_nobody_holds_cannot_be_approved(self) -> None:
        stack_id = self.create(_TEMPLATE)

        error = self.refused(self.ann, stack_id)

        self.assertEqual("orch.operation.not_held", error.code)
        self.assertIn("No lifecycle plug-in holds stack app", error.message)
        self.assertIn("CREATE_IN_PROGRESS", error.message)

    def test_after_the_deadline_nobody_approves(self) -> None:
        stack_id = self.hold(deadline_at=clock.Timestamp(1.0))

        error = self.refused(self.ann, stack_id)

        self.assertIn("its time was over", error.message)
        found = self.operation(stack_id)
        self.assertEqual(states.OperationState.BLOCKED, found.state)

    def test_only_the_operation_that_is_named_is_approved(self) -> None:
        stack_id = self.hold()
        held = self.operation(stack_id).id
        other = ids.new()

        error = self.refused(self.ann, stack_id, "", other)

        self.assertEqual("orch.operation.not_held", error.code)
        self.assertIn(other, error.message)
        self.assertIn(held, error.message)
        self.lifecycle.approve(self.ann, stack_id, "", held)
        self.assertEqual(
            states.OperationState.WAITING, self.operation(stack_id).state
        )

    def test_other_projects_have_no_such_stack(self) -> None:
        stack_id = self.hold()

        error = self.refused(self.eve, stack_id)

        self.assertEqual("orch.stack.not_found", error.code)
        self.assertEqual(
            states.OperationState.BLOCKED, self.operation(stack_id).state
        )
