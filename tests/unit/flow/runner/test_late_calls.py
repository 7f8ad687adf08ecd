"""Creations without an answer that take effect late, and what they double."""

import collections.abc
import dataclasses
import threading

from orch import clock
from orch import errors
from orch import ids
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.flow.runner import messages
from orch.flow.tasks import late_calls
from orch.model import resource as model_resource
from orch.model import states
from orch.plugin import call_context
from tests.support import flows
from tests.unit.flow import running

COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED
BLOCKED = states.OperationState.BLOCKED
LONG_S = 60.0
SHORT_S = 0.1


def _scope_by_value(
    plugin: object,
    account: object,
    properties: collections.abc.Mapping[str, object],
) -> str | None:
    """Return the value as the scope of the ids of a type."""
    value = properties.get("value")
    return None if value is None else str(value)


class LateCase(running.RunnerCase):
    """A plug-in whose creations may take effect late."""

    late_s = SHORT_S

    def setUp(self) -> None:
        super().setUp()
        kind = self.flows.kind
        kind.has_late_effects = True
        kind.late_effect_s = lambda plugin, context: self.late_s
        self.template = flows.Template(a="")
        self.removed: list[object] = []

    def lose(self) -> "flows.Run":
        """Begin a creation and lose the worker during its call."""
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [lambda context: gate.wait(10) and "x"]
        run = self.flows.start(
            self.flows.claim(self.flows.accept(), ttl_s=0.0), self.template
        )
        flows.wait_for(lambda: "a" in self.made(), "the call is under way")
        run.store.fence.lose()
        run.runner.post(messages.LeaseLost())
        self.flows.database.run(
            lambda connection: leases.release(
                connection, run.claimed.id, run.claimed.fence
            )
        )
        return run

    def take_over(self) -> object:
        """Return how the operation of a lost worker ends."""
        lost = self.lose()
        return self.flows.finish(
            self.flows.start(self.flows.claim(lost.claimed), self.template)
        ).state

    def reasons(self) -> list[str]:
        return [each.reason for each in self.flows.events()]

    def remove(self, *results: object) -> None:
        """Script the deletions: each is noted, then gives its result."""

        def act(result: object):
            def removal(context: call_context.Context) -> None:
                self.removed.append(context.physical_id)
                if isinstance(result, Exception):
                    raise result

            return removal

        self.script["delete", "a"] = [act(each) for each in results]


class WaitTests(LateCase):
    def test_what_a_lost_worker_makes_late_is_not_made_again(self) -> None:
        self.late_s = LONG_S
        self.script["find", "a"] = [None, "thing-late"]

        self.assertEqual(COMPLETE, self.take_over())

        self.assertEqual(["a"], self.made())
        self.assertEqual("thing-late", self.flows.row("a").physical_id)

    def test_an_event_says_until_when_it_is_looked_for(self) -> None:
        self.late_s = LONG_S
        self.script["find", "a"] = [None, None, "thing-late"]

        self.take_over()

        found = [each for each in self.reasons() if "may still" in each]
        self.assertEqual(1, len(found))
        self.assertRegex(found[0], "until .*Z, then it is created again$")

    def test_once_its_time_is_over_it_is_made_again(self) -> None:
        self.assertEqual(COMPLETE, self.take_over())

        self.assertEqual(["a", "a"], self.made())
        self.assertGreaterEqual(self.calls.count(("find", "a")), 2)
        self.assertEqual(2, self.flows.row("a").attempt)

    def test_what_comes_after_a_lost_answer_is_not_made_again(self) -> None:
        self.late_s = LONG_S
        self.script["create", "a"] = [errors.Transient("reset")]
        self.script["find", "a"] = [
            errors.Transient("away"),
            None,
            "thing-late",
        ]

        self.assertEqual(COMPLETE, self.flows.run(self.template).state)

        self.assertEqual(["a"], self.made())
        # Each look is none: one call was lost.
        self.assertEqual(2, self.flows.row("a").attempt)
        self.assertEqual("thing-late", self.flows.row("a").physical_id)

    def test_an_answer_that_ends_the_call_is_not_waited_for(self) -> None:
        self.late_s = LONG_S
        busy = errors.Transient("later")
        busy.is_over = True
        self.script["create", "a"] = [busy]

        self.assertEqual(COMPLETE, self.flows.run(self.template).state)

        self.assertEqual(["a", "a"], self.made())
        self.assertEqual(1, self.flows.row("a").attempt)

    def test_a_creation_that_makes_no_second_one_is_not_waited_for(
        self,
    ) -> None:
        self.late_s = LONG_S
        self.flows.kind.creates_once = lambda plugin, context: True

        self.assertEqual(COMPLETE, self.take_over())

        self.assertEqual(["a", "a"], self.made())

    def test_who_makes_no_second_one_need_not_tell(self) -> None:
        self.flows.kind.creates_once = lambda plugin, context: True
        unknown = call_context.OutcomeUnknown("look yourself")
        self.script["create", "a"] = [errors.Transient("reset")]
        self.script["find", "a"] = [unknown]

        self.assertEqual(COMPLETE, self.flows.run(self.template).state)

        self.assertEqual(["a", "a"], self.made())

    def test_a_deletion_has_to_know_where_a_creation_need_not(self) -> None:
        self.flows.kind.creates_once = lambda plugin, context: True
        unknown = call_context.OutcomeUnknown("look yourself")
        self.script["create", "a"] = [errors.Transient("reset")] * 3
        self.assertEqual(FAILED, self.flows.run(self.template).state)
        self.script["find", "a"] = [unknown]

        ended = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(FAILED, ended.state)

    def test_a_plugin_that_cannot_tell_is_believed_at_each_look(self) -> None:
        self.late_s = LONG_S
        self.script["find", "a"] = [
            None,
            call_context.OutcomeUnknown("look yourself"),
        ]

        self.assertEqual(FAILED, self.take_over())

        self.assertEqual(["a"], self.made())

    def test_what_comes_while_it_is_removed_is_removed(self) -> None:
        self.late_s = LONG_S
        self.script["create", "a"] = [errors.Transient("reset")] * 3
        self.script["find", "a"] = [errors.Transient("away")] * 2
        self.assertEqual(FAILED, self.flows.run(self.template).state)
        self.script["find", "a"] = [None, "thing-late"]
        self.remove(None)

        ended = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(["thing-late"], self.removed)

    def test_a_failure_by_another_clock_is_no_older_than_it_may_be(
        self,
    ) -> None:
        row = model_resource.Resource(
            id=ids.ResourceId("row"),
            stack_id=self.flows.stack.id,
            name="a",
            type_name="Test::Thing",
            action=states.Action.CREATE,
            status=states.Status.FAILED,
            is_outcome_unknown=True,
            created_at=clock.Timestamp(0.0),
            updated_at=clock.Timestamp(self.flows.clock.now() - 100.0),
        )
        plugin = self.flows.types.get("Test::Thing")
        waits = []
        for behind_s in (0.0, late_calls.MAX_SKEW_S):
            call = late_calls.LateCall(self.flows.clock)
            updated_at = clock.Timestamp(row.updated_at - behind_s)
            call.take_row(dataclasses.replace(row, updated_at=updated_at))
            self.late_s = LONG_S
            waits.append(call.wait(plugin, None, "it is created again"))

        # A clock that is slow by 100 s makes it seem as old.
        self.assertIs(True, waits[0].begins_again)
        self.assertIsNone(waits[1])

    def test_what_another_resource_has_by_now_is_not_removed(self) -> None:
        self.template = flows.Template(b="", a="b")
        self.script["create", "a"] = [errors.Transient("reset")] * 3
        self.script["find", "a"] = [errors.Transient("away")] * 2
        self.assertEqual(FAILED, self.flows.run(self.template).state)
        self.script["find", "a"] = ["thing-b"]
        self.remove(None)

        ended = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual([], self.removed)

    def test_what_another_resource_has_by_now_is_not_adopted(self) -> None:
        self.template = flows.Template(b="", a="b")
        self.script["create", "a"] = [errors.Busy("there is one already")]
        self.script["find", "a"] = ["thing-b"]

        self.assertEqual(FAILED, self.flows.run(self.template).state)

        row = self.flows.row("a")
        self.assertIsNone(row.physical_id)
        self.assertIn("belongs to another resource", row.status_reason)

    def test_a_nonsense_limit_fails_the_resource(self) -> None:
        self.late_s = "soon"

        self.assertEqual(FAILED, self.take_over())

        self.assertEqual(["a"], self.made())


class SurplusTests(LateCase):
    def test_a_first_attempt_costs_no_call_more(self) -> None:
        self.flows.run(self.template)
        self.flows.run(None, states.Action.DELETE)

        acts = [act for act, _ in self.calls]
        self.assertNotIn("find", acts)
        self.assertNotIn("find_all", acts)

    def test_it_is_removed_before_the_resource_is_complete(self) -> None:
        self.script["find_all", "a"] = [
            ["thing-late", "thing-a"],
            ["thing-a"],
        ]
        self.script["is_deleted", "a"] = [call_context.Pending(after_s=0.01)]
        self.remove(None)

        self.assertEqual(COMPLETE, self.take_over())

        self.assertEqual(["thing-late"], self.removed)
        self.assertEqual("thing-a", self.flows.row("a").physical_id)
        found = [each for each in self.reasons() if "thing-late" in each]
        self.assertEqual(1, len(found))

    def test_it_may_be_the_one_that_was_looked_for(self) -> None:
        self.late_s = LONG_S
        self.script["find", "a"] = ["thing-late"]
        self.script["find_all", "a"] = [["thing-late", "thing-other"]]
        self.remove(None)

        self.assertEqual(COMPLETE, self.take_over())

        self.assertEqual(["thing-other"], self.removed)

    def test_what_other_resources_have_stays(self) -> None:
        self.template = flows.Template(b="", a="b")
        listed = ["thing-a", "thing-b"]
        self.script["find_all", "a"] = [listed]
        self.remove(None)

        self.assertEqual(COMPLETE, self.take_over())

        self.assertEqual([], self.removed)
        self.assertIn(("find_all", "a"), self.calls)

    def test_what_has_the_id_at_another_service_is_another_one(self) -> None:
        self.flows.kind.get_id_scope = _scope_by_value
        self.template = flows.Template(b="", a="b")
        listed = ["thing-a", "thing-b"]
        self.script["find_all", "a"] = [listed]
        self.remove(None)

        self.assertEqual(COMPLETE, self.take_over())

        self.assertEqual(["thing-b"], self.removed)

    def test_what_has_the_id_at_the_same_service_stays(self) -> None:
        self.flows.kind.get_id_scope = _scope_by_value
        self.template = flows.Template(c="", b="c", a="c")
        self.script["find_all", "a"] = [["thing-a", "thing-b"]]
        self.script["create", "a"] = [errors.Transient("reset")]
        self.remove(None)

        self.assertEqual(COMPLETE, self.flows.run(self.template).state)

        self.assertIn(("find_all", "a"), self.calls)
        self.assertEqual([], self.removed)

    def test_nothing_is_removed_where_its_own_id_is_not_listed(self) -> None:
        self.script["find_all", "a"] = [["one-name-of-thing-a"]]
        self.remove(None)

        self.assertEqual(COMPLETE, self.take_over())

        self.assertEqual([], self.removed)

    def test_what_is_listed_after_its_removal_is_removed_once(self) -> None:
        listed = ["thing-a", "thing-late"]
        self.script["find_all", "a"] = [listed] * 40
        self.remove(*[None] * 40)

        self.assertEqual(COMPLETE, self.take_over())
        ended = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(["thing-late", "thing-a", "thing-late"], self.removed)

    def test_what_cannot_be_removed_is_left_to_the_deletion(self) -> None:
        listed = ["thing-a", "thing-late"]
        self.script["find_all", "a"] = [listed, listed, []]
        self.remove(errors.Permanent("no"), None, None)

        self.assertEqual(COMPLETE, self.take_over())
        self.assertEqual(["thing-late"], self.removed)
        self.assertIn("its deletion tries again", " ".join(self.reasons()))
        ended = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(["thing-late", "thing-a", "thing-late"], self.removed)

    def test_a_deletion_that_cannot_remove_it_fails(self) -> None:
        self.assertEqual(COMPLETE, self.take_over())
        self.script["find_all", "a"] = [["thing-late"]]
        self.remove(None, errors.Permanent("no"))

        ended = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(FAILED, ended.state)
        self.assertEqual(["thing-a", "thing-late"], self.removed)

    def test_a_refused_repeat_does_not_hide_what_the_lost_call_made(
        self,
    ) -> None:
        self.script["create", "a"] = [
            errors.Transient("reset"),
            errors.Permanent("no"),
        ]
        self.assertEqual(FAILED, self.flows.run(self.template).state)
        self.script["find_all", "a"] = [["thing-late"], []]
        self.remove(None)

        ended = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(["thing-late"], self.removed)

    def test_a_deletion_in_a_pause_for_quota_finds_it_too(self) -> None:
        self.script["create", "a"] = [
            errors.Transient("reset"),
            errors.QuotaExceeded("full"),
        ]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), self.template
        )
        self.assertEqual(BLOCKED, self.flows.finish(run).state)
        self.script["find_all", "a"] = [["thing-late"], []]
        self.remove(None)
        deletion = self.flows.accept(states.Action.DELETE)
        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, deletion.id
            )
        )

        ended = self.flows.finish(
            self.flows.start(self.flows.claim(deletion), None)
        )

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(["thing-late"], self.removed)

    def test_a_service_that_says_nothing_does_not_keep_what_was_refused(
        self,
    ) -> None:
        self.script["create", "a"] = [
            errors.Transient("reset"),
            errors.Permanent("no"),
        ]
        self.assertEqual(FAILED, self.flows.run(self.template).state)
        self.script["find_all", "a"] = [errors.Forbidden("no")]

        ended = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(COMPLETE, ended.state)
        self.assertIn("it counts as left over", " ".join(self.reasons()))
