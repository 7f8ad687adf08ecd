"""Stacks of another installation: what it answers, and what becomes of it."""

import dataclasses
import email.utils
import typing

from orch import clock
from orch import errors
from orch.clients import rest
from orch.plugin import acts
from orch.plugin import reality
from orch.resources.heat import remote_stack
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.heat import installations

KIND = remote_stack.RemoteStack
NAME = "shop-thing-abcdefghijkl"
ID = "0c6ffb1e-6a4e-4d5f-8a37-6f0a5f7d1a01"
PATH = f"/stacks/{NAME}/{ID}"
NOW = 1_700_000_000.0


def shown(status: str, reason: str = "", **more: object) -> tuple[int, object]:
    """Return what the installation answers of the stack."""
    stack = {
        "id": ID,
        "stack_name": NAME,
        "stack_status": status,
        "stack_status_reason": reason,
        **more,
    }
    return 200, {"stack": stack}


def begun(moment: float) -> tuple[int, object]:
    """Return an event that tells of an action's beginning."""
    text = clock.isoformat(clock.Timestamp(moment))
    return 200, {"events": [{"event_time": text}]}


def waits(state: str) -> acts.Pending:
    """Return how a stack there is waited for, of which that is told."""
    return acts.Pending(note=f"the other installation says {state}")


class RemoteStackTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = contexts.FakeClock(NOW)
        self.there = self.useFixture(installations.Installation())
        # The clock there is that of the machine; it may be ahead of ours.
        self.there.headers["Date"] = email.utils.formatdate(usegmt=True)
        self.cloud = self.useFixture(installations.Cloud(self.there.url))
        self.plugin = KIND(contexts.options(), self.clock)
        self.plugin.use_clouds(self.cloud)

    def context(self, **properties: object) -> acts.Context:
        given = {"template": "T", "parameters": {}, **properties}
        return contexts.make(KIND, started_at=NOW, **given)

    def made(self, **properties: object) -> acts.Context:
        return dataclasses.replace(self.context(**properties), physical_id=ID)

    def shows(self, status: str, reason: str = "", **more: object) -> None:
        self.there.answers["GET", f"/stacks/{ID}"] = shown(
            status, reason, **more
        )

    def tells(self, moment: float) -> None:
        self.there.answers["GET", f"{PATH}/events"] = begun(moment)

    def now_there(self) -> float:
        found = email.utils.parsedate_to_datetime(self.there.headers["Date"])
        return found.timestamp()


class CreateTest(RemoteStackTest):
    def test_it_asks_for_the_stack_with_all_that_belongs_to_it(self) -> None:
        self.there.answers["POST", "/stacks"] = 201, {"stack": {"id": ID}}
        context = dataclasses.replace(
            self.context(parameters={"p": 1}, timeout=7),
            inputs=acts.Inputs(
                files={"a.yaml": "A"}, environment={"parameter_defaults": {}}
            ),
        )

        made = self.plugin.create(context)

        self.assertEqual(ID, made.physical_id)
        self.assertEqual(
            {
                "stack_name": NAME,
                "template": "T",
                "parameters": {"p": 1},
                "timeout_mins": 7,
                "disable_rollback": True,
                "files": {"a.yaml": "A"},
                "environment": {"parameter_defaults": {}},
            },
            self.there.seen[0].body,
        )

    def test_names_are_what_heat_takes(self) -> None:
        self.there.answers["POST", "/stacks"] = 201, {"stack": {"id": ID}}
        for name, taken in (
            ("9 lives-abc", "s-lives-abc"),
            ("a/ö-abc", "a---abc"),
            ("x" * 300 + "-abc", "xx-" + "x" * 248 + "-abc"),
        ):
            context = dataclasses.replace(self.context(), physical_name=name)

            self.plugin.create(context)

            body = typing.cast("dict[str, str]", self.there.seen[-1].body)
            self.assertEqual(taken, body["stack_name"])
            self.assertLessEqual(len(taken), 255)

    def test_one_whose_answer_was_lost_is_found_by_its_name(self) -> None:
        self.there.answers["POST", "/stacks"] = 0, None

        self.assertRaises(errors.Transient, self.plugin.create, self.context())
        self.assertIsNone(self.plugin.find(self.context()))
        self.there.answers["GET", f"/stacks/{NAME}"] = shown("CREATE_COMPLETE")
        found = self.plugin.find(self.context())
        assert found is not None
        self.assertEqual(ID, found.physical_id)

    def test_to_ask_twice_makes_one(self) -> None:
        self.there.answers["POST", "/stacks"] = 409, {"error": {}}
        self.there.answers["GET", f"/stacks/{NAME}"] = shown(
            "CREATE_IN_PROGRESS"
        )

        self.assertEqual(ID, self.plugin.create(self.context()).physical_id)

    def test_what_failed_for_a_while_is_no_failure(self) -> None:
        for status in (408, 429, 500, 503):
            self.there.answers["POST", "/stacks"] = status, {}
            self.assertRaises(
                errors.Transient, self.plugin.create, self.context()
            )
        self.there.cleanUp()
        self.assertRaises(errors.Outage, self.plugin.create, self.context())
        self.there.setUp()

    def test_what_is_refused_is_told_in_the_words_of_the_other(self) -> None:
        said = {"code": 400, "error": {"message": "no such flavor"}}
        self.there.answers["POST", "/stacks"] = 400, said

        error = self.assertRaises(
            rest.Refused, self.plugin.create, self.context()
        )

        self.assertIn("no such flavor", error.message)

    def test_want_of_quota_blocks(self) -> None:
        self.there.answers["POST", "/stacks"] = 413, {}

        self.assertRaises(
            errors.QuotaExceeded, self.plugin.create, self.context()
        )

    def test_an_answer_of_something_else_is_refused(self) -> None:
        for answer in ("<html>", [], {"stack": {}}):
            self.there.answers["POST", "/stacks"] = 201, answer
            self.assertRaises(rest.Refused, self.plugin.create, self.context())

    def test_it_is_made_once_the_other_says_so(self) -> None:
        self.shows("CREATE_IN_PROGRESS")
        pending = self.plugin.is_created(self.made())
        assert pending is not None
        self.assertIn("CREATE_IN_PROGRESS", pending.note)
        self.shows("CREATE_COMPLETE")
        self.assertIsNone(self.plugin.is_created(self.made()))

    def test_a_failure_is_told_with_its_reason(self) -> None:
        self.shows("CREATE_FAILED", "no valid host")
        self.tells(self.now_there())
        self.clock.time = NOW + 1
        context = dataclasses.replace(
            self.made(), started_at=clock.SystemClock().now()
        )

        error = self.assertRaises(
            remote_stack.RemoteFailed, self.plugin.is_created, context
        )

        self.assertIn("no valid host", error.message)

    def test_one_that_failed_is_asked_to_become_what_it_shall_be(self) -> None:
        self.shows("CREATE_FAILED", "old")
        self.tells(NOW - 1000)
        self.there.answers["PUT", PATH] = 202, {}

        self.plugin.continue_creation(self.made())

        self.assertEqual(1, len(self.there.asked("PUT", PATH)))
        # The failure shown is the old one; after a while it is the new one.
        context = self.made()
        self.assertEqual(
            waits("CREATE_FAILED"), self.plugin.is_created(context)
        )
        self.clock.time = NOW + 31
        self.assertRaises(
            remote_stack.RemoteFailed, self.plugin.is_created, context
        )

    def test_one_that_was_begun_before_may_have_to_become_another(
        self,
    ) -> None:
        self.shows("CREATE_COMPLETE")
        self.there.answers["PUT", PATH] = 202, {}
        context = dataclasses.replace(
            self.made(), started_at=clock.SystemClock().now()
        )

        self.tells(self.now_there() + 1)
        self.plugin.continue_creation(context)
        self.assertEqual([], self.there.asked("PUT", PATH))
        self.tells(self.now_there() - 60)
        self.plugin.continue_creation(context)

        self.assertEqual(1, len(self.there.asked("PUT", PATH)))

    def test_one_that_somebody_deleted_is_not_there(self) -> None:
        self.assertRaises(
            remote_stack.RemoteGone, self.plugin.is_created, self.made()
        )
        self.shows("DELETE_COMPLETE")
        self.assertRaises(
            remote_stack.RemoteGone, self.plugin.is_created, self.made()
        )


class ChangeTest(RemoteStackTest):
    def since_now(self, **properties: object) -> acts.Context:
        """Return the context of an action that has begun this moment."""
        started_at = clock.SystemClock().now()
        self.clock.time = started_at
        return dataclasses.replace(
            self.made(**properties), started_at=started_at
        )

    def test_an_update_counts_once_it_has_begun(self) -> None:
        self.shows("UPDATE_COMPLETE")
        self.there.answers["PUT", PATH] = 202, {}
        context = self.since_now(parameters={"p": 2})
        self.plugin.update(context, {}, ["parameters"])

        self.tells(self.now_there() - 60)
        self.assertEqual(
            waits("UPDATE_COMPLETE"), self.plugin.is_updated(context)
        )
        self.shows("UPDATE_IN_PROGRESS")
        self.assertEqual(
            waits("UPDATE_IN_PROGRESS"), self.plugin.is_updated(context)
        )
        self.shows("UPDATE_COMPLETE")
        self.tells(self.now_there() + 1)
        self.assertIsNone(self.plugin.is_updated(context))
        query = self.there.query(f"{PATH}/events")
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
        path = f"{PATH}/actions"
        self.there.answers["POST", path] = 202, None
        context = self.since_now()

        self.plugin.suspend(context)
        self.assertEqual(
            waits("CREATE_COMPLETE"), self.plugin.is_suspended(context)
        )
        self.shows("SUSPEND_COMPLETE")
        self.plugin.suspend(context)

        self.assertIsNone(self.plugin.is_suspended(context))
        bodies = [each.body for each in self.there.asked("POST", path)]
        self.assertEqual([{"suspend": None}], bodies)

    def test_a_check_is_asked_for_until_it_has_begun(self) -> None:
        path = f"{PATH}/actions"
        self.there.answers["POST", path] = 202, None
        self.shows("CHECK_FAILED", "old")
        self.tells(self.now_there() - 60)
        context = self.since_now()

        self.assertEqual(
            acts.Pending(note="the stack is being checked"),
            self.plugin.check(context),
        )
        self.assertEqual(1, len(self.there.asked("POST", path)))
        self.shows("CHECK_IN_PROGRESS")
        self.assertEqual(
            waits("CHECK_IN_PROGRESS"), self.plugin.check(context)
        )
        self.tells(self.now_there() + 1)
        self.shows("CHECK_FAILED", "the disk is gone")
        error = self.assertRaises(
            remote_stack.RemoteFailed, self.plugin.check, context
        )
        self.assertIn("the disk is gone", error.message)
        self.assertEqual(1, len(self.there.asked("POST", path)))

    def test_a_snapshot_is_taken_once(self) -> None:
        self.shows("CREATE_COMPLETE")
        path = f"{PATH}/snapshots"
        self.there.answers["GET", path] = 200, {"snapshots": []}
        self.there.answers["POST", path] = 200, {"id": "s1"}
        context = self.since_now()

        kept = self.plugin.snapshot(context, "ours")
        self.there.answers["GET", path] = (
            200,
            {"snapshots": [{"id": "s1", "name": "ours"}]},
        )
        self.assertEqual(kept, self.plugin.snapshot(context, "ours"))

        self.assertEqual(1, len(self.there.asked("POST", path)))
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
        path = f"{PATH}/snapshots"
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
        self.assertEqual(1, len(self.there.asked("DELETE", f"{path}/s1")))
        self.there.answers["GET", f"/stacks/{ID}"] = 404, {}
        self.assertIsNone(self.plugin.find_snapshot(context, "ours"))

    def test_a_restore_goes_back_to_the_snapshot_there(self) -> None:
        self.shows("UPDATE_COMPLETE")
        path = f"{PATH}/snapshots/s1/restore"
        self.there.answers["POST", path] = 202, None
        wanted = self.plugin.restored_properties(
            {"template": "T"}, {"snapshot_id": "s1"}
        )

        self.plugin.update(self.made(**wanted), {}, list(wanted))

        self.assertEqual(1, len(self.there.asked("POST", path)))

    def test_to_remove_what_is_gone_is_no_failure(self) -> None:
        self.plugin.delete(self.made())
        self.assertIsNone(self.plugin.is_deleted(self.made()))
        self.plugin.delete_snapshot(self.made(), {"snapshot_id": "s1"})

        self.assertEqual({"GET"}, {each.method for each in self.there.seen})

    def test_a_removal_that_fails_says_why(self) -> None:
        self.shows("DELETE_FAILED", "in use")
        self.tells(self.now_there() - 60)
        self.there.answers["DELETE", PATH] = 204, None
        context = self.since_now()

        self.plugin.delete(context)
        self.assertEqual(
            waits("DELETE_FAILED"), self.plugin.is_deleted(context)
        )
        self.assertEqual(1, len(self.there.asked("DELETE", PATH)))
        self.tells(self.now_there() + 1)
        error = self.assertRaises(
            remote_stack.RemoteFailed, self.plugin.is_deleted, context
        )
        self.assertIn("in use", error.message)


class AdoptTest(RemoteStackTest):
    def test_the_stack_stays_where_it_is(self) -> None:
        given = acts.Adopted(
            physical_id=ID,
            data={"stack_name": "old", "other": 1},
            metadata={},
        )

        taken = self.plugin.handle_adopt(self.context(), given)

        self.assertEqual(ID, taken.physical_id)
        self.assertEqual([], self.there.seen)

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
        self.there.answers["GET", f"{PATH}/template"] = 200, parsed
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
        self.there.answers["GET", f"{PATH}/template"] = 200, parsed
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
            {"stack_name": NAME, "outputs": {"a": [1]}},
            self.plugin.read_attributes(self.made(), ["outputs"]),
        )
        found = typing.cast("dict[str, object]", self.plugin.show(self.made()))
        self.assertEqual(outputs, found["outputs"])


class LoginTest(RemoteStackTest):
    def test_the_login_of_the_secret_is_used(self) -> None:
        path = "/secrets/5e/payload"
        self.there.answers["GET", path] = (
            200,
            {
                "auth_type": "v3password",
                "auth": {"a": "b"},
            },
        )
        self.shows("CREATE_COMPLETE")
        where = {
            "region_name": "two",
            "credential_secret_id": "http://barbican/v1/secrets/5e",
            "ca_cert": "PEM",
            "insecure": True,
        }

        self.assertIsNone(self.plugin.is_created(self.made(context=where)))

        self.assertEqual(
            [
                {
                    "auth_type": "v3password",
                    "auth": {"a": "b"},
                    "region_name": "two",
                    "ca_cert": "PEM",
                    "insecure": True,
                }
            ],
            self.cloud.logins,
        )

    def test_another_region_may_have_another_certificate(self) -> None:
        self.shows("CREATE_COMPLETE")
        where = {"region_name": "two", "ca_cert": "PEM", "insecure": True}

        self.plugin.is_created(self.made(context=where))

        self.assertEqual([where], self.cloud.trusted)

    def test_a_secret_without_a_login_is_refused_and_not_told(self) -> None:
        where = {"credential_secret_id": "5e"}
        for content in ("hunter2", {"auth": {"p": "hunter2"}}):
            self.there.answers["GET", "/secrets/5e/payload"] = 200, content

            error = self.assertRaises(
                rest.Refused,
                self.plugin.is_created,
                self.made(context=where),
            )

            self.assertNotIn("hunter2", error.message)
