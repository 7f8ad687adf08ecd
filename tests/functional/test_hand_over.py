"""A stack is handed over to another project of the same installation."""

import concurrent.futures
import typing
import uuid

import requests

from tests.functional import handing_over
from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

Json = handing_over.Json
_MISSING = (404, "EntityNotFound")
_WRITES = frozenset({"create", "update", "delete", "made", "removed"})


class HandOverTestCase(serving.WorldTestCase):
    """One server, two projects.

    :cvar parties: what they do
    """

    options: typing.ClassVar[Json] = {"DEFAULT": handing_over.OPTIONS}

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.theirs = handing_over.client_of(cls.system, handing_over.TO)
        cls.addClassCleanup(cls.theirs.close)
        cls.parties = handing_over.Parties(cls.client, cls.theirs)

    def made(self, **body: object) -> rest.Stack:
        stack = self.client.create(
            self.name, world_templates.chain(self.name), **body
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def made_tree(self, secret: str = "") -> rest.Stack:
        template, files = handing_over.tree(secret)
        more = {"parameters": {"word": secret}} if secret else {}
        stack = self.client.create(self.name, template, files=files, **more)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def writes(self) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for each in self.world.calls(self.name)
            if each.act in _WRITES
        ]

    def reason(self, client: rest.Client, stack: rest.Stack) -> str:
        return str(client.show(stack)["stack_status_reason"])


class HandOverTests(HandOverTestCase):
    def test_the_other_project_has_the_stack_and_nothing_was_touched(
        self,
    ) -> None:
        stack = self.made()
        ids = self.ids(self.client, stack)
        before = self.writes()

        answer = self.parties.hand_over(stack)
        taken = self.parties.take_over(stack)

        self.assertEqual({"token", "project", "expires_at"}, set(answer))
        self.assertEqual(handing_over.TO, answer["project"])
        self.assertEqual(ids, self.ids(self.theirs, taken))
        self.assertEqual(before, self.writes())
        self.assertIn(handing_over.TO, self.reason(self.client, stack))
        self.assertIn(stack.id, self.reason(self.theirs, taken))

    def ids(self, client: rest.Client, stack: rest.Stack) -> dict[str, object]:
        rows = client.resources(stack)
        return {n: row["physical_resource_id"] for n, row in rows.items()}

    def test_both_see_it_and_its_state(self) -> None:
        stack = self.made()
        self.parties.hand_over(stack)
        ours = self.parties.listed(self.client, stack)
        theirs = self.parties.listed(self.theirs, stack)
        taken = self.parties.take_over(stack)
        then = self.parties.listed(self.theirs, stack)

        assert ours is not None
        assert theirs is not None
        assert then is not None
        self.assertEqual(("outgoing", "offered"), _kind(ours))
        self.assertEqual(("incoming", "offered"), _kind(theirs))
        self.assertEqual(
            {**ours, "direction": "incoming"},
            theirs,
        )
        self.assertEqual(self.name, theirs["name"])
        self.assertEqual(3, theirs["resource_count"])
        self.assertEqual(handing_over.FROM, theirs["from_project"])
        self.assertEqual(handing_over.TO, theirs["to_project"])
        self.assertLess(theirs["offered_at"], theirs["expires_at"])
        self.assertIsNone(theirs["taken_by"])
        self.assertEqual(("incoming", "taken"), _kind(then))
        self.assertEqual(taken.id, then["taken_by"])

    def test_the_list_comes_page_by_page(self) -> None:
        stacks = []
        for _ in range(4):
            self.take_name()
            stacks.append(self.made())
            self.parties.hand_over(stacks[-1])
        self.parties.withdraw(self.client, stacks[1])
        fourth, third, _, first = (each.id for each in reversed(stacks))
        path = "/hand_overs?limit=2"

        page = self.listed_ids(path)
        rest_of_it = self.listed_ids(f"{path}&marker={page[-1]}")

        self.assertEqual([fourth, third], page)
        self.assertEqual(first, rest_of_it[0])
        self.assertEqual([], self.listed_ids("/hand_overs?limit=0"))
        self.assertEqual(
            (400, "HTTPBadRequest"),
            self.refused(self.client.get, "/hand_overs?limit=x", "hand_overs"),
        )

    def listed_ids(self, path: str) -> list[str]:
        listed = typing.cast("list[Json]", self.theirs.get(path, "hand_overs"))
        return [each["id"] for each in listed]

    def test_a_third_project_learns_nothing(self) -> None:
        stack = self.made()
        self.parties.hand_over(stack)
        third = handing_over.client_of(self.system, "third")
        self.addCleanup(third.close)
        unknown = rest.Stack(self.name, str(uuid.uuid4()))

        offered, missing = (
            self.assertRaises(
                rest.RefusedError, self.parties.begin_take_over, each, third
            )
            for each in (stack, unknown)
        )

        self.assertEqual(_MISSING, (offered.status, offered.type))
        self.assertEqual(
            offered.message.replace(stack.id, unknown.id), missing.message
        )
        self.assertIsNone(self.parties.listed(third, stack))
        self.assertEqual(
            _MISSING, self.refused(self.parties.withdraw, third, stack)
        )

    def test_the_receiver_gets_no_document_and_withdraws_nothing(self) -> None:
        stack = self.made()
        self.parties.hand_over(stack)

        path = f"{stack.path}/abandon"
        self.assertEqual(_MISSING, self.refused(self.theirs.ask, "GET", path))
        self.assertEqual(
            _MISSING, self.refused(self.parties.withdraw, self.theirs, stack)
        )

    def test_what_is_withdrawn_cannot_be_taken_over(self) -> None:
        stack = self.made()
        self.parties.hand_over(stack)

        self.parties.withdraw(self.client, stack)

        self.assertEqual(
            _MISSING, self.refused(self.parties.begin_take_over, stack)
        )
        self.assertIsNone(self.parties.listed(self.theirs, stack))
        self.assertIsNone(self.parties.listed(self.client, stack))
        self.assertEqual(
            _MISSING, self.refused(self.parties.withdraw, self.client, stack)
        )
        document = self.client.ask("GET", f"{stack.path}/abandon")
        self.assertEqual(stack.id, typing.cast(Json, document)["id"])
        self.parties.offer(stack)
        self.parties.take_over(stack)

    def test_its_own_project_takes_it_back(self) -> None:
        stack = self.made()
        before = self.writes()
        self.parties.hand_over(stack)

        back = self.parties.begin_take_over(stack, self.client)
        self.client.wait(back, "ADOPT_COMPLETE")

        error = self.assertRaises(
            rest.RefusedError, self.parties.begin_take_over, stack
        )
        self.assertEqual(409, error.status)
        self.assertIn(back.id, error.message)
        self.assertEqual(before, self.writes())

    def test_it_is_taken_over_once_until_the_new_stack_is_gone(self) -> None:
        stack = self.made()
        before = self.writes()
        self.parties.hand_over(stack)
        taken = self.parties.take_over(stack)

        error = self.assertRaises(
            rest.RefusedError,
            self.parties.begin_take_over,
            stack,
            stack_name=f"{self.name}-2",
        )
        self.assertEqual((409, "HTTPConflict"), (error.status, error.type))
        self.assertIn(taken.id, error.message)
        refused = self.refused(self.parties.withdraw, self.client, stack)
        self.assertEqual((409, "HTTPConflict"), refused)
        refused = self.refused(self.parties.offer, stack, "third")
        self.assertEqual((409, "HTTPConflict"), refused)
        self.theirs.ask("DELETE", f"{taken.path}/abandon")
        self.theirs.wait(taken, "DELETE_COMPLETE")
        self.parties.take_over(stack)
        self.assertEqual(before, self.writes())

    def test_of_two_takers_at_once_one_wins(self) -> None:
        stack = self.made()
        self.parties.hand_over(stack)

        def take(number: int) -> int:
            client = self.client if number % 2 else self.theirs
            try:
                self.parties.begin_take_over(
                    stack, client, stack_name=f"{self.name}-{number}"
                )
            except rest.RefusedError as error:
                return error.status
            return 201

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            found = sorted(pool.map(take, range(6)))

        self.assertEqual([201, *[409] * 5], found)

    def test_an_idempotency_key_takes_it_over_once(self) -> None:
        stack = self.made()
        self.parties.hand_over(stack)

        def take() -> requests.Response:
            return requests.post(
                f"{self.theirs.endpoint}/stacks",
                json={"stack_name": self.name, "hand_over": stack.id},
                headers={"Idempotency-Key": self.name, "X-Roles": "member"},
                timeout=30,
            )

        first, second = take(), take()

        self.assertEqual([201] * 2, [first.status_code, second.status_code])
        self.assertEqual(first.json(), second.json())

    def test_a_preview_shows_the_plan_and_takes_nothing(self) -> None:
        stack = self.made()
        self.parties.hand_over(stack)
        body = {"stack_name": self.name, "hand_over": stack.id}

        shown = self.theirs.post("/stacks/preview", "stack", **body)

        self.assertEqual("ADOPT", typing.cast(Json, shown["plan"])["action"])
        self.assertEqual("offered", self.state(self.theirs, stack))
        self.parties.take_over(stack)
        refused = self.refused(
            self.theirs.post, "/stacks/preview", "stack", **body
        )
        self.assertEqual(409, refused[0])

    def state(self, client: rest.Client, stack: rest.Stack) -> object:
        found = self.parties.listed(client, stack)
        return None if found is None else found["state"]

    def test_options_of_an_adoption_hold(self) -> None:
        stack = self.made(tags="old")
        self.parties.hand_over(stack)

        taken = self.parties.take_over(
            stack,
            stack_name=f"{self.name}-2",
            adopt_verify="refuse",
            adopt_missing="create",
            timeout_mins=7,
            tags="new",
        )

        shown = self.theirs.show(taken)
        self.assertEqual(["new"], shown["tags"])
        self.assertEqual(7, shown["timeout_mins"])

    def test_bad_requests_are_refused(self) -> None:
        stack = self.made()
        path = f"{stack.path}/abandon"
        for body, query in (
            ({"hand_over": {"project": handing_over.FROM}}, ""),
            ({"hand_over": {"project": ""}}, ""),
            ({"hand_over": {"project": " "}}, ""),
            ({"hand_over": {"project": "a/b"}}, ""),
            ({"hand_over": {"project": "a\nb"}}, ""),
            ({"hand_over": {"project": "x" * 256}}, ""),
            ({"hand_over": {"project": 1}}, ""),
            ({"hand_over": {}}, ""),
            ({"hand_over": "x"}, ""),
            ({"hand_over": {"project": "x"}, "prepare": None}, ""),
            ({"hand_over": {"project": "x"}}, "?secrets=plain"),
            ({"hand_over": {"project": "x"}}, "?form=compact"),
        ):
            error = self.assertRaises(
                rest.RefusedError, self.client.ask, "POST", path + query, body
            )
            self.assertEqual(400, error.status, body)
            self.assertIn("hand", error.message)
        shown = self.client.show(stack)
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])
        self.parties.hand_over(stack)
        for more in (
            {"template": world_templates.chain()},
            {"template_url": "http://127.0.0.1/x"},
            {"adopt_stack_data": {"template": world_templates.chain()}},
            {"hand_over": ""},
            {"hand_over": ["x"]},
        ):
            error = self.assertRaises(
                rest.RefusedError, self.parties.begin_take_over, stack, **more
            )
            self.assertEqual(400, error.status, more)
            self.assertIn("hand_over", error.message)

    def test_what_was_abandoned_before_is_handed_over_later(self) -> None:
        stack = self.made()
        self.client.ask("DELETE", f"{stack.path}/abandon")
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(
            _MISSING, self.refused(self.parties.begin_take_over, stack)
        )

        first = self.parties.offer(stack)

        self.assertEqual(first, self.parties.offer(stack))
        self.parties.take_over(stack)


class TreeTests(HandOverTestCase):
    def test_child_stacks_at_three_levels_and_their_signals_move(self) -> None:
        stack = self.made_tree()
        before = self.writes()
        url = str(self.client.outputs(stack)["url"])
        self.parties.hand_over(stack)
        found = self.parties.listed(self.theirs, stack)
        assert found is not None
        # Of the time before it is taken over, and of that after.
        statuses = [self.signal(url, 1)]
        taken = self.parties.take_over(stack)
        statuses.append(self.signal(url, 2))

        child = self.child(self.child(taken))
        path = f"{child.path}/resources/handle/metadata"
        waiting.wait_for(
            lambda: (
                sorted(typing.cast(Json, self.theirs.get(path, "metadata")))
                == ["1", "2"]
            ),
            "both signals",
        )

        self.assertEqual(8, found["resource_count"])
        self.assertEqual([202, 202], statuses)
        self.assertEqual(before, self.writes())
        old = self.client.get(f"{stack.path}/abandon/addresses", "addresses")
        for each in typing.cast(list[Json], old):
            self.assertEqual(0, each["signals_waiting"])
            self.assertIsNone(each["new_address"])

    def child(self, stack: rest.Stack) -> rest.Stack:
        held = self.theirs.resources(stack)["child"]["physical_resource_id"]
        answer = typing.cast(Json, self.theirs.ask("GET", f"/stacks/{held}"))
        found = answer["stack"]
        return rest.Stack(str(found["stack_name"]), str(found["id"]))

    @staticmethod
    def signal(url: str, number: int) -> int:
        body = {"id": str(number), "reason": f"n{number}"}
        return requests.post(url, json=body, timeout=30).status_code

    def test_signals_follow_a_stack_that_is_handed_on(self) -> None:
        stack = self.made_tree()
        url = str(self.client.outputs(stack)["url"])
        self.parties.hand_over(stack)
        taken = self.parties.take_over(stack)
        back = handing_over.Parties(self.theirs, self.client)
        back.offer(taken, handing_over.FROM)
        self.theirs.wait(taken, "DELETE_COMPLETE")
        self.signal(url, 1)
        again = back.take_over(taken)

        waiting.wait_for(
            lambda: self.heard(again), "the signal of the first address"
        )

    def heard(self, stack: rest.Stack) -> bool:
        events = self.client.get(
            f"{stack.path}/events?nested_depth=3", "events"
        )
        return any(
            str(each["resource_status_reason"]).startswith("Signal")
            for each in typing.cast(list[Json], events)
        )

    def test_a_revoked_new_address_takes_no_signal_of_the_old_one(
        self,
    ) -> None:
        stack = self.made_tree()
        url = str(self.client.outputs(stack)["url"])
        self.parties.hand_over(stack)
        taken = self.parties.take_over(stack)
        child = self.child(self.child(taken))
        path = f"{child.path}/resources/handle"
        self.theirs.ask("DELETE", f"{path}/signal")

        self.signal(url, 1)

        old = f"{stack.path}/abandon/addresses"
        waiting.wait_for(
            lambda: any(
                "orch.signals.revoked" in str(each["problem"])
                for each in typing.cast(
                    list[Json], self.client.get(old, "addresses")
                )
            ),
            "the refusal",
        )
        metadata = self.theirs.get(f"{path}/metadata", "metadata")
        self.assertEqual({}, metadata)


def _kind(found: Json) -> tuple[object, object]:
    return found["direction"], found["state"]
