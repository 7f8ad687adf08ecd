"""Stacks of another installation: what it answers, and what becomes of it."""

import dataclasses
import typing

from orch import clock
from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.heat import remote_stack
from tests.unit.resources.heat import remote


class CreateTest(remote.RemoteStackTestCase):
    def test_it_asks_for_the_stack_with_all_that_belongs_to_it(self) -> None:
        self.there.answers["POST", "/stacks"] = (
            201,
            {"stack": {"id": remote.ID}},
        )
        context = dataclasses.replace(
            self.context(parameters={"p": 1}, timeout=7),
            inputs=call_context.ChildInputs(
                files={"a.yaml": "A"}, environment={"parameter_defaults": {}}
            ),
        )

        made = self.plugin.create(context)

        self.assertEqual(remote.ID, made.physical_id)
        self.assertEqual(
            {
                "stack_name": remote.NAME,
                "template": "T",
                "parameters": {"p": 1},
                "timeout_mins": 7,
                "disable_rollback": True,
                "files": {"a.yaml": "A"},
                "environment": {"parameter_defaults": {}},
            },
            self.there.requests[0].body,
        )

    def test_names_are_what_heat_takes(self) -> None:
        self.there.answers["POST", "/stacks"] = (
            201,
            {"stack": {"id": remote.ID}},
        )
        for name, taken in (
            ("9 lives-abc", "s-lives-abc"),
            ("a/ö-abc", "a---abc"),
            ("x" * 300 + "-abc", "xx-" + "x" * 248 + "-abc"),
        ):
            context = dataclasses.replace(self.context(), physical_name=name)

            self.plugin.create(context)

            body = typing.cast("dict[str, str]", self.there.requests[-1].body)
            self.assertEqual(taken, body["stack_name"])
            self.assertLessEqual(len(taken), 255)

    def test_one_whose_answer_was_lost_is_found_by_its_name(self) -> None:
        self.there.answers["POST", "/stacks"] = 0, None

        self.assertRaises(errors.Transient, self.plugin.create, self.context())
        self.assertIsNone(self.plugin.find(self.context()))
        self.there.answers["GET", f"/stacks/{remote.NAME}"] = remote.shown(
            "CREATE_COMPLETE"
        )
        found = self.plugin.find(self.context())
        assert found is not None
        self.assertEqual(remote.ID, found.physical_id)

    def test_to_ask_twice_makes_one(self) -> None:
        self.there.answers["POST", "/stacks"] = 409, {"error": {}}
        self.there.answers["GET", f"/stacks/{remote.NAME}"] = remote.shown(
            "CREATE_IN_PROGRESS"
        )

        self.assertEqual(
            remote.ID, self.plugin.create(self.context()).physical_id
        )

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
            rest.CloudRefused, self.plugin.create, self.context()
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
            self.assertRaises(
                rest.CloudRefused, self.plugin.create, self.context()
            )

    def test_it_is_made_once_the_other_says_so(self) -> None:
        self.shows("CREATE_IN_PROGRESS")
        pending = self.plugin.is_created(self.made())
        assert pending is not None
        self.assertIn("CREATE_IN_PROGRESS", pending.note)
        self.shows("CREATE_COMPLETE")
        self.assertIsNone(self.plugin.is_created(self.made()))

    def test_a_failure_is_told_with_its_reason(self) -> None:
        self.shows("CREATE_FAILED", "no valid host")
        self.answer_event(self.now_there())
        self.clock.time = remote.NOW + 1
        context = dataclasses.replace(
            self.made(), started_at=clock.SystemClock().now()
        )

        error = self.assertRaises(
            remote_stack.RemoteFailed, self.plugin.is_created, context
        )

        self.assertIn("no valid host", error.message)

    def test_one_that_failed_is_asked_to_become_what_it_shall_be(self) -> None:
        self.shows("CREATE_FAILED", "old")
        self.answer_event(remote.NOW - 1000)
        self.there.answers["PUT", remote.PATH] = 202, {}

        self.plugin.continue_creation(self.made())

        self.assertEqual(1, len(self.there.find_requests("PUT", remote.PATH)))
        # The failure shown is the old one; after a while it is the new one.
        context = self.made()
        self.assertEqual(
            remote.waits("CREATE_FAILED"), self.plugin.is_created(context)
        )
        self.clock.time = remote.NOW + 31
        self.assertRaises(
            remote_stack.RemoteFailed, self.plugin.is_created, context
        )

    def test_one_that_was_begun_before_may_have_to_become_another(
        self,
    ) -> None:
        self.shows("CREATE_COMPLETE")
        self.there.answers["PUT", remote.PATH] = 202, {}
        context = dataclasses.replace(
            self.made(), started_at=clock.SystemClock().now()
        )

        self.answer_event(self.now_there() + 1)
        self.plugin.continue_creation(context)
        self.assertEqual([], self.there.find_requests("PUT", remote.PATH))
        self.answer_event(self.now_there() - 60)
        self.plugin.continue_creation(context)

        self.assertEqual(1, len(self.there.find_requests("PUT", remote.PATH)))

    def test_one_that_somebody_deleted_is_not_there(self) -> None:
        self.assertRaises(
            remote_stack.RemoteGone, self.plugin.is_created, self.made()
        )
        self.shows("DELETE_COMPLETE")
        self.assertRaises(
            remote_stack.RemoteGone, self.plugin.is_created, self.made()
        )


class LoginTest(remote.RemoteStackTestCase):
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
                rest.CloudRefused,
                self.plugin.is_created,
                self.made(context=where),
            )

            self.assertNotIn("hunter2", error.message)
