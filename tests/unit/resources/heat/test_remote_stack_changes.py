"""What becomes of a stack of another installation that is there."""

import dataclasses
import typing

from orch import clock
from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.heat import remote_stack
from tests.unit.resources.heat import remote


class ChangeTest(remote.RemoteStackTestCase):
    def since_now(self, **properties: object) -> call_context.Context:
        """Return the context of an action that has begun this moment."""
        started_at = clock.SystemClock().now()
        self.clock.time = started_at
        return dataclasses.replace(
            self.made(**properties), started_at=started_at
        )

    def test_an_update_counts_once_it_has_begun(self) -> None:
        self.shows("UPDATE_COMPLETE")
        self.there.answers["PUT", remote.PATH] = 202, {}
        context = self.since_now(parameters={"p": 2})
        self.plugin.update(context, {}, ["parameters"])

        self.answer_event(self.now_there() - 60)
        self.assertEqual(
            remote.waits("UPDATE_COMPLETE"), self.plugin.is_updated(context)
        )
        self.shows("UPDATE_IN_PROGRESS")
        self.assertEqual(
            remote.waits("UPDATE_IN_PROGRESS"), self.plugin.is_updated(context)
        )
        self.shows("UPDATE_COMPLETE")
        self.answer_event(self.now_there() + 1)
        self.assertIsNone(self.plugin.is_updated(context))
        query = self.there.query(f"{remote.PATH}/events")
        self.assertEqual(["UPDATE"], query["resource_action"])
        self.assertEqual(["1"], query["limit"])

    def test_one_that_was_deleted_is_made_anew(self) -> None:
        self.there.answers["POST", "/stacks"] = 201, {"stack": {"id": "new"}}

        made = self.plugin.update(self.made(), {}, ["template"])

        assert made is not None
        self.assertEqual("new", made.physical_id)

    def test_another_region_needs_another_stack(self) -> None:
        def differs(before: object, after: object) -> bool:
            return self.plugin.needs_replacement(
                {"context": before}, {"context": after}, ["context"]
            )

        self.assertTrue(differs({"region_name": "a"}, {"region_name": "b"}))
        self.assertFalse(
            differs(
                {"region_name": "a", "insecure": False},
                {"region_name": "a", "insecure": True},
            )
        )

    def test_rest_is_asked_for_once(self) -> None:
        self.shows("CREATE_COMPLETE")
        path = f"{remote.PATH}/actions"
        self.there.answers["POST", path] = 202, None
        context = self.since_now()

        self.plugin.suspend(context)
        self.assertEqual(
            remote.waits("CREATE_COMPLETE"), self.plugin.is_suspended(context)
        )
        self.shows("SUSPEND_COMPLETE")
        self.plugin.suspend(context)

        self.assertIsNone(self.plugin.is_suspended(context))
        bodies = [each.body for each in self.there.find_requests("POST", path)]
        self.assertEqual([{"suspend": None}], bodies)

    def test_a_check_is_asked_for_until_it_has_begun(self) -> None:
        path = f"{remote.PATH}/actions"
        self.there.answers["POST", path] = 202, None
        self.shows("CHECK_FAILED", "old")
        self.answer_event(self.now_there() - 60)
        context = self.since_now()

        self.assertEqual(
            call_context.Pending(note="the stack is being checked"),
            self.plugin.check(context),
        )
        self.assertEqual(1, len(self.there.find_requests("POST", path)))
        self.shows("CHECK_IN_PROGRESS")
        self.assertEqual(
            remote.waits("CHECK_IN_PROGRESS"), self.plugin.check(context)
        )
        self.answer_event(self.now_there() + 1)
        self.shows("CHECK_FAILED", "the disk is gone")
        error = self.assertRaises(
            remote_stack.RemoteFailed, self.plugin.check, context
        )
        self.assertIn("the disk is gone", error.message)
        self.assertEqual(1, len(self.there.find_requests("POST", path)))

    def test_a_snapshot_is_taken_once(self) -> None:
        self.shows("CREATE_COMPLETE")
        path = f"{remote.PATH}/snapshots"
        self.there.answers["GET", path] = 200, {"snapshots": []}
        self.there.answers["POST", path] = 200, {"id": "s1"}
        context = self.since_now()

        kept = self.plugin.snapshot(context, "ours")
        self.there.answers["GET", path] = (
            200,
            {"snapshots": [{"id": "s1", "name": "ours"}]},
        )
        self.assertEqual(kept, self.plugin.snapshot(context, "ours"))

        self.assertEqual(1, len(self.there.find_requests("POST", path)))
        one = f"{path}/s1"
        self.there.answers["GET", one] = (
            200,
            {"snapshot": {"status": "FAILED", "status_reason": "no room"}},
        )
        error = self.assertRaises(
            remote_stack.RemoteFailed,
            self.plugin.is_snapshotted,
            context,
            kept,
        )
        self.assertIn("no room", error.message)

    def test_a_snapshot_whose_answer_was_lost_is_found(self) -> None:
        context = self.since_now()
        path = f"{remote.PATH}/snapshots"
        self.shows("CREATE_COMPLETE")
        self.there.answers["GET", path] = 200, {"snapshots": []}
        self.assertIsNone(self.plugin.find_snapshot(context, "ours"))
        self.there.answers["POST", path] = 0, None
        self.assertRaises(
            errors.Transient, self.plugin.snapshot, context, "ours"
        )
        self.there.answers["GET", path] = (
            200,
            {"snapshots": [{"id": "s1", "name": "ours"}]},
        )

        kept = self.plugin.find_snapshot(context, "ours")

        assert kept is not None
        self.there.answers["DELETE", f"{path}/s1"] = 204, None
        self.plugin.delete_snapshot(context, kept)
        self.assertEqual(
            1, len(self.there.find_requests("DELETE", f"{path}/s1"))
        )
        self.there.answers["GET", f"/stacks/{remote.ID}"] = 404, {}
        self.assertIsNone(self.plugin.find_snapshot(context, "ours"))

    def test_a_restore_goes_back_to_the_snapshot_there(self) -> None:
        self.shows("UPDATE_COMPLETE")
        path = f"{remote.PATH}/snapshots/s1/restore"
        self.there.answers["POST", path] = 202, None
        wanted = self.plugin.restored_properties(
            {"template": "T"}, {"snapshot_id": "s1"}
        )

        self.plugin.update(self.made(**wanted), {}, list(wanted))

        self.assertEqual(1, len(self.there.find_requests("POST", path)))

    def test_to_remove_what_is_gone_is_no_failure(self) -> None:
        self.plugin.delete(self.made())
        self.assertIsNone(self.plugin.is_deleted(self.made()))
        self.plugin.delete_snapshot(self.made(), {"snapshot_id": "s1"})

        self.assertEqual(
            {"GET"}, {each.method for each in self.there.requests}
        )

    def test_a_removal_that_fails_says_why(self) -> None:
        self.shows("DELETE_FAILED", "in use")
        self.answer_event(self.now_there() - 60)
        self.there.answers["DELETE", remote.PATH] = 204, None
        context = self.since_now()

        self.plugin.delete(context)
        self.assertEqual(
            remote.waits("DELETE_FAILED"), self.plugin.is_deleted(context)
        )
        self.assertEqual(
            1, len(self.there.find_requests("DELETE", remote.PATH))
        )
        self.answer_event(self.now_there() + 1)
        error = self.assertRaises(
            remote_stack.RemoteFailed, self.plugin.is_deleted, context
        )
        self.assertIn("in use", error.message)


class AdoptTest(remote.RemoteStackTestCase):
    def test_the_stack_stays_where_it_is(self) -> None:
        given = call_context.AdoptedResource(
            physical_id=remote.ID,
            data={"stack_name": "old", "other": 1},
            metadata={},
        )

        taken = self.plugin.handle_adopt(self.context(), given)

        self.assertEqual(remote.ID, taken.physical_id)
        self.assertEqual([], self.there.requests)

    def test_one_that_is_not_there_is_found_out(self) -> None:
        self.assertRaises(
            remote_stack.RemoteGone, self.plugin.get_reality, self.made()
        )
        self.shows("CREATE_COMPLETE")
        self.assertIsNone(self.plugin.get_reality(self.made()))

    def test_d4_one_that_is_not_there_has_vanished(self) -> None:
        self.assertRaises(
            reality.Vanished, self.plugin.get_reality, self.made()
        )

    def test_d2_what_the_other_tells_is_told_as_ours_where_it_is_the_same(
        self,
    ) -> None:
        text = "heat_template_version: 2018-08-31\nparameters: {}\n"
        parsed = {"heat_template_version": "2018-08-31", "parameters": {}}
        self.there.answers["GET", f"{remote.PATH}/template"] = 200, parsed
        wanted = {"a": 5, "b": [1, 2], "c": "secret", "d": True, "e": "x"}
        shown_as = {
            "OS::stack_name": "n",
            "a": "5",
            "b": "1,2",
            "c": "******",
            "d": "true",
            "e": "y",
            "f": "default",
        }
        self.shows("CREATE_COMPLETE", parameters=shown_as, timeout_mins=9)

        found = self.plugin.get_reality(
            self.made(template=text, parameters=wanted, timeout=8)
        )

        self.assertEqual(
            {
                "template": text,
                "parameters": {**wanted, "e": "y"},
                "timeout": 9,
            },
            found,
        )

    def test_d2_a_template_is_compared_by_what_it_says(self) -> None:
        parsed = {"heat_template_version": "2018-08-31", "outputs": {}}
        self.there.answers["GET", f"{remote.PATH}/template"] = 200, parsed
        self.shows("UPDATE_COMPLETE")

        found = self.plugin.get_reality(self.made(template="a: 1"))

        assert found is not None
        self.assertEqual(["template"], list(found))
        live = self.plugin.normalise("template", found["template"])
        self.assertEqual(parsed, live)
        for same in (
            "{heat_template_version: 2018-08-31, outputs: {}}",
            '{"outputs": {}, "heat_template_version": "2018-08-31"}',
        ):
            self.assertEqual(live, self.plugin.normalise("template", same))
        self.assertNotEqual(live, self.plugin.normalise("template", "{"))

    def test_what_it_shows_is_what_the_other_shows(self) -> None:
        outputs = [{"output_key": "a", "output_value": [1]}]
        self.shows("CREATE_COMPLETE", outputs=outputs)

        self.assertEqual(
            {"stack_name": remote.NAME, "outputs": {"a": [1]}},
            self.plugin.read_attributes(self.made(), ["outputs"]),
        )
        found = typing.cast("dict[str, object]", self.plugin.show(self.made()))
        self.assertEqual(outputs, found["outputs"])
