"""What a lifecycle plug-in holds is approved or rejected through REST."""

import concurrent.futures
import json
import pathlib
import typing

import fixtures
import requests

from tests.functional import lifecycle
from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

_FRIDAY = "it is Friday"

Json = dict[str, typing.Any]


class HoldsTestCase(lifecycle.LifecycleTestCase):
    """The second of three plug-ins holds what a test says."""

    def held(self, **more: object) -> rest.Stack:
        """Return a stack whose creation is held."""
        self.plugins.order(2, "pre", "hold", text=_FRIDAY, **more)
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_until_held(stack)
        return stack

    def shown(self, stack: rest.Stack) -> Json:
        """Return the newest operation of a stack, as shown alone."""
        path = f"{stack.path}/operations/{self.operation(stack)['id']}"
        return typing.cast(Json, self.client.get(path, "operation"))

    def holds(self) -> list[Json]:
        """Return what is held in the project."""
        found = self.client.get("/lifecycle/holds", "holds")
        return typing.cast(list[Json], found)

    def answer_as(
        self,
        roles: str,
        stack: rest.Stack,
        action: str,
        value: object = None,
        project: str = "",
    ) -> int:
        """Return the status that somebody's answer gets."""
        endpoint = self.client.endpoint
        if project:
            endpoint = f"{endpoint.rpartition('/')[0]}/{project}"
        answer = requests.post(
            f"{endpoint}{stack.path}/actions",
            json={action: value},
            headers={"X-Roles": roles},
            timeout=30,
        )
        return answer.status_code

    def conflict(self, stack: rest.Stack, value: object = None) -> str:
        """Return what an approval is refused with."""
        error = self.assertRaises(
            rest.RefusedError, self.act, stack, "approve", value
        )
        self.assertEqual((409, "HTTPConflict"), (error.status, error.type))
        return error.message


class ApprovalTest(HoldsTestCase):
    """It goes on behind the plug-in that has held it."""

    def test_a_held_operation_tells_who_holds_it_and_why(self) -> None:
        stack = self.held(deadline_s=600)

        hold = self.shown(stack)["hold"]
        shown = self.client.show(stack)

        self.assertEqual("orch-test-2", hold["plugin"])
        self.assertEqual(_FRIDAY, hold["text"])
        self.assertEqual(
            [None, None, None, ""],
            [
                hold[key]
                for key in (
                    *("answer", "answered_by", "answered_at"),
                    "answer_text",
                )
            ],
        )
        self.assertLess(hold["requested_at"], hold["deadline_at"])
        self.assertEqual("CREATE_IN_PROGRESS", shown["stack_status"])
        for word in ("orch-test-2", _FRIDAY, hold["deadline_at"]):
            self.assertIn(word, str(shown["stack_status_reason"]))
        self.assertEqual(
            [
                {
                    "plugin": "orch-test-2",
                    "ruling": "hold",
                    "text": _FRIDAY,
                    "enforcement": "mandatory",
                    "overridden_by": None,
                    "override_reason": "",
                }
            ],
            shown["verdicts"],
        )
        self.assertEqual([], self.world.calls(self.name))

    def test_what_is_approved_goes_on_behind_who_held_it(self) -> None:
        stack = self.held()

        self.act(stack, "approve", {"text": "agreed"})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            lifecycle.PRES + lifecycle.POSTS, self.plugins.calls(stack)
        )
        found = self.shown(stack)
        self.assertEqual(
            ("approved", "agreed"),
            (found["hold"]["answer"], found["hold"]["answer_text"]),
        )
        self.assertEqual(
            [
                ("orch-test-1", "pre", "allow"),
                ("orch-test-2", "pre", "hold"),
                ("orch-test-3", "pre", "allow"),
                *(
                    (f"orch-test-{number}", "post", None)
                    for number in (3, 2, 1)
                ),
            ],
            [
                (each["plugin"], each["phase"], each["ruling"])
                for each in found["lifecycle"]
            ],
        )
        self.assertTrue(
            any("approved" in each for each in self.reasons(stack)),
            self.reasons(stack),
        )

    def test_an_answer_that_quotes_a_secret_is_redacted(self) -> None:
        word = "canary-6f0d2b"
        parameter = {"type": "string", "hidden": True, "default": word}
        self.plugins.order(2, "pre", "hold", text=_FRIDAY)
        stack = self.client.create(
            self.name,
            {**world_templates.chain(), "parameters": {"word": parameter}},
        )
        self.wait_until_held(stack)

        self.act(stack, "approve", {"text": f"agreed: {word}"})
        self.client.wait(stack, "CREATE_COMPLETE")

        hold = self.shown(stack)["hold"]
        self.assertEqual("agreed: ******", hold["answer_text"])
        self.assertNotIn(word, str(self.client.events(stack)))

    def test_each_plug_in_that_holds_is_answered_by_itself(self) -> None:
        self.plugins.order(3, "pre", "hold", text="who pays?")
        stack = self.held()

        self.act(stack, "approve")
        waiting.wait_for(
            lambda: self.shown(stack)["hold"]["plugin"] == "orch-test-3",
            "the third one holds it",
        )
        self.wait_until_held(stack)
        self.act(stack, "approve")

        self.client.wait(stack, "CREATE_COMPLETE")

    def test_of_many_answers_at_once_one_counts(self) -> None:
        stack = self.held()
        answers = ["approve", "reject"] * 3

        with concurrent.futures.ThreadPoolExecutor(len(answers)) as pool:
            statuses = list(
                pool.map(
                    lambda action: self.answer_as("admin", stack, action),
                    answers,
                )
            )

        self.assertEqual([200, *[409] * 5], sorted(statuses))
        winner = answers[statuses.index(200)]
        ended = "COMPLETE" if winner == "approve" else "FAILED"
        self.client.wait(stack, f"CREATE_{ended}")

    def test_an_answer_that_comes_twice_with_a_key_counts_once(self) -> None:
        stack = self.held()

        def ask() -> int:
            answer = requests.post(
                f"{self.client.endpoint}{stack.path}/actions",
                json={"approve": None},
                headers={"Idempotency-Key": f"key-{self.name}"},
                timeout=30,
            )
            return answer.status_code

        self.assertEqual([200, 200], [ask(), ask()])
        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertIn("was approved by", self.conflict(stack))

    def test_only_the_operation_that_is_meant_is_approved(self) -> None:
        stack = self.held()
        first = self.shown(stack)["id"]
        self.client.delete(stack)
        waiting.wait_for(
            lambda: self.shown(stack)["action"] == "DELETE", "the deletion"
        )

        message = self.conflict(stack, {"operation_id": first})

        self.assertIn(first, message)
        self.wait_until_held(stack)
        self.act(stack, "approve")
        self.client.wait(stack, "DELETE_COMPLETE")


class RejectionTest(HoldsTestCase):
    """It fails, and nothing was touched."""

    def test_what_is_rejected_fails_with_the_reason(self) -> None:
        stack = self.held()

        self.act(stack, "reject", {"text": "not before Monday"})
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("rejected", str(shown["stack_status_reason"]))
        self.assertIn("not before Monday", str(shown["stack_status_reason"]))
        self.assertEqual([], self.world.calls(self.name))
        self.assertEqual("rejected", self.shown(stack)["hold"]["answer"])
        self.assertEqual(["rejected"] * 2, self.plugins.outcomes(stack))

    def test_what_was_rejected_can_be_retried_and_is_held_again(self) -> None:
        stack = self.held()
        self.act(stack, "reject")
        self.client.wait(stack, "CREATE_FAILED")

        self.client.retry(stack)
        self.wait_until_held(stack)
        found = self.shown(stack)
        self.act(stack, "approve", {"operation_id": found["id"]})

        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(
            (2, None), (found["attempt"], found["hold"]["answer"])
        )

    def test_nobody_answers_in_time(self) -> None:
        stack = self.held(deadline_s=1)

        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("was not approved", str(shown["stack_status_reason"]))
        self.assertEqual("expired", self.shown(stack)["hold"]["answer"])
        self.assertIn("its time was over", self.conflict(stack))
        self.assertEqual([], self.world.calls(self.name))

    def test_a_retry_does_not_take_the_place_of_an_approval(self) -> None:
        stack = self.held()

        error = self.assertRaises(rest.RefusedError, self.client.retry, stack)

        self.assertEqual(409, error.status)
        self.assertEqual("BLOCKED", self.operation(stack)["state"])


class ListTest(HoldsTestCase):
    """All that waits in a project is in one list."""

    def test_what_waits_is_listed_until_it_is_answered(self) -> None:
        first = self.held()
        self.take_name()
        second = self.held()
        operation = self.operation(first)["id"]

        both = self.holds()
        self.act(first, "approve")
        self.client.wait(first, "CREATE_COMPLETE")
        left = self.holds()
        self.act(second, "reject")
        self.client.wait(second, "CREATE_FAILED")

        self.assertEqual(
            [first.name, second.name], [each["stack_name"] for each in both]
        )
        self.assertEqual(
            (operation, "CREATE", _FRIDAY, []),
            (
                both[0]["operation_id"],
                both[0]["action"],
                both[0]["hold"]["text"],
                both[0]["path"],
            ),
        )
        self.assertEqual([second.name], [each["stack_name"] for each in left])
        self.assertEqual([], self.holds())

    def test_other_projects_see_nothing_of_it(self) -> None:
        stack = self.held()
        endpoint = self.client.endpoint.rpartition("/")[0]

        answer = requests.get(f"{endpoint}/other/lifecycle/holds", timeout=30)

        self.assertEqual((200, {"holds": []}), _answer(answer))
        self.act(stack, "reject")
        self.client.wait(stack, "CREATE_FAILED")


class PromptTest(HoldsTestCase):
    """Nothing that is held waits for the workers' next scan."""

    defaults = serving.options(scan_interval=600)

    def test_one_that_is_superseded_makes_room_at_once(self) -> None:
        stack = self.held()
        self.plugins.forgive()

        self.update(stack, world_templates.chain("2"))
        self.client.wait(stack, "UPDATE_COMPLETE")

        # The update creates the stack, and is judged so.
        self.assertEqual(
            [*["superseded"] * 2, *["complete"] * 3],
            self.plugins.outcomes(stack, "create"),
        )

    def test_one_that_is_cancelled_ends_at_once(self) -> None:
        stack = self.held(verb="create")

        self.act(stack, "cancel_without_rollback")

        self.client.wait(stack, "CREATE_FAILED")


class WhoTest(HoldsTestCase):
    """Admins of the project answer, and nobody else."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = cls.use(fixtures.TempDir()).path
        rules = pathlib.Path(directory, "policy.yaml")
        # Here an admin sees into all projects; a deputy does not.
        rules.write_text('"actions:reject": "role:deputy"\n')
        cls.options = {"oslo_policy": {"policy_file": rules}}
        super().setUpClass()

    def test_roles_and_projects(self) -> None:
        stack = self.held()

        everyone = ("heat_stack_user", "reader", "member,reader")
        refused = {
            (action, roles): self.answer_as(roles, stack, action)
            for action, wrong in (("approve", "deputy"), ("reject", "admin"))
            for roles in (*everyone, wrong)
        }
        stranger = self.answer_as("deputy", stack, "reject", project="other")
        untouched = self.operation(stack)["state"]
        admin = self.answer_as("admin", stack, "approve")

        self.assertEqual({403}, set(refused.values()), refused)
        self.assertEqual((404, "BLOCKED"), (stranger, untouched))
        self.assertEqual(200, admin)
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_the_operator_says_who_else_may(self) -> None:
        stack = self.held()

        self.assertEqual(200, self.answer_as("deputy", stack, "reject"))

        self.client.wait(stack, "CREATE_FAILED")

    def test_what_nobody_holds_cannot_be_approved(self) -> None:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")

        message = self.conflict(stack)

        self.assertIn("No lifecycle plug-in holds stack", message)
        self.assertIn("CREATE_COMPLETE", message)

    def test_a_wrong_answer_is_refused(self) -> None:
        stack = self.held()

        for value in ("yes", {"text": 5}, {"retry": True}, {"text": "\0"}):
            error = self.assertRaises(
                rest.RefusedError, self.act, stack, "approve", value
            )
            self.assertEqual(400, error.status)
        self.assertEqual("BLOCKED", self.operation(stack)["state"])

    def test_plug_ins_are_listed_in_their_order(self) -> None:
        found = typing.cast(
            list[Json], self.client.get("/lifecycle/plugins", "plugins")
        )

        self.assertEqual(
            ["orch-test-1", "orch-test-2", "orch-test-3"],
            [each["name"] for each in found],
        )
        self.assertEqual(
            {("roots", 60.0, True)},
            {
                (each["scope"], each["time_limit"], each["supports_preview"])
                for each in found
            },
        )


class ChildHoldsTest(HoldsTestCase):
    """A stack in the stack is held."""

    each: typing.ClassVar[Json] = {"scope": "every"}

    def test_the_outer_operation_tells_what_is_held_in_it(self) -> None:
        self.plugins.order(2, "pre", "allow", stack=self.name)
        self.plugins.order(2, "pre", "hold", text=_FRIDAY)
        stack = self.client.create(
            self.name,
            world_templates.template(front={"type": "inner.yaml"}),
            files={"inner.yaml": json.dumps(world_templates.chain())},
        )
        found = waiting.wait_for(
            lambda: self.shown(stack)["child_holds"], "the inner stack is held"
        )
        (held,) = found
        (listed,) = self.holds()

        self.assertEqual(["front"], held["path"])
        self.assertEqual(
            (["front"], stack.name, held["stack_name"]),
            (listed["path"], listed["root_name"], listed["stack_name"]),
        )
        self.assertEqual(_FRIDAY, held["hold"]["text"])
        self.assertIsNone(self.shown(stack)["hold"])
        (link,) = held["links"]
        inner_stack = rest.Stack(
            held["stack_name"], link["href"].rpartition("/")[2]
        )
        self.act(inner_stack, "approve")
        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual([], self.shown(stack)["child_holds"])


def _answer(answer: requests.Response) -> tuple[int, object]:
    return answer.status_code, answer.json()
