"""What a document says of states holds where it is adopted."""

import typing

import yaml

from tests.functional import adopting
from tests.support import rest
from tests.support import waiting

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template


def entries_of(document: Json) -> dict[str, Json]:
    return typing.cast(dict[str, Json], document["resources"])


class UnknownOutcomeTests(adopting.AdoptingTestCase):
    """A creation whose outcome is unknown is not repeated elsewhere."""

    def setUp(self) -> None:
        super().setUp()
        self.desired = template(a=declare_resource(label="l"))

    def unknown(self) -> Json:
        """Return the document of a stack that does not know what it made."""
        self.world.order(
            self.name, "create", "a", how="transient", moment="after", times=1
        )
        self.world.order(
            self.name, "find", "a", how="permanent", moment="before"
        )
        stack = self.here.create(self.name, self.desired)
        self.here.wait(stack, "CREATE_FAILED")
        document = self.abandon(stack)
        self.wait_gone(stack)
        self.assertIs(True, entries_of(document)["a"]["is_outcome_unknown"])
        return document

    def reason(self, stack: rest.Stack) -> str:
        return str(self.there.resources(stack)["a"]["resource_status_reason"])

    def test_a2_what_was_made_is_found_by_its_token(self) -> None:
        document = self.unknown()
        self.world.forgive(self.name)
        before = self.mark()

        stack = self.adopt(document)

        self.assertEqual([], self.writes(before))
        made = self.world.physical_resources(self.name)
        self.assertEqual(
            [each.id for each in made], [self.ids(self.there, stack)["a"]]
        )
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.existing_names())

    def test_a2_it_stays_unknown_and_is_never_made_twice(self) -> None:
        document = self.unknown()
        before = self.mark()

        stack = self.adopt(document, "ADOPT_FAILED", adopt_missing="create")

        self.assertIn("OutcomeUnknown", self.reason(stack))
        exported = self.ask(self.there, "GET", f"{stack.path}/export")
        entry = entries_of(exported)["a"]
        self.assertEqual(entries_of(document)["a"]["token"], entry["token"])
        self.update(stack, self.desired)
        self.there.wait(stack, "UPDATE_FAILED")
        self.assertEqual([], self.writes(before))
        self.world.forgive(self.name)
        self.update(stack, self.desired)
        self.there.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual([], self.writes(before))
        self.assertEqual(["a"], self.existing_names())

    def test_a1_nothing_is_made_where_nothing_is_found(self) -> None:
        document = self.unknown()
        self.world.forgive(self.name)
        self.world.remove(self.name, "a")

        stack = self.adopt(document, "ADOPT_FAILED")

        self.assertIn("Resource ID was not provided", self.reason(stack))
        self.assertEqual([], self.existing_names())
        self.update(stack, self.desired)
        self.there.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(["a"], self.existing_names())

    def test_a_g5_it_is_made_where_nothing_is_found_if_asked(self) -> None:
        document = self.unknown()
        self.world.forgive(self.name)
        self.world.remove(self.name, "a")

        self.adopt(document, adopt_missing="create")

        self.assertEqual(["a"], self.existing_names())

    def test_a2_one_installation_has_it_once(self) -> None:
        """Adopted where it was abandoned: its rows may have the same ids."""
        document = self.unknown()
        self.world.forgive(self.name)

        stack = self.begin_adopt(document, self.here)
        self.here.wait(stack, "ADOPT_COMPLETE")
        again = {**document, "name": "again"}
        refused = self.refused(
            self.begin_adopt, again, self.here, stack_name=f"{self.name}-2"
        )

        self.assertEqual(409, refused[0])
        self.assertEqual(["a"], self.existing_names())

    def test_a_token_leads_to_no_stack(self) -> None:
        """The id of a child stack is the token of its resource."""
        victim = self.begin_adopt(
            {"template": template(), "resources": {}},
            stack_name=f"{self.name}-victim",
        )
        self.there.wait(victim, "ADOPT_COMPLETE")
        unknown = {"is_outcome_unknown": True, "token": victim.id}
        inner = yaml.safe_dump(template(x=declare_resource()))
        document: Json = {
            "template": template(one={"type": "inner.yaml"}),
            "files": {"inner.yaml": inner},
        }
        group = {"name": "g", "type": "OS::Heat::ResourceGroup", **unknown}

        refused = self.refused(
            self.begin_adopt, {**document, "resources": {"one": unknown}}
        )
        stack = self.begin_adopt(
            {"template": template(), "resources": {}, "leftovers": [group]}
        )
        self.there.wait(stack, "ADOPT_COMPLETE")
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(409, refused[0])
        shown = self.there.show(victim)
        self.assertEqual("ADOPT_COMPLETE", shown["stack_status"])

    def test_its_token_must_be_one(self) -> None:
        document = self.unknown()
        entries_of(document)["a"]["token"] = "mine"

        error = self.assertRaises(
            rest.RefusedError, self.begin_adopt, document
        )

        self.assertEqual(400, error.status)
        self.assertIn("resources.a.token", str(error.body))


class UnfinishedTests(adopting.AdoptingTestCase):
    """A creation that was not complete is completed, or its failure told."""

    def setUp(self) -> None:
        super().setUp()
        self.desired = template(
            a=declare_resource(label="l"), b=declare_resource("a")
        )

    def abandoned_while_built(self) -> Json:
        """Return the document of a stack whose resource is being built."""
        self.world.order(self.name, "create", "a")
        stack = self.here.create(self.name, self.desired)
        self.wait_for("made", "a")
        document = self.abandon(stack)
        self.wait_gone(stack)
        entry = entries_of(document)["a"]
        self.assertEqual(
            ("CREATE", "FAILED"), (entry["action"], entry["status"])
        )
        return document

    def test_a2_it_is_waited_for(self) -> None:
        document = self.abandoned_while_built()
        before = self.mark()

        stack = self.begin_adopt(document, adopt_missing="create")
        waiting.wait_for(
            lambda: self.statuses(stack).get("a") == "CREATE_IN_PROGRESS",
            "a to be waited for",
        )
        self.assertEqual([], self.writes(before))
        self.world.release(self.name)
        self.there.wait(stack, "ADOPT_COMPLETE")

        self.assertEqual([("create", "b"), ("made", "b")], self.writes(before))
        self.assertEqual(["a", "b"], self.existing_names())

    def test_a8_what_failed_fails_its_adoption_and_is_repaired(self) -> None:
        document = self.abandoned_while_built()
        self.world.forgive(self.name)
        self.world.order(
            self.name, "create", "a", how="permanent", moment="watch"
        )
        before = self.mark()

        stack = self.adopt(document, "ADOPT_FAILED", adopt_missing="create")

        self.assertEqual([], self.writes(before))
        self.assertEqual("CREATE_FAILED", self.statuses(stack)["a"])
        self.assertEqual(["a"], self.existing_names())
        self.world.forgive(self.name)
        self.there.retry(stack)
        self.there.wait(stack, "ADOPT_COMPLETE")
        self.assertEqual(
            [], [each for each in self.writes(before) if each[1] == "a"]
        )


class LeftoverTests(adopting.AdoptingTestCase):
    """What was replaced and could not be removed is removed later."""

    def setUp(self) -> None:
        super().setUp()
        self.desired = template(a=declare_resource(value="new"))

    def left(self) -> Json:
        """Return the document of a stack with a replaced resource."""
        stack = self.created(template(a=declare_resource(value="old")))
        self.world.order(
            self.name, "delete", "a", how="permanent", moment="before"
        )
        self.here.ask("PUT", stack.path, {"template": self.desired})
        self.here.wait(stack, "UPDATE_FAILED")
        document = self.abandon(stack)
        self.wait_gone(stack)
        self.world.forgive(self.name)
        self.assertEqual(["a", "a"], self.existing_names())
        return document

    def test_a2_the_next_update_removes_it(self) -> None:
        document = self.left()
        before = self.mark()

        stack = self.adopt(document)
        self.assertEqual([], self.writes(before))
        self.update(stack, self.desired)
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            [("delete", "a"), ("removed", "a")], self.writes(before)
        )
        self.assertEqual(
            [self.ids(self.there, stack)["a"]],
            [each.id for each in self.world.physical_resources(self.name)],
        )

    def test_a2_a_deletion_removes_it(self) -> None:
        stack = self.adopt(self.left())

        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.existing_names())

    def test_a2_it_moves_on_with_the_stack(self) -> None:
        document = self.left()
        stack = self.adopt(document)

        again = self.ask(self.there, "GET", f"{stack.path}/export")

        def of(found: Json) -> list[object]:
            left = typing.cast(list[Json], found["leftovers"])
            return [each["resource_id"] for each in left]

        self.assertEqual(of(document), of(again))

    def test_a_g4_what_a_stack_owns_by_now_is_left_alone(self) -> None:
        document = self.left()
        left = typing.cast(list[dict[str, str]], document["leftovers"])
        owner = self.adopt(
            {
                "template": template(mine=declare_resource()),
                "resources": {"mine": left[0]["resource_id"]},
            },
            stack_name=f"{self.name}-owner",
        )

        stack = self.adopt(document)
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(["a"], self.existing_names())
        self.assertEqual("ADOPT_COMPLETE", self.statuses(owner)["mine"])

    def test_a_g1_a_rollback_leaves_it(self) -> None:
        document = self.left()
        entries_of(document)["a"]["resource_id"] = None

        stack = self.begin_adopt(document, disable_rollback=False)
        self.there.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(["a", "a"], self.existing_names())

    def test_it_is_sealed(self) -> None:
        """Its properties are in the document, and may be secrets."""
        stack = self.created(template(a=declare_resource(value="old")))
        self.world.order(
            self.name, "delete", "a", how="permanent", moment="before"
        )
        self.here.ask("PUT", stack.path, {"template": self.desired})
        self.here.wait(stack, "UPDATE_FAILED")

        document = self.ask(
            self.here, "GET", f"{stack.path}/export?secrets=sealed"
        )

        left = typing.cast(list[Json], document["leftovers"])
        self.assertEqual(["(sealed)"], [one["properties"] for one in left])


class RestTests(adopting.AdoptingTestCase):
    def test_a2_what_is_suspended_stays_so_and_is_resumed(self) -> None:
        files = {"inner.yaml": yaml.safe_dump(self.chain())}
        wanted = template(a=declare_resource(), one={"type": "inner.yaml"})
        stack = self.created(wanted, files=files)
        self.here.ask("POST", f"{stack.path}/actions", {"suspend": None})
        self.here.wait(stack, "SUSPEND_COMPLETE")
        document = self.abandon(stack)
        self.wait_gone(stack)

        adopted = self.adopt(document)
        reason = self.there.resources(adopted)["a"]["resource_status_reason"]
        self.there.ask("POST", f"{adopted.path}/actions", {"resume": None})
        self.there.wait(adopted, "RESUME_COMPLETE")

        self.assertIn("at rest", str(reason))
        resumed = [
            each.name
            for each in self.world.calls()
            if each.stack.startswith(self.name) and each.act == "resume"
        ]
        self.assertEqual(["a", "a", "b", "c"], sorted(resumed))

    def test_a10_a_condition_waits_on_for_the_signals_it_lacks(self) -> None:
        wanted = template(
            handle={"type": "OS::Heat::WaitConditionHandle"},
            all={
                "type": "OS::Heat::WaitCondition",
                "properties": {
                    "handle": {"get_resource": "handle"},
                    "count": 2,
                    "timeout": 600,
                },
            },
        )
        stack = self.here.create(self.name, wanted)
        waiting.wait_for(
            lambda: self.is_waiting(self.here, stack),
            "the condition",
        )
        self.signal(self.here, stack, "1")
        document = self.abandon(stack)
        self.wait_gone(stack)

        adopted = self.begin_adopt(document)
        waiting.wait_for(
            lambda: self.is_waiting(self.there, adopted),
            "the condition there",
        )
        shown = self.there.show(adopted)
        self.signal(self.there, adopted, "2")
        self.there.wait(adopted, "ADOPT_COMPLETE")

        self.assertEqual("ADOPT_IN_PROGRESS", shown["stack_status"])

    @staticmethod
    def is_waiting(client: rest.Client, stack: rest.Stack) -> bool:
        rows = client.resources(stack)
        status = rows.get("all", {}).get("resource_status")
        return status == "CREATE_IN_PROGRESS"

    @staticmethod
    def signal(client: rest.Client, stack: rest.Stack, number: str) -> None:
        client.ask(
            "POST",
            f"{stack.path}/resources/handle/signal",
            {"id": number, "status": "SUCCESS", "data": number},
        )


class StackForLeafTests(adopting.AdoptingTestCase):
    def test_a5_resources_of_what_is_no_stack_are_told(self) -> None:
        stack = self.adopt(
            {
                "template": template(a=declare_resource()),
                "resources": {"a": {"resource_id": "x", "resources": {}}},
            },
            "ADOPT_FAILED",
        )

        reason = str(self.there.show(stack)["stack_status_reason"])

        self.assertIn("Test::World::Thing is no stack", reason)
        self.assertNotIn("BadAnswer", reason)
