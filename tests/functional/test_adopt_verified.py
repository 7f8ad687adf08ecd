"""Things are looked at when they are adopted, and each has one owner."""

import typing

from tests.functional import adopting
from tests.support import rest

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template


class VerifiedTests(adopting.AdoptingTestCase):
    """A thing that is not what its template says."""

    def reason(self, stack: rest.Stack, name: str = "a") -> str:
        rows = self.there.resources(stack)
        return str(rows[name]["resource_status_reason"])

    def document(self, ids: Json | dict[str, str], **declared: Json) -> Json:
        return {"template": template(**declared), "resources": dict(ids)}

    def test_a_g4_what_differs_is_told(self) -> None:
        ids = self.make_resources("a", label="real", value="v")

        stack = self.adopt(
            self.document(ids, a=declare_resource(label="wanted", value="v"))
        )

        self.assertEqual(
            "Adopted, although it differs from its template in label",
            self.reason(stack),
        )

    def test_a_g4_what_can_be_changed_is_put_right_by_an_update(self) -> None:
        ids = self.make_resources("a", label="real")
        wanted = template(a=declare_resource(label="wanted"))
        stack = self.adopt({"template": wanted, "resources": ids})
        self.assertEqual(
            ["real"],
            [each.label for each in self.world.physical_resources(self.name)],
        )

        self.update(stack, wanted)
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(ids, self.ids(self.there, stack))
        self.assertEqual(
            ["wanted"],
            [each.label for each in self.world.physical_resources(self.name)],
        )

    def test_a_g4_an_update_does_not_replace_for_a_difference(self) -> None:
        ids = self.make_resources("a", value="real")
        wanted = template(a=declare_resource(value="wanted"))
        stack = self.adopt({"template": wanted, "resources": ids})
        self.assertIn("differs from its template in value", self.reason(stack))
        before = self.mark()

        self.update(stack, wanted)
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(ids, self.ids(self.there, stack))
        self.assertEqual([], self.writes(before))

    def test_a_g4_refused_it_is_not_adopted(self) -> None:
        ids = self.make_resources("a", label="real")

        stack = self.adopt(
            self.document(ids, a=declare_resource(label="wanted")),
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )

        self.assertIn("differs from its template in label", self.reason(stack))
        self.assertEqual(["a"], self.existing_names())

    def test_a_g4_taken_as_it_is_nobody_looks(self) -> None:
        ids = self.make_resources("a", label="real")
        before = self.mark()

        stack = self.adopt(
            self.document(ids, a=declare_resource(label="wanted")),
            adopt_verify="take",
        )

        self.assertNotIn("differs", self.reason(stack))
        self.assertEqual(
            [], [each.act for each in self.world.calls(self.name, before)]
        )

    def test_a_g4_what_is_not_there_is_found_out(self) -> None:
        document = self.document({"a": "thing-999999"}, a=declare_resource())

        warned = self.adopt(document)
        self.assertIn("not there any more", self.reason(warned))
        self.there.delete(warned)
        self.there.wait(warned, "DELETE_COMPLETE")
        refused = self.adopt(document, "ADOPT_FAILED", adopt_verify="refuse")

        self.assertIn("not there any more", self.reason(refused))

    def test_a_g4_a_thing_of_another_type_is_found_out(self) -> None:
        ids = self.make_resources("a")
        other = {**declare_resource(), "type": "Test::World::Other"}

        stack = self.adopt(
            self.document(ids, a=other), "ADOPT_FAILED", adopt_verify="refuse"
        )

        self.assertIn("is of type Test::World::Thing", self.reason(stack))

    def test_a_g4_a_document_of_another_type_is_refused(self) -> None:
        entry = {"resource_id": "x", "type": "Test::World::Other"}
        document = {
            "template": template(a=declare_resource()),
            "resources": {"a": entry},
        }

        refused = self.refused(
            self.begin_adopt, document, adopt_verify="refuse"
        )

        self.assertEqual((400, "StackValidationFailed"), refused)

    def test_a_g4_an_unknown_policy_is_refused(self) -> None:
        refused = self.refused(
            self.begin_adopt, self.document({}), adopt_verify="perhaps"
        )

        self.assertEqual(400, refused[0])

    def test_a_g4_a_service_that_is_away_is_asked_again(self) -> None:
        ids = self.make_resources("a")
        self.world.order(
            self.name, "check", "a", how="transient", moment="before", times=1
        )

        stack = self.adopt(self.document(ids, a=declare_resource()))

        self.assertNotIn("although", self.reason(stack))


class OwnedTests(adopting.AdoptingTestCase):
    """One thing, two stacks of one installation."""

    def owned(self) -> tuple[rest.Stack, Json]:
        stack = self.adopt(
            {
                "template": template(a=declare_resource()),
                "resources": self.make_resources("a"),
            }
        )
        document = self.ask(self.there, "GET", f"{stack.path}/export")
        return stack, document

    def adopt_again(self, document: Json, **body: object) -> rest.Stack:
        name = f"{self.name}-2"
        return self.begin_adopt(document, stack_name=name, **body)

    def test_a_g4_a_second_owner_is_refused(self) -> None:
        _, document = self.owned()

        refused = self.refused(self.adopt_again, document)

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g4_unless_it_is_asked_for(self) -> None:
        _, document = self.owned()

        second = self.adopt_again(document, adopt_owned=True)

        self.there.wait(second, "ADOPT_COMPLETE")

    def test_a_g4_one_that_was_made_here_is_owned_too(self) -> None:
        stack = self.created(template(a=declare_resource()))
        document = self.export(stack)
        name = f"{self.name}-2"

        refused = self.refused(
            self.begin_adopt, document, self.here, stack_name=name
        )

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g4_what_was_let_go_of_has_no_owner(self) -> None:
        stack, document = self.owned()
        self.ask(self.there, "DELETE", f"{stack.path}/abandon")
        self.there.wait(stack, "DELETE_COMPLETE")

        second = self.adopt_again(document)

        self.there.wait(second, "ADOPT_COMPLETE")

    def test_a_parameter_does_not_own(self) -> None:
        """The comment of the seed: a stack that only knows an id."""
        stack, _ = self.owned()
        ids = self.ids(self.there, stack)
        wanted = template(b=declare_resource(refs=[{"get_param": "server"}]))
        wanted["parameters"] = {"server": {"type": "string"}}
        name = f"{self.name}-2"
        second = self.there.create(
            name, wanted, parameters={"server": ids["a"]}
        )
        self.there.wait(second, "CREATE_COMPLETE")

        self.there.delete(second)
        self.there.wait(second, "DELETE_COMPLETE")

        self.assertEqual(["a"], self.existing_names())
        self.assertEqual([], self.world.physical_resources(name))


class MixedTests(adopting.AdoptingTestCase):
    """Adopting, making and changing in one operation."""

    NAMES = tuple(f"t{number}" for number in range(9))

    def declared(self) -> dict[str, Json]:
        return {name: declare_resource() for name in self.NAMES}

    def there_is(self, label: str = "old") -> rest.Stack:
        stack = self.there.create(
            self.name, template(own=declare_resource(label=label))
        )
        self.there.wait(stack, "CREATE_COMPLETE")
        return stack

    def test_a_g5_what_has_no_id_is_made(self) -> None:
        ids = self.make_resources(*self.NAMES)
        before = self.mark()
        wanted = template(**self.declared(), more=declare_resource("t0"))

        stack = self.adopt(
            {"template": wanted, "resources": ids}, adopt_missing="create"
        )

        self.assertEqual(
            [("create", "more"), ("made", "more")], self.writes(before)
        )
        statuses = self.statuses(stack)
        self.assertEqual("CREATE_COMPLETE", statuses.pop("more"))
        self.assertEqual({"ADOPT_COMPLETE"}, set(statuses.values()))

    def test_a_g5_its_rollback_removes_what_it_made_alone(self) -> None:
        ids = self.make_resources("a")
        wanted = template(
            a=declare_resource(),
            made=declare_resource("a"),
            bad=declare_resource("made"),
        )
        self.world.order(
            self.name, "create", "bad", how="permanent", moment="before"
        )

        stack = self.begin_adopt(
            {"template": wanted, "resources": ids},
            adopt_missing="create",
            disable_rollback=False,
        )
        self.there.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(["a"], self.existing_names())

    def test_a_g5_into_a_stack_that_exists(self) -> None:
        ids = self.make_resources(*self.NAMES)
        stack = self.there_is()
        before = self.mark()
        wanted = template(
            **self.declared(),
            more=declare_resource("t0"),
            own=declare_resource(label="new"),
        )

        self.update(stack, wanted, external_ids=ids)
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            [("create", "more"), ("made", "more"), ("update", "own")],
            sorted(self.writes(before)),
        )
        found = self.ids(self.there, stack)
        self.assertEqual(ids, {name: found[name] for name in self.NAMES})
        statuses = self.statuses(stack)
        self.assertEqual("ADOPT_COMPLETE", statuses["t0"])
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.existing_names())

    def test_a_g5_going_back_lets_go_of_what_was_adopted(self) -> None:
        ids = self.make_resources("a")
        stack = self.there_is()
        wanted = template(
            own=declare_resource(label="new"),
            a=declare_resource(),
            bad=declare_resource("a"),
        )
        self.world.order(
            self.name, "create", "bad", how="permanent", moment="before"
        )

        self.update(stack, wanted, external_ids=ids, disable_rollback=False)
        self.there.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(["a", "own"], self.existing_names())
        self.assertEqual({"own"}, set(self.there.resources(stack)))

    def test_a_g5_an_id_that_lacked_is_given_later(self) -> None:
        ids = self.make_resources("a", "b")
        wanted = template(a=declare_resource(), b=declare_resource("a"))
        stack = self.adopt(
            {"template": wanted, "resources": {"a": ids["a"]}}, "ADOPT_FAILED"
        )
        before = self.mark()

        self.update(stack, wanted, external_ids={"b": ids["b"]})
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([], self.writes(before))
        self.assertEqual(ids, self.ids(self.there, stack))

    def test_a_g5_ids_that_do_not_fit_are_refused(self) -> None:
        stack = self.there_is()
        wanted = template(
            own=declare_resource(label="old"), a=declare_resource()
        )
        for given in (
            {"own": "thing-1"},
            {"nothing": "thing-1"},
            {"a": None},
            {"a": {}},
            {"a": []},
            ["a"],
        ):
            status, _ = self.refused(
                self.update, stack, wanted, external_ids=given
            )
            self.assertEqual(400, status, given)

    def test_a_g5_what_another_stack_owns_is_refused(self) -> None:
        stack = self.there_is()
        name = f"{self.name}-2"
        other = self.there.create(name, template(a=declare_resource()))
        self.there.wait(other, "CREATE_COMPLETE")
        wanted = template(
            own=declare_resource(label="old"), a=declare_resource()
        )
        ids = typing.cast(Json, self.ids(self.there, other))

        refused = self.refused(self.update, stack, wanted, external_ids=ids)

        self.assertEqual((409, "HTTPConflict"), refused)
