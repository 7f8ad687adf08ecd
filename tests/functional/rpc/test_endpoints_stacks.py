import sqlalchemy as sa

from orch import errors
from orch import ids
from orch.model import states
from orch.plugin import registry
from tests.functional.rpc import worker
from tests.unit.engine import fakes

TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "description": "A web server.",
    "parameters": {
        "flavor": {"type": "string", "default": "small"},
        "secret": {"type": "string", "hidden": True, "default": "s3cret"},
    },
    "resources": {
        "web": {
            "type": "Test::Server",
            "properties": {"flavor": {"get_param": "flavor"}},
        },
    },
    "outputs": {
        "id": {"description": "Its id.", "value": {"get_resource": "web"}},
        "address": {"value": {"get_attr": ["web", "address"]}},
        "port": {"value": {"get_attr": ["web", "port"]}},
    },
}


class IdentifyTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack_id = self.create(TEMPLATE)
        self.identity = {
            "project_id": "demo",
            "stack_name": "app",
            "stack_id": self.stack_id,
        }

    def assert_missing(self, ctxt: object, named: str) -> None:
        error = self.assertRaises(
            errors.NotFound, self.stacks.identify, ctxt, named
        )
        self.assertEqual("orch.stack.not_found", error.code)
        self.assertIn("could not be found", error.message)

    def test_a_name_means_the_project_s_stack(self) -> None:
        self.assertEqual(self.identity, self.stacks.identify(self.ann, "app"))

    def test_an_id_means_the_stack(self) -> None:
        self.assertEqual(
            self.identity, self.stacks.identify(self.ann, self.stack_id)
        )

    def test_a_name_means_nothing_in_another_project(self) -> None:
        self.assert_missing(self.eve, "app")

    def test_an_id_means_nothing_in_another_project(self) -> None:
        self.assert_missing(self.eve, self.stack_id)

    def test_an_admin_finds_any_project_s_stack_by_id_alone(self) -> None:
        self.assertEqual(
            self.identity, self.stacks.identify(self.root, self.stack_id)
        )
        self.assert_missing(self.root, "app")

    def test_a_deleted_stack_is_found_by_id_alone(self) -> None:
        self.set_stack(self.stack_id, deleted_at=fakes.NOW)

        self.assertEqual(
            self.identity, self.stacks.identify(self.ann, self.stack_id)
        )
        self.assert_missing(self.ann, "app")

    def test_a_name_may_look_like_an_id(self) -> None:
        name = "a" + ids.new()[1:]
        stack_id = self.create(TEMPLATE, name)

        found = self.stacks.identify(self.ann, name)

        self.assertEqual(stack_id, found["stack_id"])

    def test_an_id_of_another_project_may_be_a_name_in_this_one(self) -> None:
        stack_id = self.create(TEMPLATE, self.stack_id, ctxt=self.eve)

        found = self.stacks.identify(self.eve, self.stack_id)

        self.assertEqual(stack_id, found["stack_id"])

    def test_what_no_row_can_hold_is_not_found(self) -> None:
        for named in ("", "a\0b", "x" * 5000):
            self.assert_missing(self.ann, named)


class ListTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.one = self.create(TEMPLATE, "one", options={"tags": ["red"]})
        self.two = self.create(TEMPLATE, "two")
        self.create(TEMPLATE, "theirs", ctxt=self.eve)

    def names(self, **query: object) -> list[str]:
        query.setdefault("sort_keys", ["name"])
        query.setdefault("sort_dir", "asc")
        return [each["name"] for each in self.stacks.list(self.ann, query)]

    def test_a_project_sees_its_own_stacks(self) -> None:
        self.assertEqual(["one", "two"], self.names())

    def test_all_projects_are_listed_when_the_api_allows_it(self) -> None:
        self.assertEqual(
            ["one", "theirs", "two"], self.names(all_projects=True)
        )

    def test_a_listed_stack_says_what_its_row_says(self) -> None:
        self.set_stack(self.one, status=states.Status.FAILED)

        (found,) = self.stacks.list(self.ann, {"filters": {"id": [self.one]}})

        self.assertEqual(
            {
                "id": self.one,
                "name": "one",
                "project_id": "demo",
                "action": "CREATE",
                "status": "FAILED",
                "status_reason": "Stack CREATE started",
                "created_at": fakes.NOW,
                "updated_at": None,
                "deleted_at": None,
                "disable_rollback": True,
                "timeout_mins": 60,
                "username": "ann",
                "user_id": "u1",
                "parent_id": None,
                "root_id": self.one,
                "tags": ["red"],
            },
            found,
        )

    def test_a_list_takes_one_select(self) -> None:
        statements: list[str] = []
        sa.event.listen(
            self.database.engine,
            "before_cursor_execute",
            lambda conn, cursor, statement, *rest: statements.append(
                statement
            ),
        )

        self.stacks.list(self.ann, {"filters": {"id": [self.one]}})

        selects = [each for each in statements if "SELECT" in each]
        self.assertEqual(1, len(selects), statements)

    def test_a_page_goes_on_after_its_marker(self) -> None:
        self.assertEqual(["one"], self.names(limit=1))
        self.assertEqual(["two"], self.names(limit=1, marker=self.one))

    def test_filters_choose(self) -> None:
        self.set_stack(self.two, status=states.Status.FAILED)

        self.assertEqual(["two"], self.names(filters={"status": ["FAILED"]}))
        self.assertEqual(
            ["one", "two"],
            self.names(filters={"status": ["FAILED", "IN_PROGRESS"]}),
        )
        self.assertEqual([], self.names(filters={"action": ["nonsense"]}))
        self.assertEqual(
            ["one", "two"], self.names(filters={"timeout_mins": ["60"]})
        )

    def test_tags_choose(self) -> None:
        self.assertEqual(["one"], self.names(tags=["red"]))
        self.assertEqual(["two"], self.names(not_tags_any=["red"]))

    def test_what_no_row_can_hold_finds_nothing(self) -> None:
        for word in ("\0", "9" * 5000):
            for column in ("id", "name", "timeout_mins"):
                found = self.names(filters={column: [word]})
                self.assertEqual([], found, (word, column))
            self.assertEqual([], self.names(tags=[word]))
            self.assertEqual([], self.names(tags_any=[word]))
            self.assertEqual(["one", "two"], self.names(not_tags=[word]))
            self.assertEqual(["one", "two"], self.names(marker=word))

    def test_a_limit_may_be_larger_than_any_database_knows(self) -> None:
        self.assertEqual(["one", "two"], self.names(limit=10**30))

    def test_deleted_stacks_are_listed_when_asked_for(self) -> None:
        self.set_stack(self.one, deleted_at=fakes.NOW)

        self.assertEqual(["two"], self.names())
        self.assertEqual(["one", "two"], self.names(show_deleted=True))

    def test_a_count_takes_no_notice_of_the_page(self) -> None:
        self.assertEqual(2, self.stacks.count(self.ann, {"limit": 1}))
        self.assertEqual(
            1, self.stacks.count(self.ann, {"filters": {"name": ["two"]}})
        )


class ShowTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack_id = self.create(TEMPLATE, parameters={"flavor": "large"})

    def outputs(self) -> dict[str, dict[str, object]]:
        facts = self.stacks.show(self.ann, self.stack_id)
        return {each["key"]: dict(each) for each in facts["outputs"]}

    def test_a_stack_shows_row_and_template(self) -> None:
        facts = self.stacks.show(self.ann, self.stack_id)

        self.assertEqual("app", facts["name"])
        self.assertEqual("A web server.", facts["description"])
        self.assertEqual("A web server.", facts["template_description"])
        self.assertEqual("CREATE", facts["action"])
        self.assertEqual("IN_PROGRESS", facts["status"])
        self.assertEqual(
            {
                "OS::project_id": "demo",
                "OS::stack_id": self.stack_id,
                "OS::stack_name": "app",
                "flavor": "large",
                "secret": "******",
            },
            facts["parameters"],
        )

    def test_outputs_are_left_out_when_nobody_looks_at_them(self) -> None:
        facts = self.stacks.show(
            self.ann, self.stack_id, resolve_outputs=False
        )

        self.assertNotIn("outputs", facts)
        self.assertEqual("large", facts["parameters"]["flavor"])

    def test_outputs_are_null_before_their_resources_exist(self) -> None:
        expected = {
            "description": "Its id.",
            "key": "id",
            "value": None,
            "sensitive": False,
        }

        self.assertEqual(expected, self.outputs()["id"])

        self.put_resource(
            self.stack_id, "web", physical_id=None, action=states.Action.INIT
        )
        self.assertEqual(expected, self.outputs()["id"])

    def test_outputs_show_what_the_rows_hold(self) -> None:
        self.put_resource(
            self.stack_id, "web", attributes={"address": "::1", "port": 80}
        )

        found = self.outputs()

        self.assertEqual("physical", found["id"]["value"])
        self.assertEqual("::1", found["address"]["value"])
        self.assertEqual(80, found["port"]["value"])
        self.assertEqual([], self.server.requests)

    def test_what_no_row_holds_is_read_live(self) -> None:
        self.put_resource(self.stack_id, "web", attributes={"port": 80})

        self.assertEqual("live address", self.outputs()["address"]["value"])
        self.assertEqual([("address",)], self.server.requests)

    def test_an_output_that_cannot_be_read_says_why(self) -> None:
        def fail(names: object) -> object:
            raise OSError("no route")

        self.server.answer = fail
        self.put_resource(self.stack_id, "web", attributes={"port": 80})

        found = self.outputs()

        self.assertIsNone(found["address"]["value"])
        self.assertIn("no route", str(found["address"]["error"]))
        self.assertEqual(80, found["port"]["value"])

    def test_an_incarnation_that_was_replaced_is_not_looked_at(self) -> None:
        new = self.put_resource(
            self.stack_id, "web", physical_id="new", attributes={"port": 1}
        )
        self.put_resource(
            self.stack_id, "web", physical_id="old", replaced_by=new.id
        )

        self.assertEqual("new", self.outputs()["id"]["value"])

    def test_a_deleted_stack_is_shown_without_outputs(self) -> None:
        self.set_stack(
            self.stack_id,
            action=states.Action.DELETE,
            status=states.Status.COMPLETE,
            deleted_at=fakes.NOW,
        )

        facts = self.stacks.show(self.ann, self.stack_id)

        self.assertEqual(fakes.NOW, facts["deleted_at"])
        self.assertEqual("large", facts["parameters"]["flavor"])
        self.assertNotIn("outputs", facts)

    def test_a_stack_of_another_project_is_not_there(self) -> None:
        error = self.assertRaises(
            errors.NotFound, self.stacks.show, self.eve, self.stack_id
        )
        self.assertEqual("orch.stack.not_found", error.code)
        self.assertEqual(
            "app", self.stacks.show(self.root, self.stack_id)["name"]
        )

    def test_a_stack_whose_plug_ins_are_gone_is_still_shown(self) -> None:
        self.start(types=registry.ResourceTypes.of((), self.conf))

        facts = self.stacks.show(self.ann, self.stack_id)

        self.assertEqual("app", facts["name"])
        self.assertEqual("large", facts["parameters"]["flavor"])
        self.assertEqual([], facts["outputs"])

    def test_a_stack_whose_contents_are_gone_is_a_failure_of_ours(
        self,
    ) -> None:
        row = self.get_stack(self.stack_id)
        self.set_stack(self.stack_id, template_hash="0" * 64)

        error = self.assertRaises(
            errors.OrchError, self.stacks.show, self.ann, row.id
        )

        self.assertEqual("orch.internal", error.code)


class ManyResourcesTest(worker.TestCase):
    def test_outputs_of_many_resources_take_few_looks_at_the_rows(
        self,
    ) -> None:
        names = [f"r{number}" for number in range(40)]
        stack_id = self.create(
            {
                "heat_template_version": "2018-08-31",
                "resources": {
                    name: {"type": "Test::Server"} for name in names
                },
                "outputs": {
                    name: {"value": {"get_resource": name}} for name in names
                },
            }
        )
        for name in names:
            self.put_resource(stack_id, name, physical_id=f"id-{name}")
        statements: list[str] = []
        sa.event.listen(
            self.database.engine,
            "before_cursor_execute",
            lambda conn, cursor, statement, *rest: statements.append(
                statement
            ),
        )

        facts = self.stacks.show(self.ann, stack_id)

        self.assertEqual(
            {name: f"id-{name}" for name in names},
            {each["key"]: each["value"] for each in facts["outputs"]},
        )
        selects = [each for each in statements if "SELECT" in each]
        self.assertLess(len(selects), 15)


class ChangesTest(worker.TestCase):
    def test_an_accepted_stack_is_there_at_once(self) -> None:
        accepted = self.stacks.create(
            self.ann, "app", {"template": TEMPLATE}, {"timeout_mins": 5}
        )

        stack_id = accepted["identity"]["stack_id"]
        found = self.stacks.show(self.ann, stack_id)
        self.assertEqual(5, found["timeout_mins"])
        (operation,) = self.operations.list(self.ann, stack_id)
        self.assertEqual(accepted["operation_id"], operation["id"])

    def test_a_deletion_supersedes_the_creation(self) -> None:
        stack_id = self.create(TEMPLATE)
        self.clock.moment = 1.0

        accepted = self.stacks.delete(self.ann, stack_id)

        assert accepted is not None
        newest, oldest = self.operations.list(self.ann, stack_id)
        self.assertEqual(accepted["operation_id"], newest["id"])
        self.assertEqual("SUPERSEDED", oldest["state"])

    def test_a_stack_that_is_gone_is_not_deleted_again(self) -> None:
        stack_id = self.create(TEMPLATE)
        self.set_stack(stack_id, deleted_at=fakes.NOW)

        self.assertIsNone(self.stacks.delete(self.ann, stack_id))

    def test_a_stack_that_has_not_failed_is_not_retried(self) -> None:
        stack_id = self.create(TEMPLATE)
        self.set_stack(stack_id, status=states.Status.COMPLETE)

        error = self.assertRaises(
            errors.Conflict, self.stacks.retry, self.ann, stack_id, {}
        )

        self.assertEqual("orch.stack.not_failed", error.code)
