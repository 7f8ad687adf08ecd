"""What requests of adoption say is kept, corrected and understood."""

import typing

import yaml

from tests.functional import adopting
from tests.support import rest

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template

_LEAF = "leaf.yaml"
_GONE = "thing-999999"


class RequestTestCase(adopting.AdoptingTestCase):
    """A stack is made of things that stand already."""

    def reason(self, stack: rest.Stack, name: str = "a") -> str:
        rows = self.there.resources(stack)
        return str(rows[name]["resource_status_reason"])

    def stack_reason(self, stack: rest.Stack) -> str:
        return str(self.there.show(stack)["stack_status_reason"])

    def message(
        self,
        function: typing.Callable[..., object],
        *given: object,
        **body: object,
    ) -> str:
        """Return why a request is refused with 400."""
        error = self.assertRaises(rest.RefusedError, function, *given, **body)
        self.assertEqual(400, error.status)
        return error.message

    def create(self, wanted: Json, **body: object) -> rest.Stack:
        return self.there.create(self.name, wanted, **body)

    def refused_stack(self) -> tuple[rest.Stack, Json]:
        """Return a stack whose adoption refused a thing."""
        ids = self.make_resources("a", label="real")
        wanted = template(a=declare_resource(label="wanted"))
        stack = self.adopt(
            {"template": wanted, "resources": ids},
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )
        return stack, wanted


class RememberedTests(RequestTestCase):
    """Whether a thing is refused is asked for once."""

    def test_a_g4_an_update_does_not_take_what_was_refused(self) -> None:
        stack, wanted = self.refused_stack()

        self.update(stack, wanted)
        self.there.wait(stack, "UPDATE_FAILED")

        self.assertIn("differs from its template in label", self.reason(stack))
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(["a"], self.existing_names())

    def test_a_g4_it_is_remembered_from_update_to_update(self) -> None:
        stack, wanted = self.refused_stack()

        for _ in range(2):
            self.update(stack, wanted)
            self.there.wait(stack, "UPDATE_FAILED")

        self.assertIn("is not adopted", self.reason(stack))

    def test_a_g4_going_back_does_not_take_it_either(self) -> None:
        stack, wanted = self.refused_stack()

        self.update(stack, wanted, disable_rollback=False)
        self.there.wait(stack, "ROLLBACK_FAILED")

        self.assertIn("is not adopted", self.reason(stack))

    def test_a_g4_an_update_can_answer(self) -> None:
        stack, wanted = self.refused_stack()

        self.update(stack, wanted, adopt_verify="warn")
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertIn("Adopted, although", self.reason(stack))

    def test_a_g4_a_retry_can_answer(self) -> None:
        stack, _ = self.refused_stack()

        again = {"retry": {"adopt_verify": "take"}}
        self.ask(self.there, "POST", f"{stack.path}/actions", again)
        self.there.wait(stack, "ADOPT_COMPLETE")

    def test_a_g4_a_retry_alone_refuses_it_again(self) -> None:
        stack, _ = self.refused_stack()

        self.ask(self.there, "POST", f"{stack.path}/actions", {"retry": None})
        self.there.wait(stack, "ADOPT_FAILED")

        self.assertIn("is not adopted", self.reason(stack))

    def test_a_g4_in_a_child_stack_too(self) -> None:
        ids = self.make_resources("a", label="real")
        wanted = template(leaf={"type": _LEAF})
        inner = template(a=declare_resource(label="wanted"))
        files = {_LEAF: yaml.safe_dump(inner)}
        stack = self.adopt(
            {
                "template": wanted,
                "resources": {"leaf": {"resources": ids}},
                "files": files,
            },
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )

        self.update(stack, wanted, files=files)
        self.there.wait(stack, "UPDATE_FAILED")

        self.assertIn("differs from its template", self.stack_reason(stack))


class MisfitTests(RequestTestCase):
    """A document that says more than the template, or something else."""

    def test_a3_a_name_that_no_resource_has_is_told(self) -> None:
        ids = self.make_resources("a", "b")
        document = {
            "template": template(a=declare_resource()),
            "resources": ids,
        }

        stack = self.adopt(document)

        self.assertIn(
            f"b ({ids['b']}) is not adopted: the template has no such",
            self.stack_reason(stack),
        )

    def test_a3_it_is_told_in_a_child_stack(self) -> None:
        ids = self.make_resources("a", "b")
        wanted = template(leaf={"type": _LEAF})
        inner = template(a=declare_resource())

        stack = self.adopt(
            {
                "template": wanted,
                "resources": {"leaf": {"resources": ids}},
                "files": {_LEAF: yaml.safe_dump(inner)},
            }
        )

        row = self.there.resources(stack)["leaf"]
        leaf = rest.Stack("leaf", str(row["physical_resource_id"]))
        path = self.ask(self.there, "GET", f"/stacks/{leaf.id}")
        shown = typing.cast(Json, path["stack"])
        self.assertIn("b (", str(shown["stack_status_reason"]))

    def test_a3_it_is_refused_where_that_is_asked_for(self) -> None:
        document = {
            "template": template(a=declare_resource()),
            "resources": {"a": "x", "b": "y"},
        }

        told = self.message(self.begin_adopt, document, adopt_verify="refuse")

        self.assertIn("the template has no resource b", told)

    def test_a3_it_is_refused_in_a_child_stack(self) -> None:
        wanted = template(leaf={"type": _LEAF})
        inner = template(a=declare_resource())

        stack = self.adopt(
            {
                "template": wanted,
                "resources": {"leaf": {"resources": {"b": "y"}}},
                "files": {_LEAF: yaml.safe_dump(inner)},
            },
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )

        self.assertIn("has no resource b", self.stack_reason(stack))

    def test_a_g4_another_type_is_told(self) -> None:
        ids = self.make_resources("a")
        entry = {"resource_id": ids["a"], "type": "OS::Nova::Server"}

        stack = self.adopt(
            {
                "template": template(a=declare_resource()),
                "resources": {"a": entry},
            }
        )

        self.assertIn("is of type OS::Nova::Server", self.reason(stack))

    def test_a3_the_preview_tells_of_both_and_of_missing_ids(self) -> None:
        ids = self.make_resources("a")
        entry = {"resource_id": ids["a"], "type": "OS::Nova::Server"}
        document = {
            "template": template(a=declare_resource(), c=declare_resource()),
            "resources": {"a": entry, "b": "y"},
        }
        body = {"stack_name": self.name, "adopt_stack_data": document}

        answer = self.ask(self.there, "POST", "/stacks/preview", body)

        plan = typing.cast(Json, typing.cast(Json, answer["stack"])["plan"])
        changes = {
            str(each["resource_name"]): str(each["reason"])
            for each in typing.cast(list[Json], plan["changes"])
        }
        self.assertIn("is of type OS::Nova::Server", changes["a"])
        self.assertIn("will fail: it has no id", changes["c"])
        self.assertIn("b (y) is not adopted", str(plan["warnings"]))


class CorrectedTests(RequestTestCase):
    """Ids are given again."""

    def wrong(self) -> tuple[rest.Stack, Json, dict[str, str]]:
        """Return a stack whose adoption failed for a wrong id."""
        ids = self.make_resources("a")
        wanted = template(a=declare_resource())
        stack = self.adopt(
            {"template": wanted, "resources": {"a": _GONE}},
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )
        return stack, wanted, ids

    def test_a_g5_a_wrong_id_is_corrected(self) -> None:
        stack, wanted, ids = self.wrong()
        before = self.mark()

        self.update(stack, wanted, external_ids=ids)
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(ids, self.ids(self.there, stack))
        self.assertEqual([], self.writes(before))

    def test_a_g5_in_child_stacks_by_path(self) -> None:
        ids = self.make_resources("a", "b")
        middle = template(leaf={"type": _LEAF})
        inner = template(a=declare_resource(), b=declare_resource())
        files = {
            _LEAF: yaml.safe_dump(inner),
            "mid.yaml": yaml.safe_dump(middle),
        }
        wanted = template(mid={"type": "mid.yaml"})
        leaf = {"resources": {"a": ids["a"], "b": _GONE}}
        stack = self.adopt(
            {
                "template": wanted,
                "resources": {"mid": {"resources": {"leaf": leaf}}},
                "files": files,
            },
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )
        before = self.mark()

        self.update(
            stack, wanted, files=files, external_ids={"mid/leaf/b": ids["b"]}
        )
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([], self.writes(before))
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.existing_names())

    def test_a_g5_a_complete_one_is_refused_with_advice(self) -> None:
        ids = self.make_resources("a", "b")
        wanted = template(a=declare_resource())
        stack = self.adopt({"template": wanted, "resources": {"a": ids["a"]}})

        told = self.message(
            self.update, stack, wanted, external_ids={"a": ids["b"]}
        )

        self.assertIn(f"a (with the id {ids['a']})", told)
        self.assertIn("deletion_policy Retain", told)

    def test_a_g5_the_id_that_it_has_is_fine(self) -> None:
        stack = self.create(template(a=declare_resource()))
        self.there.wait(stack, "CREATE_COMPLETE")
        ids = self.ids(self.there, stack)
        before = self.mark()

        self.update(stack, template(a=declare_resource()), external_ids=ids)
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([], self.writes(before))

    def test_a_g5_a_child_that_had_not_begun_goes_on(self) -> None:
        """The update uses the document of the adoption that failed."""
        ids = self.make_resources("a", "b")
        inner = template(b=declare_resource())
        files = {_LEAF: yaml.safe_dump(inner)}
        wanted = template(
            a=declare_resource(), leaf={"type": _LEAF, "depends_on": "a"}
        )
        stack = self.adopt(
            {
                "template": wanted,
                "resources": {
                    "a": _GONE,
                    "leaf": {"resources": {"b": ids["b"]}},
                },
                "files": files,
            },
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )
        before = self.mark()

        self.update(stack, wanted, files=files, external_ids={"a": ids["a"]})
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([], self.writes(before))


class CreationTests(RequestTestCase):
    """A creation that adopts some, and creates the rest."""

    def desired(self) -> Json:
        return template(a=declare_resource(), more=declare_resource("a"))

    def test_a_g5_a_creation_adopts(self) -> None:
        ids = self.make_resources("a")
        before = self.mark()

        stack = self.create(self.desired(), external_ids=ids)
        self.there.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            [("create", "more"), ("made", "more")], self.writes(before)
        )
        self.assertEqual("ADOPT_COMPLETE", self.statuses(stack)["a"])
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.existing_names())

    def test_a_g5_its_rollback_removes_what_it_made_alone(self) -> None:
        ids = self.make_resources("a")
        self.world.order(
            self.name, "made", "more", how="permanent", moment="before"
        )
        self.world.order(
            self.name, "create", "more", how="permanent", moment="before"
        )

        stack = self.create(
            self.desired(), external_ids=ids, disable_rollback=False
        )
        self.there.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(["a"], self.existing_names())

    def test_a_g5_what_another_stack_owns_is_refused(self) -> None:
        other = self.create(template(a=declare_resource()))
        self.there.wait(other, "CREATE_COMPLETE")

        refused = self.refused(
            self.there.create,
            f"{self.name}-2",
            template(a=declare_resource()),
            external_ids=self.ids(self.there, other),
        )

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g5_names_that_are_not_declared_are_refused(self) -> None:
        told = self.message(
            self.create, self.desired(), external_ids={"nothing": "x"}
        )

        self.assertIn("nothing", told)

    def test_a_g5_its_preview_adopts(self) -> None:
        ids = self.make_resources("a", label="old")
        body = {
            "stack_name": self.name,
            "template": template(a=declare_resource(label="new")),
            "external_ids": ids,
        }

        answer = self.ask(self.there, "POST", "/stacks/preview", body)

        plan = typing.cast(Json, typing.cast(Json, answer["stack"])["plan"])
        (change,) = typing.cast(list[Json], plan["changes"])
        self.assertEqual("adopt", change["kind"])
        self.assertEqual(ids["a"], change["physical_resource_id"])
        path = f"/stacks?name={self.name}"
        self.assertEqual([], self.there.get(path, "stacks"))

    def test_a_g5_ids_stand_in_the_environment(self) -> None:
        ids = self.make_resources("a")
        before = self.mark()
        environment = {"external_ids": ids, "parameters": {}}

        stack = self.create(self.desired(), environment=environment)
        self.there.wait(stack, "CREATE_COMPLETE")
        self.update(stack, self.desired(), environment=environment)
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            [("create", "more"), ("made", "more")], self.writes(before)
        )
        self.assertEqual("ADOPT_COMPLETE", self.statuses(stack)["a"])
        shown = self.ask(self.there, "GET", f"{stack.path}/environment")
        self.assertNotIn("external_ids", shown)

    def test_a_g5_files_of_environments_are_merged(self) -> None:
        ids = self.make_resources("a", "more")
        files = {
            f"{number}.yaml": yaml.safe_dump({"external_ids": given})
            for number, given in enumerate(({"a": "wrong"}, ids))
        }
        before = self.mark()

        stack = self.create(
            self.desired(), files=files, environment_files=sorted(files)
        )
        self.there.wait(stack, "CREATE_COMPLETE")

        self.assertEqual([], self.writes(before))
        self.assertEqual(ids, self.ids(self.there, stack))

    def test_a_g5_a_patch_takes_them_from_its_environment(self) -> None:
        ids = self.make_resources("more")
        stack = self.create(template(a=declare_resource()))
        self.there.wait(stack, "CREATE_COMPLETE")
        before = self.mark()
        body = {
            "template": self.desired(),
            "environment": {"external_ids": ids},
        }

        self.there.ask("PATCH", stack.path, typing.cast(Json, body))
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([], self.writes(before))


class KeyTests(RequestTestCase):
    """Keys of ours are not passed over; what Heat ignores is."""

    def test_a_key_without_meaning_is_refused(self) -> None:
        wanted = template(a=declare_resource())
        for key, value in (
            ("converge", True),
            ("clear_parameters", ["x"]),
            ("skip", ["a"]),
            ("adopt_missing", "create"),
        ):
            told = self.message(self.create, wanted, **{key: value})
            self.assertIn(f"{key} means nothing", told)

    def test_a_key_that_is_mistyped_is_told(self) -> None:
        told = self.message(
            self.create, template(a=declare_resource()), retrry=True
        )

        self.assertEqual("retrry is unknown: did you mean retry?", told)

    def test_what_heat_ignores_is_ignored(self) -> None:
        stack = self.create(
            template(a=declare_resource()),
            something="else",
            stack_owner="other",
            converge=None,
            owner="me",
        )

        self.there.wait(stack, "CREATE_COMPLETE")

    def test_other_requests_are_looked_at_too(self) -> None:
        stack = self.create(template(a=declare_resource()))
        self.there.wait(stack, "CREATE_COMPLETE")
        ask, path = self.there.ask, stack.path
        for method, below, body in (
            ("PUT", "", {"template": template(), "keep_goin": True}),
            ("PUT", "", {"template": template(), "adopt_stack_data": {}}),
            ("POST", "/actions", {"suspend": {"keep_goingg": True}}),
            ("POST", "/actions", {"suspend": {"external_ids": {}}}),
            ("POST", "/snapshots", {"retri": True}),
            ("POST", "/plans", {"action": "delete", "adopt_mising": "fail"}),
        ):
            self.message(ask, method, f"{path}{below}", body)
        self.there.ask("POST", f"{path}/actions", {"check": {"any": "thing"}})
        self.there.wait(stack, "CHECK_COMPLETE")
