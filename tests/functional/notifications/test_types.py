"""Every type of notification of a stack, from a real life of one.

The payloads in ``SEED`` are what Heat has published in 2016, word for word.
"""

import datetime
import json
import typing

from tests.functional.notifications import lives
from tests.functional.notifications import notification_case
from tests.support import rest
from tests.support import world_templates

SEED: typing.Final = """
{"event_type": "orchestration.stack.create.start", "payload": {"state_reason": "Stack CREATE started", "user_id": null, "stack_identity": "2b9fe9c1-3044-4cc9-83da-28192b42acbe", "stack_name": "test-stack", "tenant_id": "501e7e3f3f204a088c4c8a2e98ca734a", "create_at": "2016-02-29T22:15:56.378444", "state": "CREATE_IN_PROGRESS"}}
{"event_type": "orchestration.stack.create.end", "payload": {"state_reason": "Stack CREATE completed successfully", "user_id": null, "stack_identity": "2b9fe9c1-3044-4cc9-83da-28192b42acbe", "stack_name": "test-stack", "tenant_id": "501e7e3f3f204a088c4c8a2e98ca734a", "create_at": "2016-02-29T22:15:56.378444", "state": "CREATE_COMPLETE"}}
{"event_type": "orchestration.stack.update.start", "payload": {"state_reason": "Stack UPDATE started", "user_id": null, "stack_identity": "2b9fe9c1-3044-4cc9-83da-28192b42acbe", "stack_name": "test-stack", "tenant_id": "501e7e3f3f204a088c4c8a2e98ca734a", "create_at": "2016-02-29T22:15:56", "state": "UPDATE_IN_PROGRESS"}}
{"event_type": "orchestration.stack.update.end", "payload": {"state_reason": "Stack UPDATE completed successfully", "user_id": null, "stack_identity": "2b9fe9c1-3044-4cc9-83da-28192b42acbe", "stack_name": "test-stack", "tenant_id": "501e7e3f3f204a088c4c8a2e98ca734a", "create_at": "2016-02-29T22:15:56", "state": "UPDATE_COMPLETE"}}
{"event_type": "orchestration.stack.delete.start", "payload": {"state_reason": "Stack DELETE started", "user_id": null, "stack_identity": "2b9fe9c1-3044-4cc9-83da-28192b42acbe", "stack_name": "test-stack", "tenant_id": "501e7e3f3f204a088c4c8a2e98ca734a", "create_at": "2016-02-29T22:15:56", "state": "DELETE_IN_PROGRESS"}}
{"event_type": "orchestration.stack.delete.end", "payload": {"state_reason": "Stack DELETE completed successfully", "user_id": null, "stack_identity": "2b9fe9c1-3044-4cc9-83da-28192b42acbe", "stack_name": "test-stack", "tenant_id": "501e7e3f3f204a088c4c8a2e98ca734a", "create_at": "2016-02-29T22:15:56", "state": "DELETE_COMPLETE"}}
"""  # noqa: E501 - what was published stays as it is

_SAME = ("state", "state_reason")


class SeedTests(lives.LifeCase):
    def test_what_heat_has_published_is_told_with_its_keys_and_texts(
        self,
    ) -> None:
        stack = self.create()
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.client.delete(stack)
        heard = self.hear(stack, "create.end", "update.end", "delete.end")

        seed = [json.loads(line) for line in SEED.strip().splitlines()]

        self.assertEqual(
            [
                (each["event_type"], *(each["payload"][k] for k in _SAME))
                for each in seed
            ],
            [
                (each.event_type, *(each.payload[k] for k in _SAME))
                for each in heard
            ],
        )
        for ours, heats in zip(heard, seed, strict=True):
            self.assertEqual(set(), set(heats["payload"]) - set(ours.payload))
            self.assertEqual(stack.id, ours.payload["stack_identity"])
            self.assertEqual(self.name, ours.payload["stack_name"])
            # Heat's form of a moment of today, or this fails.
            datetime.datetime.strptime(
                str(ours.payload["create_at"]), "%Y-%m-%dT%H:%M:%SZ"
            )


class EndTests(lives.LifeCase):
    def test_create(self) -> None:
        stack = self.create()

        ended = self.check_end(stack, "create")

        self.assertEqual(
            {"total": 3, "done": 3, "by_status": {"CREATE_COMPLETE": 3}},
            ended["resource_counts"],
        )

    def test_update(self) -> None:
        stack = self.create()
        self.update(
            stack,
            world_templates.template(
                a=world_templates.declare_resource(label="new")
            ),
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        ended = self.check_end(stack, "update")

        self.assertLessEqual(ended["created_at"], ended["updated_at"])
        begun, _ = self.pair(stack, "update", "end")
        self.assertEqual(
            {"CREATE_COMPLETE": 3}, begun["resource_counts"]["by_status"]
        )
        self.assertEqual(
            {"UPDATE_COMPLETE": 1}, ended["resource_counts"]["by_status"]
        )

    def test_delete(self) -> None:
        stack = self.create()
        self.client.delete(stack)

        ended = self.check_end(stack, "delete")

        self.assertLessEqual(ended["created_at"], ended["deleted_at"])
        self.assertEqual({}, ended["resource_counts"]["by_status"])

    def test_suspend_and_resume(self) -> None:
        stack = self.create()
        for action in ("suspend", "resume"):
            self.act(stack, action)
            self.client.wait(stack, f"{action.upper()}_COMPLETE")
            self.check_end(stack, action)

    def test_check(self) -> None:
        stack = self.create()
        self.act(stack, "check")

        self.check_end(stack, "check")

    def test_snapshot_and_restore(self) -> None:
        stack = self.create()
        taken = self.snapshot(stack)
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        self.check_end(stack, "snapshot")
        self.restore(stack, taken)

        self.check_end(stack, "restore")

    def test_abandon_and_adopt(self) -> None:
        stack = self.create()
        document = self.abandon(stack)
        begun, ended = self.pair(stack, "abandon", "end")
        adopted = self.adopt(document)
        self.client.wait(adopted, "ADOPT_COMPLETE")

        self.check_end(adopted, "adopt")

        # Heat's consumers know it as a deletion.
        self.check_end(stack, "delete")
        self.assertEqual(
            ["DELETE_IN_PROGRESS", "DELETE_COMPLETE"],
            [begun["state"], ended["state"]],
        )


class ErrorTests(lives.FailureCase):
    def check_failure(self, stack: rest.Stack, action: str, name: str) -> None:
        self.check_error(stack, action, name)

    def create_fails(self, **body: object) -> rest.Stack:
        self.let_fail("create", "b")
        return self.client.create(self.name, world_templates.chain(), **body)

    def test_create(self) -> None:
        stack = self.create_fails()

        ended = self.check_error(stack, "create", "b")

        self.assertEqual(
            {"CREATE_COMPLETE": 1, "CREATE_FAILED": 1, "INIT_COMPLETE": 1},
            ended["resource_counts"]["by_status"],
        )

    def test_check(self) -> None:
        stack = self.create()
        self.let_fail("check", "b")
        self.act(stack, "check")

        self.check_error(stack, "check", "b")

    def test_restore(self) -> None:
        stack = self.create()
        taken = self.snapshot(stack)
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.let_fail("update", "a")
        self.restore(stack, taken)

        self.check_error(stack, "restore", "a")

    def test_rollback(self) -> None:
        self.let_fail("delete", "a")
        stack = self.create_fails(disable_rollback=False)

        self.check_error(stack, "rollback", "a")

    def test_adopt(self) -> None:
        adopted = self.adopt_wrongly()

        begun, ended = self.pair(adopted, "adopt", "error")

        self.assertEqual(
            ["ADOPT_IN_PROGRESS", "ADOPT_FAILED"],
            [begun["state"], ended["state"]],
        )
        self.assertEqual(
            ["a"], [each["name"] for each in ended["failed_resources"]]
        )

    def test_a_rollback_that_goes_well_follows_the_error(self) -> None:
        stack = self.create_fails(disable_rollback=False)

        self.check_end(stack, "rollback")
        self.check_error(stack, "create", "b")


class RetryTests(lives.LifeCase):
    def test_each_further_attempt_is_told_by_a_type_of_its_own(self) -> None:
        self.let_fail("create", "b", times=2)
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")
        self.client.retry(stack)
        self.hear(stack, "retry.error")
        self.client.wait(stack, "CREATE_FAILED")
        self.client.retry(stack)

        heard = self.hear(stack, "retry.end")

        self.assertEqual(
            [
                ("create.start", 1),
                ("create.error", 1),
                ("create.start", 2),
                ("retry.start", 2),
                ("create.error", 2),
                ("retry.error", 2),
                ("create.start", 3),
                ("retry.start", 3),
                ("create.end", 3),
                ("retry.end", 3),
            ],
            [
                (notification_case.kind_of(each), each.payload["traversal"])
                for each in sorted(heard, key=_place)
            ],
        )
        operation_ids = {each.payload["operation_id"] for each in heard}
        self.assertEqual(1, len(operation_ids))


def _place(heard: typing.Any) -> tuple[int, bool]:
    return notification_case.sequence_of(heard), "retry" in heard.event_type
