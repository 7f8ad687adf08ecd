"""The answer to a creation was lost: people say what became of it."""

import json
import typing

from tests.functional import unknown
from tests.support import rest

Json = dict[str, typing.Any]


class IsItTests(unknown.UnknownTestCase):
    """It is this id."""

    def test_the_retry_goes_on_with_it(self) -> None:
        stack = self.lose()

        told = self.answer(stack, physical_id=self.first)

        self.assertEqual(self.first, told["physical_resource_id"])
        self.assertEqual("CREATE_FAILED", told["resource_status"])
        self.assertIn(f"it is {self.first}", told["resource_status_reason"])
        self.assertEqual(
            "CREATE_FAILED", self.client.show(stack)["stack_status"]
        )
        self.retry(stack, "CREATE_COMPLETE")
        self.assertEqual(["POST /things"], self.service.calls())
        self.assertEqual(self.first, self.row(stack)["physical_resource_id"])
        self.delete(stack)
        self.assertEqual({}, self.service.items)

    def test_who_answered_what_is_an_event(self) -> None:
        stack = self.lose()
        client = rest.Client(self.client.endpoint, user_name="alice")
        self.addCleanup(client.close)
        self.client, client = client, self.client

        self.answer(stack, physical_id=self.first)
        self.answer(stack, physical_id=self.first)

        told = [
            each
            for each in self.client.events(stack)
            if "alice" in each["resource_status_reason"]
        ]
        self.assertEqual(1, len(told))
        self.assertEqual("b", told[0]["resource_name"])
        self.assertIn(f"it is {self.first}", told[0]["resource_status_reason"])

    def test_an_update_changes_it_in_place(self) -> None:
        stack = self.lose()
        self.answer(stack, physical_id=self.first)
        wanted = self.template(b=self.item(update={"body": {"size": 5}}))

        planned = self.plan(stack, wanted)
        self.update(stack, wanted)

        self.assertIn(f"was said to be {self.first}", planned["create"])
        self.assertEqual(
            ["POST /things", f"PUT /things/{self.first}"], self.service.calls()
        )
        self.assertEqual(5, self.service.items[self.first]["size"])

    def test_an_update_replaces_it(self) -> None:
        stack = self.lose()
        self.answer(stack, physical_id=self.first)
        create = {"path": "/things", "body": {"tag": "{token}", "new": True}}

        self.update(stack, self.template(b=self.item(create=create)))

        self.assertEqual([self.second], list(self.service.items))

    def test_it_goes_with_its_declaration(self) -> None:
        stack = self.lose()
        self.answer(stack, physical_id=self.first)

        self.update(stack, self.template())

        self.assertEqual({}, self.service.items)

    def test_it_goes_with_the_stack(self) -> None:
        stack = self.lose()
        self.answer(stack, physical_id=self.first)

        self.delete(stack)

        self.assertEqual({}, self.service.items)
        self.assertEqual(1, len(self.service.calls("POST")))

    def test_another_worker_knows_the_answer(self) -> None:
        stack = self.lose()
        self.answer(stack, physical_id=self.first)

        self.system.server.kill()
        self.system.start()
        self.retry(stack, "CREATE_COMPLETE")

        self.assertEqual(["POST /things"], self.service.calls())

    def test_what_does_not_exist_is_refused(self) -> None:
        stack = self.lose()

        status, message = self.refused(stack, physical_id="7")

        self.assertEqual(409, status)
        self.assertIn("nothing exists under the id 7", message)
        self.assertEqual("", self.row(stack)["physical_resource_id"])
        self.answer(stack, physical_id=self.first)
        self.retry(stack, "CREATE_COMPLETE")

    def test_what_has_vanished_since_can_be_answered_again(self) -> None:
        stack = self.lose()
        self.answer(stack, physical_id=self.first)
        self.service.forget()

        self.retry(stack, "CREATE_FAILED")

        self.assertIn(
            f"nothing exists under the id {self.first}", self.reason(stack)
        )
        self.assertIn("--not-made", self.hint(stack))
        self.answer(stack, is_made=False)
        self.retry(stack, "CREATE_COMPLETE")
        self.assertEqual([self.second], list(self.service.items))

    def test_what_a_service_does_not_show_is_used_and_told(self) -> None:
        stack = self.lose(read={"path": "/hidden/{id}"})
        self.update(
            stack,
            self.template(b={**self.without_read()}),
            "UPDATE_FAILED",
        )

        told = self.answer(stack, physical_id="7")
        self.client.ask("PUT", stack.path, {"retry": True})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertIn("404", told["resource_status_reason"])
        self.assertIn("was not seen", self.reason(stack))
        self.assertEqual("7", self.row(stack)["physical_resource_id"])

    def without_read(self) -> Json:
        declared = self.item()
        del declared["properties"]["read"]
        return declared


class NotMadeTests(unknown.UnknownTestCase):
    """It was not made."""

    def test_the_retry_makes_it_once(self) -> None:
        stack = self.lose(is_made=False)

        told = self.answer(stack, is_made=False)
        self.answer(stack, is_made=False)

        self.assertIn("it was not made", told["resource_status_reason"])
        self.retry(stack, "CREATE_COMPLETE")
        self.assertEqual([self.first], list(self.service.items))
        self.assertEqual(2, len(self.service.calls("POST")))

    def test_an_update_makes_it_as_it_is_desired_now(self) -> None:
        stack = self.lose(is_made=False)
        self.answer(stack, is_made=False)
        create = {"path": "/things", "body": {"tag": "{token}", "new": True}}

        self.update(stack, self.template(b=self.item(create=create)))

        self.assertTrue(self.service.items[self.first]["new"])
        self.assertEqual([], self.service.calls("DELETE"))

    def test_the_stack_is_deleted_without_a_call(self) -> None:
        stack = self.lose(is_made=False)
        self.answer(stack, is_made=False)
        before = len(self.service.requests)

        self.delete(stack)

        self.assertEqual(before, len(self.service.requests))

    def test_a_second_lost_answer_is_answered_anew(self) -> None:
        stack = self.lose(is_made=False)
        self.answer(stack, is_made=False)
        self.service.drops, self.service.makes = 1, True
        self.retry(stack, "CREATE_FAILED")

        self.answer(stack, physical_id=self.first)
        self.retry(stack, "CREATE_COMPLETE")

        self.assertEqual(2, len(self.service.calls("POST")))
        self.delete(stack)
        self.assertEqual({}, self.service.items)


class RefusalTests(unknown.UnknownTestCase):
    def test_a_known_outcome(self) -> None:
        stack = self.client.create(self.name, self.template(b=self.item()))
        self.client.wait(stack, "CREATE_COMPLETE")

        for body in ({"physical_id": "7"}, {"is_made": False}):
            status, message = self.refused(stack, **body)
            self.assertEqual(409, status)
            self.assertIn("no unknown outcome", message)

    def test_no_such_resource(self) -> None:
        stack = self.lose()

        self.assertEqual(
            404, self.refused(stack, "nope", physical_id=self.first)[0]
        )

    def test_an_operation_in_progress(self) -> None:
        stack = self.lose()
        self.service.items["9"] = {"tag": "x", "state": "slow"}
        slow = self.item(
            create={"path": "/things", "body": {"tag": "unkeyed"}},
            ready={"pointer": "/state", "value": "up"},
        )
        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": self.template(b=self.item(), c=slow),
                "keep_going": True,
            },
        )

        status, message = self.refused(stack, physical_id=self.first)

        self.assertEqual(409, status)
        self.assertIn("in progress", message)
        self.assertIn("cancel", message)
        self.client.ask(
            "POST",
            f"{stack.path}/actions",
            {"cancel_without_rollback": None},
        )
        self.client.wait(stack, "UPDATE_FAILED")

    def test_what_another_stack_owns(self) -> None:
        owner = self.client.create(
            f"{self.name}-owner", self.template(o=self.item())
        )
        self.client.wait(owner, "CREATE_COMPLETE")
        stack = self.lose()

        status, message = self.refused(stack, physical_id=self.first)

        self.assertEqual(409, status)
        self.assertIn(f"resource o of stack {owner.name}", message)

    def test_what_another_resource_of_the_stack_owns(self) -> None:
        stack = self.client.create(self.name, self.template(o=self.item()))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.service.drops = 1
        both = self.template(o=self.item(), b=self.item())
        self.update(stack, both, "UPDATE_FAILED")

        status, message = self.refused(stack, physical_id=self.first)

        self.assertEqual(409, status)
        self.assertIn("resource o", message)
        self.answer(stack, physical_id=self.second)

    def test_another_project(self) -> None:
        stack = self.lose()
        base = self.client.endpoint.rpartition("/")[0]
        other = rest.Client(f"{base}/other", roles="member")
        self.client, ours = other, self.client
        self.addCleanup(other.close)

        refused = self.refused(stack, physical_id=self.first)[0]

        self.client = ours
        self.assertEqual(404, refused)
        self.assertEqual("", self.row(stack)["physical_resource_id"])

    def test_a_reader(self) -> None:
        stack = self.lose()
        self.client = rest.Client(self.client.endpoint, roles="reader")
        self.addCleanup(self.client.close)

        self.assertEqual(403, self.refused(stack, physical_id=self.first)[0])


class DeletionTests(unknown.UnknownTestCase):
    """The question comes up where it is to be removed."""

    def test_the_stack_is_deleted_after_either_answer(self) -> None:
        for is_made in (True, False):
            stack = self.lose(is_made=is_made)
            self.delete(stack, "DELETE_FAILED")
            self.assertIn(f"outcome {self.name} b --is", self.hint(stack))
            self.assertIn("orphan b", self.hint(stack))

            said: Json = {"physical_id": self.first} if is_made else {}
            self.answer(stack, **(said or {"is_made": False}))
            self.retry(stack, "DELETE_COMPLETE")

            self.assertEqual({}, self.service.items)

    def test_its_declaration_is_removed(self) -> None:
        stack = self.lose()
        planned = self.plan(stack, self.template())
        self.update(stack, self.template(), "UPDATE_FAILED")

        self.assertIn("its outcome is unknown", planned["delete"])
        self.assertIn("--not-made", self.hint(stack))
        self.answer(stack, physical_id=self.first)
        self.retry(stack, "UPDATE_COMPLETE")

        self.assertEqual({}, self.service.items)

    def test_what_the_hint_names_beside_an_answer_helps(self) -> None:
        stack = self.lose()
        self.delete(stack, "DELETE_FAILED")

        self.client.ask(
            "POST", f"{stack.path}/actions", {"retry": {"orphan": ["b"]}}
        )
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([self.first], list(self.service.items))


class NewPropertiesTests(unknown.UnknownTestCase):
    """An update gives a way to find out."""

    def test_a_new_find_finds_it(self) -> None:
        for method in ("PUT", "PATCH"):
            self.service.forget()
            self.name += method
            stack = self.lose()
            made = list(self.service.items)
            wanted = self.template(b=self.item(find=unknown.FIND))

            planned = self.plan(stack, wanted)
            self.update(stack, wanted, method=method)

            self.assertEqual(["create"], list(planned))
            self.assertIn("it is looked for first", planned["create"])
            self.assertEqual(made, list(self.service.items))
            (found,) = made
            row = self.row(stack)
            self.assertEqual(found, row["physical_resource_id"])
            self.assertEqual("CREATE_COMPLETE", row["resource_status"])
            self.assertEqual({}, self.plan(stack, wanted))
            self.delete(stack)
            self.assertEqual({}, self.service.items)

    def test_what_it_does_not_find_is_made(self) -> None:
        stack = self.lose(is_made=False)

        self.update(stack, self.template(b=self.item(find=unknown.FIND)))

        self.assertEqual([self.first], list(self.service.items))
        self.assertEqual(2, len(self.service.calls("POST")))

    def test_a_service_that_is_idempotent_is_asked_again(self) -> None:
        for method in ("PUT", "PATCH"):
            self.service.forget()
            self.name += method
            stack = self.lose()
            before = len(self.service.calls("POST"))
            create = {
                "path": "/things",
                "body": {"tag": "{token}"},
                "is_idempotent": True,
            }
            wanted = self.template(b=self.item(create=create))

            self.update(stack, wanted, method=method)

            self.assertEqual(before + 1, len(self.service.calls("POST")))
            self.assertEqual(1, len(self.service.items))
            self.assertEqual([], self.service.calls("DELETE"))
            self.assertEqual({}, self.plan(stack, wanted))
            self.service.requests.clear()

    def test_what_is_found_is_replaced_where_it_has_to_be(self) -> None:
        stack = self.lose()
        create = {"path": "/things", "body": {"tag": "{token}", "new": True}}
        wanted = self.template(b=self.item(create=create, find=unknown.FIND))

        planned = self.plan(stack, wanted)
        self.update(stack, wanted)

        self.assertEqual({"create", "delete"}, set(planned))
        self.assertIn("looked for first", planned["delete"])
        self.assertEqual([self.second], list(self.service.items))

    def test_without_a_way_nothing_is_made_again(self) -> None:
        stack = self.lose()
        create = {"path": "/things", "body": {"tag": "{token}", "new": True}}

        self.update(
            stack, self.template(b=self.item(create=create)), "UPDATE_FAILED"
        )

        self.assertEqual([self.first], list(self.service.items))
        self.assertIn(f"outcome {self.name} b --is", self.hint(stack))
        self.answer(stack, physical_id=self.first)
        self.retry(stack, "UPDATE_COMPLETE")
        self.assertEqual([self.second], list(self.service.items))


class ChildTests(unknown.UnknownTestCase):
    """The resource is one of a child stack."""

    def lose_child(self) -> tuple[rest.Stack, rest.Stack]:
        self.service.drops = 1
        stack = self.client.create(
            self.name,
            self.template(kid={"type": unknown.CHILD}),
            files={unknown.CHILD: json.dumps(self.template(b=self.item()))},
        )
        self.client.wait(stack, "CREATE_FAILED")
        found = self.client.get(f"{stack.path}/resources/kid", "resource")
        assert isinstance(found, dict)
        link = next(one for one in found["links"] if one["rel"] == "nested")
        return stack, rest.Stack(*link["href"].rsplit("/", 2)[1:])

    def test_the_retry_of_the_root_goes_on_with_it(self) -> None:
        stack, child = self.lose_child()
        self.assertIn(f"outcome {self.name} kid/b --is", self.hint(stack))

        self.answer(child, physical_id=self.first)
        self.retry(stack, "CREATE_COMPLETE")

        self.assertEqual(["POST /things"], self.service.calls())
        self.delete(stack)
        self.assertEqual({}, self.service.items)

    def test_an_update_of_the_root_makes_it(self) -> None:
        stack, child = self.lose_child()
        self.service.forget()
        self.answer(child, is_made=False)

        self.client.ask("PATCH", stack.path, {})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(1, len(self.service.items))

    def test_the_deletion_of_the_root_removes_it(self) -> None:
        stack, child = self.lose_child()
        self.delete(stack, "DELETE_FAILED")
        self.assertIn(f"outcome {self.name} kid/b --is", self.hint(stack))

        self.answer(child, physical_id=self.first)
        self.retry(stack, "DELETE_COMPLETE")

        self.assertEqual({}, self.service.items)
